#include "notices/send_test.hpp"

#include <kcontrol/base/in_quotes.hpp>

#include "crypto/hmac.hpp"
#include "notices/condition_text.hpp"
#include "notices/sender.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace training_monitor::notices {
namespace {

// What --test-notify shows a receiver: a change of state, and each condition that a rule tells it of.
std::vector<job_condition> conditions_told_to(const std::vector<rule>& rules, std::size_t receiver) {
    std::vector<job_condition> out{job_condition::none};
    std::vector<job_condition> all{job_condition::incomplete, job_condition::gpus_idle};
    for (std::size_t i = 1; i < trouble_names.size(); ++i) all.push_back(condition_of(static_cast<trouble>(i)));
    for (const auto which : all) {
        const bool told = std::any_of(rules.begin(), rules.end(), [&](const rule& each) {
            const auto& to = each.receivers;
            return each.is_about(which) && std::find(to.begin(), to.end(), receiver) != to.end();
        });
        if (told) out.push_back(which);
    }
    return out;
}

notice made_up(const notice& of_state, job_condition which) {
    notice out = of_state;
    if (which == job_condition::none) return out;
    job_view job = *of_state.job;
    job.replicas = {{"Worker", 8, 7, 0, 0}};
    out.lasted = std::chrono::minutes(15);
    out.job = std::make_shared<const job_view>(told_as(which, std::move(job), out.at - out.lasted));
    out.id += "-" + std::string(to_string(which));
    out.from = job_state::running;
    out.condition = which;
    return out;
}

}  // namespace

kcontrol::awaitable<kcontrol::result<bool>> send_test(kcontrol::environment& env, kcontrol::executor ex,
                                                      const notice_config& config, std::string name,
                                                      kcontrol::http::transport_factory transport, std::string& report,
                                                      std::stop_token stop) {
    job_view job;
    job.cluster = "test-cluster";
    job.namespace_ = "test-namespace";
    job.name = "test-job";
    job.kind = "Job";
    job.api_version = "batch/v1";
    job.uid = "00000000-0000-0000-0000-000000000000";
    job.state = job_state::running;
    job.reason = "Test";
    job.message = "training_monitor --test-notify sent this";
    const auto number = env.random();
    notice n;
    n.id = "test-" + crypto::to_hex({reinterpret_cast<const char*>(&number), sizeof number});
    n.job = std::make_shared<const job_view>(std::move(job));
    n.from = job_state::pending;
    n.to = job_state::running;
    n.at = env.wall_now();
    n.seen = env.now();
    n.level = severity::info;  // so that PagerDuty shows it, rather than resolving nothing
    bool found = false, all_took_it = true;
    for (std::size_t i = 0; i < config.receivers.size(); ++i) {
        const auto& each = config.receivers[i];
        if (!name.empty() && each.name != name) continue;
        found = true;
        sender one(env, ex, each, transport);
        const auto told = conditions_told_to(config.rules, i);
        for (const auto which : told) {
            const notice made = made_up(n, which);
            const auto began = env.now();
            const auto how = co_await one.send(made, stop);
            const bool sent = how.how == delivery::kind::sent;
            all_took_it = all_took_it && sent;
            const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(env.now() - began);
            report += each.name + " (" + std::string(to_string(each.kind)) + ")" +
                      (which == job_condition::none ? "" : ", " + std::string(to_string(which))) + ": " +
                      (sent ? "sent" : "not sent: " + how.why) + ", after " + std::to_string(took.count()) + " ms\n";
        }
    }
    if (!found) {
        std::string names;
        for (const auto& each : config.receivers) names += (names.empty() ? "" : ", ") + each.name;
        co_return kcontrol::error(
            kcontrol::errc::invalid_argument,
            "--test-notify: there is no receiver " + kcontrol::in_quotes(name) + "; there are " + names);
    }
    co_return all_took_it;
}

}  // namespace training_monitor::notices
