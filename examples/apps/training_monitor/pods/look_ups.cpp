#include "pods/look_ups.hpp"

#include <algorithm>
#include <array>

namespace training_monitor {
namespace {

using namespace std::chrono_literals;
using kcontrol::duration;
using kcontrol::time_point;

constexpr std::array<std::chrono::seconds, 5> pauses{3s, 15s, 60s, 240s, 600s};
constexpr unsigned asked_of_ended = 2;
constexpr auto look_period = 10s;

duration pause_after(unsigned asked) { return pauses.at(std::min<std::size_t>(asked, pauses.size() - 1)); }

}  // namespace

void look_ups::unplan(const job_ref& job, const entry& e) {
    const auto [first, last] = order_.equal_range(e.due);
    const auto at = std::find_if(first, last, [&](const auto& one) { return one.second == job; });
    if (at != last) order_.erase(at);
}

void look_ups::plan(const job_ref& job, entry& e, time_point due) {
    e.due = due;
    order_.emplace(due, job);
}

void look_ups::want(const job_ref& job, bool ended, time_point now) {
    const auto known = jobs_.find(job);
    if (known != jobs_.end() && known->second.ended == ended) return;
    if (known == jobs_.end() && jobs_.size() >= most_) return;
    entry& e = jobs_[job];
    if (known != jobs_.end()) unplan(job, e);
    e = entry{};
    e.ended = ended;
    plan(job, e, now + pause_after(0));
}

bool look_ups::look(const job_ref& job, time_point now) {
    std::erase_if(looked_, [&](const auto& one) { return one.second + look_period <= now; });
    if (looked_.size() >= most_) return false;
    return looked_.try_emplace(job, now).second;
}

void look_ups::drop(const job_ref& job) {
    const auto at = jobs_.find(job);
    if (at == jobs_.end()) return;
    unplan(job, at->second);
    jobs_.erase(at);
}

void look_ups::drop_cluster(const std::string& cluster) {
    auto at = jobs_.lower_bound(job_ref{cluster, {}, {}, {}});
    while (at != jobs_.end() && at->first.cluster == cluster) {
        unplan(at->first, at->second);
        at = jobs_.erase(at);
    }
}

std::optional<job_ref> look_ups::take(time_point now) {
    if (order_.empty() || order_.begin()->first > now) return std::nullopt;
    const job_ref job = order_.begin()->second;
    order_.erase(order_.begin());
    entry& e = jobs_.at(job);
    ++e.asked;
    if (!e.ended || e.asked < asked_of_ended) {
        plan(job, e, now + pause_after(e.asked));
    } else {
        jobs_.erase(job);
    }
    return job;
}

std::optional<time_point> look_ups::next_due() const {
    if (order_.empty()) return std::nullopt;
    return order_.begin()->first;
}

}  // namespace training_monitor
