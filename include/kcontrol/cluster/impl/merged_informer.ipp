#pragma once

#include <kcontrol/cluster/informer_report.hpp>
#include <kcontrol/cluster/merged_informer.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline awaitable<bool> wait_all_synced(std::vector<std::shared_ptr<any_informer>> all, std::stop_token stop,
                                       std::optional<time_point> deadline) {
    for (const auto& one : all) {
        const bool synced = co_await one->wait_synced(stop, deadline);
        if (!synced) co_return false;
    }
    co_return true;
}

}  // namespace detail

KCONTROL_DECL any_merged_informer::any_merged_informer(std::vector<std::shared_ptr<any_informer>> parts)
    : parts_(std::move(parts)) {
    std::sort(parts_.begin(), parts_.end(),
              [](const auto& a, const auto& b) { return a->in_namespace() < b->in_namespace(); });
}

KCONTROL_DECL any_object any_merged_informer::get(const namespaced_name& key) const {
    for (const auto& one : parts_) {
        if (any_object found = one->objects().get(key)) return found;
    }
    return {};
}

// Keys are sorted by namespace first.
KCONTROL_DECL std::vector<any_object> any_merged_informer::list(std::string_view ns) const {
    std::vector<any_object> out;
    for (const auto& one : parts_) {
        if (!ns.empty() && !one->in_namespace().empty() && one->in_namespace() != ns) continue;
        for (auto& object : one->objects().list(ns)) out.push_back(std::move(object));
    }
    return out;
}

KCONTROL_DECL std::size_t any_merged_informer::size() const {
    std::size_t out = 0;
    for (const auto& one : parts_) out += one->objects().size();
    return out;
}

KCONTROL_DECL subscription any_merged_informer::subscribe(const event_consumer& handler, const handler_options& how) {
    std::vector<subscription> all;
    for (const auto& one : parts_) all.push_back(one->subscribe(handler, how));
    return subscription::all_of(std::move(all));
}

KCONTROL_DECL informer_status any_merged_informer::status() const {
    std::optional<informer_status> all;
    for (const auto& one : parts_) {
        informer_status part = one->status();
        if (!part.reason.empty() && !one->in_namespace().empty()) {
            part.reason = "namespace " + one->in_namespace() + ": " + part.reason;
        }
        if (all) {
            merge(*all, part);
        } else {
            all = std::move(part);
        }
    }
    return all.value_or(informer_status());
}

KCONTROL_DECL bool any_merged_informer::has_synced() const {
    return std::all_of(parts_.begin(), parts_.end(), [](const auto& one) { return one->has_synced(); });
}

KCONTROL_DECL awaitable<bool> any_merged_informer::wait_synced(std::stop_token stop,
                                                               std::optional<time_point> deadline) {
    return detail::wait_all_synced(parts_, std::move(stop), deadline);
}

}  // namespace kcontrol
