#include "notices/vigils.hpp"

#include <algorithm>
#include <utility>

namespace training_monitor::notices {

void vigils::begin(const notice& n, kcontrol::duration lasted, const std::vector<delayed_receiver>& wanted,
                   kcontrol::time_point now) {
    end(*n.job);
    std::vector<vigil> fresh;
    for (const auto& each : wanted) {
        if (each.after <= lasted) continue;
        fresh.push_back({n, each.receiver, each.rule, now + (each.after - lasted)});
        fresh.back().what.lasted = each.after;
    }
    if (!fresh.empty()) kept_.emplace(key_of(*n.job), std::move(fresh));
}

std::optional<kcontrol::time_point> vigils::next() const {
    std::optional<kcontrol::time_point> out;
    for (const auto& [job, all] : kept_) {
        for (const auto& each : all) out = std::min(out.value_or(each.over), each.over);
    }
    return out;
}

std::vector<lasted_state> vigils::take(kcontrol::time_point now) {
    std::vector<lasted_state> out;
    for (auto at = kept_.begin(); at != kept_.end();) {
        auto& all = at->second;
        const auto over = std::stable_partition(all.begin(), all.end(), [&](const vigil& v) { return v.over > now; });
        for (auto each = over; each != all.end(); ++each)
            out.push_back({std::move(each->what), each->receiver, each->rule});
        all.erase(over, all.end());
        at = all.empty() ? kept_.erase(at) : std::next(at);
    }
    return out;
}

}  // namespace training_monitor::notices
