#include "simulate/fleet.hpp"

#include <algorithm>
#include <utility>

namespace inference_autoscaler {

fleet::fleet(std::vector<load_row> load, double start_seconds)
    : load_(std::move(load)), start_seconds_(start_seconds) {}

void fleet::arrive(double until) {
    for (; next_ < load_.size(); ++next_, arrived_ = 0) {
        const load_row& row = load_[next_];
        for (; arrived_ < row.requests; ++arrived_) {
            const double at = double(row.second) + double(arrived_) / double(row.requests);
            if (at >= until) return;
            queue_.push_back({at, row.service_ms / 1000});
        }
        if (double(row.second) >= until) return;
    }
}

void fleet::advance(double until) {
    arrive(until);
    const auto later = [](const replica& a, const replica& b) { return a.free_at > b.free_at; };
    std::ranges::make_heap(replicas_, later);
    while (!queue_.empty() && !replicas_.empty()) {
        const request head = queue_.front();
        const double begin = std::max(head.arrival, replicas_.front().free_at);
        if (begin >= until) break;
        std::ranges::pop_heap(replicas_, later);
        replicas_.back().free_at = begin + head.service;
        std::ranges::push_heap(replicas_, later);
        queue_.pop_front();
        const double latency = begin + head.service - head.arrival;
        latencies_.push_back(latency * 1000);
        answers_.push_back({begin + head.service, latency});
    }
}

void fleet::resize(std::int32_t replicas, double now) {
    while (size() < replicas) {
        const double warm_at = now < 0 ? 0 : now + start_seconds_;  // before the beginning: warm from there
        replicas_.push_back({warm_at, warm_at});
    }
    std::ranges::sort(replicas_, {}, [&](const replica& r) { return std::pair(r.warm_at <= now, r.free_at); });
    replicas_.erase(replicas_.begin(), replicas_.begin() + (size() - replicas));
}

std::int32_t fleet::warm(double now) const {
    return static_cast<std::int32_t>(std::ranges::count_if(replicas_, [&](const auto& r) { return r.warm_at <= now; }));
}

bool fleet::is_busy(double now) const {
    return !queue_.empty() ||
           std::ranges::any_of(replicas_, [&](const auto& r) { return r.warm_at <= now && r.free_at > now; });
}

double fleet::p95(double now) {
    std::erase_if(answers_, [&](const answer& a) { return a.at <= now - 60; });
    std::vector<double> seen;
    for (const answer& each : answers_) {
        if (each.at <= now) seen.push_back(each.latency);
    }
    if (seen.empty()) return 0;
    const auto at = seen.begin() + static_cast<std::ptrdiff_t>((seen.size() - 1) * 95 / 100);
    std::ranges::nth_element(seen, at);
    return *at;
}

}  // namespace inference_autoscaler
