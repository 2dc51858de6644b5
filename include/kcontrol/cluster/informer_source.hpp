// Informers as a source of a controller's events.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/cluster/source.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// An informer as a source, or several informers of one kind, each of another namespace. Starting and stopping them
/// stays their owner's business.
class informer_source final : public cached_source {
public:
    /// Of one informer. `resync_period`: how often a handler gets every object again; zero: never.
    KCONTROL_DECL explicit informer_source(std::shared_ptr<any_informer> inf,
                                           duration resync_period = duration::zero());
    /// Of several, each of another namespace; none is synced before all are.
    KCONTROL_DECL explicit informer_source(std::vector<std::shared_ptr<any_informer>> informers,
                                           duration resync_period = duration::zero());

    KCONTROL_DECL subscription subscribe(any_event_handler handler) override;
    KCONTROL_DECL awaitable<bool> wait_synced(std::stop_token stop, std::optional<time_point> deadline) override;
    KCONTROL_DECL std::string describe() const override;
    KCONTROL_DECL std::string kind() const override;
    KCONTROL_DECL any_object get(const namespaced_name& key) const override;
    KCONTROL_DECL bool metadata_only() const override;
    KCONTROL_DECL awaitable<result<any_object>> fetch(namespaced_name key, std::stop_token stop) const override;

private:
    std::vector<std::shared_ptr<any_informer>> informers_;
    duration resync_period_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/informer_source.ipp>
#endif
