#pragma once

#include <kcontrol/controller/informer_source.hpp>

namespace kcontrol {

KCONTROL_DECL informer_source::informer_source(std::shared_ptr<any_informer> inf, duration resync_period)
    : informer_(std::move(inf)), resync_period_(resync_period) {}

KCONTROL_DECL subscription informer_source::subscribe(any_event_handler handler) {
    return informer_->subscribe(std::move(handler), resync_period_);
}

KCONTROL_DECL awaitable<bool> informer_source::wait_synced(std::stop_token stop, std::optional<time_point> deadline) {
    return informer_->wait_synced(std::move(stop), deadline);
}

KCONTROL_DECL std::string informer_source::describe() const {
    const informer_status status = informer_->status();
    std::string text = informer_->info().gvk.kind + " (" + informer_->info().gvk.api_version() + "): ";
    text += to_string(status.state);
    if (!status.reason.empty()) text += ", " + status.reason;
    return text;
}

KCONTROL_DECL any_object informer_source::get(const namespaced_name& key) const {
    return informer_->objects().get(key);
}

}  // namespace kcontrol
