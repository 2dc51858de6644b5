// An informer as a source of a controller's events.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/controller/source.hpp>

#include <memory>
#include <string>
#include <utility>

namespace kcontrol {

/// An informer as a source. Starting and stopping the informer stays its owner's business.
class informer_source final : public cached_source {
public:
    explicit informer_source(std::shared_ptr<any_informer> inf, duration resync_period = duration::zero())
        : informer_(std::move(inf)), resync_period_(resync_period) {}

    subscription subscribe(any_event_handler handler) override {
        return informer_->subscribe(std::move(handler), resync_period_);
    }
    awaitable<bool> wait_synced(std::stop_token stop, std::optional<time_point> deadline) override {
        return informer_->wait_synced(std::move(stop), deadline);
    }
    std::string describe() const override {
        const informer_status status = informer_->status();
        std::string text = informer_->info().gvk.kind + " (" + informer_->info().gvk.api_version() + "): ";
        text += to_string(status.state);
        if (!status.reason.empty()) text += ", " + status.reason;
        return text;
    }
    any_object get(const namespaced_name& key) const override { return informer_->objects().get(key); }

private:
    std::shared_ptr<any_informer> informer_;
    duration resync_period_;
};

}  // namespace kcontrol
