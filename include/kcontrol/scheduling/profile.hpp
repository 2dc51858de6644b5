// profile: the plugins of one scheduler name, and what their scores weigh.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/scheduling/interned_name.hpp>
#include <kcontrol/scheduling/plugin.hpp>
#include <kcontrol/scheduling/plugin_point.hpp>
#include <kcontrol/scheduling/scheduling_queue.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// How kube-scheduler chooses how many nodes that can take a pod it looks for: all of fewer than 100 nodes, at least
/// 100 nodes, else this part. 0: 50 % less 1 % for each 125 nodes, and at least 5 %.
KCONTROL_DECL std::size_t nodes_to_find(std::size_t nodes, std::int32_t percentage);

/// Plugins are asked in the order in which they were added. A program adds its own to kube-scheduler's in a line:
/// `default_profile("my-scheduler", volumes).add(pack_by_label("rack"), 5)`.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access if the plugins are.
class profile {
public:
    /// Without plugins.
    explicit profile(std::string scheduler_name) : scheduler_name_(std::move(scheduler_name)) {}
    profile(profile&&) noexcept = default;
    profile& operator=(profile&&) noexcept = default;

    /// Adds a plugin. `weight`, from 1 on, is the factor of its scores in the sum. Up to 64 plugins.
    KCONTROL_DECL profile& add(plugin one, std::int64_t weight = 1);
    /// The same with a plugin of any class that has the members.
    template <class P>
    requires(!std::is_same_v<std::remove_cvref_t<P>, plugin>) profile& add(P one, std::int64_t weight = 1) {
        return add(plugin(std::move(one)), weight);
    }
    /// 0 to 100; default 0, which is kube-scheduler's rule. See nodes_to_find().
    profile& percentage_of_nodes_to_score(std::int32_t percentage) { return percentage_ = percentage, *this; }
    /// Labels by which plugins want the nodes: those of spread constraints that pods have by default.
    profile& labels(std::vector<interned_name> keys) { return labels_ = std::move(keys), *this; }

    const std::string& scheduler_name() const noexcept { return scheduler_name_; }  ///< spec.schedulerName of its pods
    std::int32_t percentage_of_nodes_to_score() const noexcept { return percentage_; }
    const std::vector<interned_name>& labels() const noexcept { return labels_; }        ///< for cache::prepare()
    std::size_t size() const noexcept { return plugins_.size(); }                        ///< how many plugins
    const plugin& at(std::size_t i) const noexcept { return plugins_[i].made; }          ///< one of them
    std::int64_t weight_of(std::size_t i) const noexcept { return plugins_[i].weight; }  ///< of its scores
    /// The plugin's set in decisions: what set_number() was given, else bit `i`.
    plugin_set number_of(std::size_t i) const noexcept { return plugins_[i].number; }
    /// The set that the queue has for the plugin.
    void set_number(std::size_t i, plugin_set number) noexcept { plugins_[i].number = number; }

    /// Which plugins keep the pod out of the queue, and the reasons of the first; 0: none. A plugin that throws keeps
    /// it out, too.
    KCONTROL_DECL plugin_set gated_by(const pod_info& pod, plugin_answer* first = nullptr) const;
    /// Whether a plugin has an order of the queue: the last one that was added counts.
    bool has_order() const noexcept { return sorter_ != no_plugin; }
    /// The pod's place in that order; the smaller comes first. An exception of the plugin passes through.
    KCONTROL_DECL queue_rank rank_of(const queued_pod& pod) const;
    /// Changes when that order does; see plugin.
    std::uint64_t queue_version() const { return !has_order() ? 0 : plugins_[sorter_].made.queue_version(); }

    // The way from the decision to the binding. Each stops at the first plugin that speaks against it. Exceptions of
    // plugins become errors. The observer may be null.

    /// Called by cycle::reserve(), or for a placement that was made otherwise. If one refuses, all are unreserved.
    KCONTROL_DECL plugin_answer reserve(placement& of, const node_info& node,
                                        plugin_observer* observer = nullptr) const;
    /// The placement is given up: all plugins, in reverse order.
    KCONTROL_DECL void unreserve(const placement& of, plugin_observer* observer = nullptr) const noexcept;
    /// May it be bound now? A plugin that waits has not answered yet.
    KCONTROL_DECL awaitable<plugin_answer> permit(placement& of, plugin_observer* observer = nullptr) const;
    KCONTROL_DECL awaitable<plugin_answer> pre_bind(
        placement& of, plugin_observer* observer = nullptr) const;  ///< the last step before it
    /// Code skip: no plugin binds the pod; the scheduler does.
    KCONTROL_DECL awaitable<plugin_answer> bind(const placement& of, plugin_observer* observer = nullptr) const;
    KCONTROL_DECL void post_bind(const placement& of,
                                 plugin_observer* observer = nullptr) const noexcept;  ///< it is bound

private:
    friend class cycle;
    static constexpr std::size_t no_plugin = static_cast<std::size_t>(-1);
    struct weighted_plugin {
        plugin made;
        std::int64_t weight;
        plugin_set number;
    };

    template <class Of>
    awaitable<plugin_answer> call_in_turn(awaitable<status> (*detail::plugin_thunks::*member)(void*, void*, Of&),
                                          plugin_point point, status_code goes_on, Of& of,
                                          plugin_observer* observer) const;

    std::string scheduler_name_;
    std::int32_t percentage_ = 0;
    std::vector<interned_name> labels_;
    std::vector<weighted_plugin> plugins_;
    std::size_t sorter_ = no_plugin;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/profile.ipp>
#endif
