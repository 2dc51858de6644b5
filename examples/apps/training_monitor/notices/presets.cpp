#include "notices/presets.hpp"

#include <chrono>
#include <cstddef>
#include <initializer_list>

namespace training_monitor::notices {
namespace {

using namespace std::chrono_literals;

rule of_states(std::size_t receiver, std::initializer_list<standing> to) {
    rule out;
    out.receivers = {receiver};
    out.goes_on = true;
    out.to = to;
    return out;
}

rule of_lasting(std::size_t receiver, std::initializer_list<standing> to, kcontrol::duration lasting) {
    rule out = of_states(receiver, to);
    out.goes_on = false;
    out.lasting = lasting;
    return out;
}

rule of_blocked(std::size_t receiver, std::initializer_list<trouble> by, kcontrol::duration lasting) {
    rule out = of_lasting(receiver, {}, lasting);
    for (const auto each : by) out.conditions.push_back(condition_of(each));
    return out;
}

}  // namespace

void add_presets(const std::vector<receiver_section>& sections, notice_config& to) {
    for (std::size_t i = 0; i < sections.size(); ++i) {
        const auto add = [&](rule r) { to.rules.push_back(std::move(r)); };
        const auto& preset = sections[i].preset;
        if (preset == "on-call") {
            add(of_states(i, {job_state::failed}));
            add(of_blocked(i, {trouble::crash_loop}, 5min));
            add(of_blocked(i, {trouble::holds_gpus}, 10min));
            to.cluster_rules.push_back({{}, {i}, 5min, {}});
        } else if (preset == "team") {
            add(of_states(i, {job_state::failed, job_state::succeeded}));
            add(of_blocked(i,
                           {trouble::crash_loop, trouble::image, trouble::configuration, trouble::volume,
                            trouble::quota, trouble::limit_range, trouble::webhook},
                           5min));
            add(of_lasting(i, {job_state::pending, job_state::queued}, 1h));
            rule lacks = of_lasting(i, {}, 15min);
            lacks.conditions = {job_condition::incomplete};
            add(std::move(lacks));
        } else if (preset == "audit") {
            add(of_states(i, {}));
            to.cluster_rules.push_back({{}, {i}, 1min, {}});
        }
    }
}

}  // namespace training_monitor::notices
