// plugin: the points at which a scheduler asks plugins, by Kubernetes' names, and a plugin of any class behind them.
#pragma once

#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/detail/plugin_thunks.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/placement.hpp>
#include <kcontrol/scheduling/plugin_point.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/post_filter.hpp>
#include <kcontrol/scheduling/scheduling_queue.hpp>
#include <kcontrol/scheduling/snapshot.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// A plugin of a profile. Any class with a name and some of these members is one; the words in brackets may be left
/// out. All are const but reserve, unreserve, permit, pre_bind, bind and post_bind, which may change the plugin.
///
///     static constexpr std::string_view name = "PackByLabel";
///     class state;                                                  // what it knows of one pod, during one round
///     static std::vector<event_kind> events();                      // what may change its answer; without: anything
///     bool may_help(const pod_info& waiting, const cluster_event& event);  // whether this event may help this
///     pod
///
///     status pre_enqueue(const pod_info&);                                              // refused: the pod is gated
///     queue_rank queue_sort(const queued_pod&);                                         // the smaller comes first
///     std::uint64_t queue_version();                // another number: the order has changed for pods that wait, too
///     status | pre_filter_result pre_filter([state&,] const pod_info&, const snapshot&);
///     status filter([const state&,] const pod_info&, const node_info&);
///     void add_pod(state&, const pod_info&, const pod_info& other, const node_info&);     // `other` is put there
///     void remove_pod(state&, const pod_info&, const pod_info& other, const node_info&);  // and taken away
///     static constexpr bool follows_after_skip = true;  // also for a pod that pre_filter skipped; default: false
///     std::vector<std::vector<const node_info*>> generate_placements(         // a gang goes onto one of these sets
///         std::span<const std::shared_ptr<const pod_info>> members, std::int32_t needed, const snapshot&);
///     post_filter_result post_filter(const post_filter_request&);
///     status pre_score([state&,] const pod_info&, const snapshot&, std::span<const node_info* const> feasible);
///     std::int64_t score([const state&,] const pod_info&, const node_info&);
///     void normalize_score([const state&,] std::span<std::int64_t>[, std::span<const node_info* const>]);
///     status reserve([state&,] placement&, const node_info&);
///     void unreserve([state&,] const placement&) noexcept;
///     awaitable<status> permit([state&,] placement&);
///     awaitable<status> pre_bind([state&,] placement&);
///     awaitable<status> bind([state&,] const placement&);           // skip: another binds it
///     void post_bind([const state&,] const placement&);
///
/// `state` can be made without arguments, and copied. pre_filter and pre_score set all of it: it is used again for the
/// next pod. A plugin with a state whose filter depends on other pods than those of the node has add_pod and
/// remove_pod. If pre_filter skips a pod because no pod that runs matters to it, a pod that waits for a freed place may
/// matter: with follows_after_skip the plugin's filter is asked again beside such pods. An exception of any member is
/// an error of that pod alone.
///
/// Thread-safety: distinct objects safe.
class plugin {
public:
    /// Takes a plugin of any such class.
    template <class P>
    requires(!std::is_same_v<std::remove_cvref_t<P>, plugin>) explicit plugin(P made)
        : object_(std::make_shared<P>(std::move(made))), thunks_(&detail::plugin_thunks_of<P>) {}

    std::string_view name() const noexcept { return thunks_->name; }  ///< kube-scheduler's, or the program's own
    /// Whether it has a member for that point.
    bool has(plugin_point point) const noexcept { return thunks_->has(point); }
    std::vector<event_kind> events() const { return thunks_->events(object_.get()); }  ///< what may change its answer
    /// Whether the event may help the pod that it refused. True if the plugin does not look closer.
    bool may_help(const pod_info& waiting, const cluster_event& event) const {
        return thunks_->may_help == nullptr || thunks_->may_help(object_.get(), waiting, event);
    }
    /// Another number: what its queue_sort says of pods has changed. 0 if the plugin does not say it.
    std::uint64_t queue_version() const {
        return thunks_->queue_version == nullptr ? 0 : thunks_->queue_version(object_.get());
    }

private:
    friend class cycle;
    friend class profile;

    std::shared_ptr<void> object_;
    const detail::plugin_thunks* thunks_;
};

}  // namespace kcontrol::scheduling
