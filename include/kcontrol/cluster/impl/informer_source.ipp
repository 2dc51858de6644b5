#pragma once

#include <kcontrol/cluster/informer_source.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL informer_source::informer_source(std::shared_ptr<any_informer> inf, duration resync_period)
    : resync_period_(resync_period) {
    informers_.push_back(std::move(inf));
}

KCONTROL_DECL informer_source::informer_source(std::vector<std::shared_ptr<any_informer>> informers,
                                               duration resync_period)
    : informers_(std::move(informers)), resync_period_(resync_period) {}

KCONTROL_DECL subscription informer_source::subscribe(any_event_handler handler) {
    if (informers_.size() == 1) return informers_.front()->subscribe(std::move(handler), resync_period_);
    std::vector<subscription> all;
    for (const auto& one : informers_) all.push_back(one->subscribe(handler, resync_period_));
    return subscription::all_of(std::move(all));
}

KCONTROL_DECL awaitable<bool> informer_source::wait_synced(std::stop_token stop, std::optional<time_point> deadline) {
    const auto all = informers_;
    for (const auto& one : all) {
        const bool synced = co_await one->wait_synced(stop, deadline);
        if (!synced) co_return false;
    }
    co_return true;
}

KCONTROL_DECL std::string informer_source::describe() const {
    if (informers_.empty()) return "no informer";
    const auto missing =
        std::find_if(informers_.begin(), informers_.end(), [](const auto& one) { return !one->has_synced(); });
    const any_informer& described = missing == informers_.end() ? *informers_.front() : **missing;
    const informer_status status = described.status();
    std::string text = described.info().gvk.kind + " (" + described.info().gvk.api_version() + "): ";
    text += to_string(status.state);
    if (!status.reason.empty()) text += ", " + status.reason;
    return text;
}

KCONTROL_DECL std::string informer_source::kind() const {
    return informers_.empty() ? std::string() : informers_.front()->info().gvk.kind;
}

KCONTROL_DECL any_object informer_source::get(const namespaced_name& key) const {
    for (const auto& one : informers_) {
        if (any_object found = one->objects().get(key)) return found;
    }
    return {};
}

KCONTROL_DECL bool informer_source::metadata_only() const {
    return std::any_of(informers_.begin(), informers_.end(), [](const auto& one) { return one->metadata_only(); });
}

// The one that has it; it is asked for only where get() has found it.
KCONTROL_DECL awaitable<result<any_object>> informer_source::fetch(namespaced_name key, std::stop_token stop) const {
    for (const auto& one : informers_) {
        if (one->objects().get(key)) return one->fetch(std::move(key), std::move(stop));
    }
    return make_ready<result<any_object>>(any_object());
}

}  // namespace kcontrol
