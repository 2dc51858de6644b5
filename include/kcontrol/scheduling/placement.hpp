// placement: a pod with the node that was decided for it, and what plugins keep of it until it is bound.
#pragma once

#include <kcontrol/scheduling/detail/plugin_states.hpp>
#include <kcontrol/scheduling/pod_info.hpp>

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::scheduling {

namespace detail {
class pod_binder;
}

/// What reserve, permit, pre_bind, bind and post_bind of a plugin are called with. It lives from the decision until the
/// pod is bound or its placement is given up, longer than the snapshot of the decision.
///
/// Thread-safety: distinct objects safe.
class placement {
public:
    /// A pod that was decided to go to that node.
    placement(std::shared_ptr<const pod_info> pod, std::string node) : pod_(std::move(pod)), node_(std::move(node)) {}

    const pod_info& pod() const noexcept { return *pod_; }                               ///< the version decided on
    const std::shared_ptr<const pod_info>& shared_pod() const noexcept { return pod_; }  ///< to keep it
    const std::string& node() const noexcept { return node_; }                           ///< its name

    /// Adds an annotation to the Binding: the API server writes it into the pod when it is bound. A plugin keeps there
    /// what it has given to the pod, such as the numbers of devices.
    void annotate(std::string key, std::string value) {
        annotations_.insert_or_assign(std::move(key), std::move(value));
    }
    const std::map<std::string, std::string>& annotations() const noexcept { return annotations_; }

    /// Requested when permit, pre_bind or bind is to return: its deadline is over, or the scheduler stops. One that
    /// does not return runs on by itself, and its answer is of no meaning.
    std::stop_token stop() const noexcept { return stop_; }

private:
    friend class cycle;
    friend class profile;
    friend class detail::pod_binder;

    std::shared_ptr<const pod_info> pod_;
    std::string node_;
    std::map<std::string, std::string> annotations_;
    std::stop_token stop_;
    mutable std::string_view awaited_;  // the plugin that permit, pre_bind or bind awaits
    detail::plugin_states states_;      // of plugins that are called until the pod is bound
};

}  // namespace kcontrol::scheduling
