#include "notices/conditions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace training_monitor::notices {

job_view conditions::job_of(const job_key& key) {
    job_view out;
    std::tie(out.cluster, out.namespace_, out.name, out.kind, out.uid) = key;
    return out;
}

void conditions::holds(const notice& n, kcontrol::duration lasted, const std::vector<delayed_receiver>& wanted,
                       kcontrol::time_point now) {
    if (wanted.empty()) return;
    watch& of = all_[n.condition];
    if (of.holding.insert(key_of(*n.job)).second) of.kept.begin(n, lasted, wanted, now);
}

void conditions::over(const job_view& job, job_condition which) {
    const auto at = all_.find(which);
    if (at != all_.end() && at->second.holding.erase(key_of(job)) > 0) at->second.kept.end(job);
}

void conditions::over(const job_view& job) {
    for (const auto& [which, of] : all_) over(job, which);
}

void conditions::only(const std::string& cluster, job_condition which, const std::vector<const job_view*>& jobs) {
    const auto at = all_.find(which);
    if (at == all_.end()) return;
    std::set<job_key> so;
    for (const auto* job : jobs) so.insert(key_of(*job));
    std::vector<job_key> ended;
    auto one = at->second.holding.lower_bound(job_key{cluster, {}, {}, {}, {}});
    for (; one != at->second.holding.end() && std::get<0>(*one) == cluster; ++one) {
        if (!so.contains(*one)) ended.push_back(*one);
    }
    for (const auto& key : ended) over(job_of(key), which);
}

std::optional<kcontrol::time_point> conditions::next() const {
    std::optional<kcontrol::time_point> out;
    for (const auto& [which, of] : all_) {
        if (const auto due = of.kept.next()) out = std::min(out.value_or(*due), *due);
    }
    return out;
}

std::vector<lasted_state> conditions::take(kcontrol::time_point now) {
    std::vector<lasted_state> out;
    for (auto& [which, of] : all_) {
        auto due = of.kept.take(now);
        std::move(due.begin(), due.end(), std::back_inserter(out));
    }
    return out;
}

}  // namespace training_monitor::notices
