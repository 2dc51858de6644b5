// plugin_point: where a scheduler asks plugins, and what a plugin answered there.
#pragma once

#include <kcontrol/scheduling/status.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::scheduling {

/// kube-scheduler's extension points, in the order in which a pod comes to them.
enum class plugin_point : std::uint8_t {
    pre_enqueue,          ///< may the pod come into the queue
    queue_sort,           ///< which pod is first
    pre_filter,           ///< once for each pod, before its nodes are looked at
    filter,               ///< can this node take the pod
    post_filter,          ///< no node can: what would help
    pre_score,            ///< once for each pod, with the nodes that can take it
    score,                ///< how good is this node
    normalize_score,      ///< brings scores to 0…100
    reserve,              ///< the node is decided
    unreserve,            ///< the placement is given up
    permit,               ///< may the pod be bound now; it may wait
    pre_bind,             ///< what must be done before the binding
    bind,                 ///< the binding
    post_bind,            ///< it is bound
    generate_placements,  ///< before the members of a gang: on which nodes together
};

/// kube-scheduler's word for it, as metrics have it: "PreFilter".
inline std::string_view name_of(plugin_point point) noexcept {
    constexpr std::array<std::string_view, 15> names = {
        "PreEnqueue", "QueueSort", "PreFilter",      "Filter",   "PostFilter",
        "PreScore",   "Score",     "NormalizeScore", "Reserve",  "Unreserve",
        "Permit",     "PreBind",   "Bind",           "PostBind", "PlacementGenerate"};
    return names[static_cast<std::size_t>(point)];
}

/// What the plugins of a point answered together: success, or the answer of the first that spoke against it.
struct plugin_answer {
    status answer;                                  ///< success, or why not
    std::string_view plugin;                        ///< whose answer it is; empty: of all
    plugin_point point = plugin_point::pre_filter;  ///< where

    bool ok() const noexcept { return answer.ok(); }  ///< nothing speaks against it
};

/// Gets to know each call of plugins, for metrics. A call of filter or score is for many nodes.
class plugin_observer {
public:
    virtual ~plugin_observer() = default;
    /// The time in nanoseconds, from any moment on.
    virtual std::int64_t now() noexcept = 0;
    /// A plugin was called and has answered.
    virtual void called(std::string_view plugin, plugin_point point, status_code answer,
                        std::int64_t nanoseconds) noexcept = 0;
};

}  // namespace kcontrol::scheduling
