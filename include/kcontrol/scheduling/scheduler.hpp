// scheduler: a Kubernetes scheduler as a part of a manager.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/scheduling/claim_catalog.hpp>
#include <kcontrol/scheduling/decision.hpp>
#include <kcontrol/scheduling/plugin_registry.hpp>
#include <kcontrol/scheduling/preemption.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// Settings of a scheduler.
class scheduler_options {
public:
    /// Adds plugins to kube-scheduler's, or replaces some.
    using plugins_function = std::function<void(plugin_registry& to)>;

    /// It schedules the pods whose spec.schedulerName is `scheduler_name`, with all plugins.
    explicit scheduler_options(std::string scheduler_name) : scheduler_name_(std::move(scheduler_name)) {}

    /// The same as the constructor's.
    scheduler_options& scheduler_name(std::string name) { return scheduler_name_ = std::move(name), *this; }
    /// The profiles are those of this file (configuration.hpp), which is read again when it changes. What is wrong in
    /// it then is logged, and the profiles stay. Default: one profile, of the scheduler name.
    scheduler_options& configuration_file(std::string path) { return configuration_file_ = std::move(path), *this; }
    /// Called before profiles are made. Default: kube-scheduler's plugins alone.
    scheduler_options& plugins(plugins_function f) { return plugins_ = std::move(f), *this; }
    /// Without a configuration file: how many nodes are looked at, see profile::percentage_of_nodes_to_score().
    scheduler_options& percentage_of_nodes_to_score(std::int32_t percentage) { return percentage_ = percentage, *this; }
    /// Whom a pod may take the place of. Default: pods of lower priority, see preemption_policy::may_evict().
    scheduler_options& may_evict(preemption_policy::victim_function f) { return may_evict_ = std::move(f), *this; }
    /// The places that evictions make are kept from all pods: see preemption_policy::keeps_from_all().
    scheduler_options& keeps_places_from_all(bool yes) { return keeps_places_from_all_ = yes, *this; }
    /// Called once the API server has accepted an eviction. `preemptor`: for whom; null: the pod's gang was incomplete
    /// for too long.
    using evicted_function = std::function<void(const pod_info& pod, const pod_info* preemptor)>;
    scheduler_options& evicted(evicted_function f) { return evicted_ = std::move(f), *this; }
    /// Reads further keys of the configuration file, of which `profiles` may be absent then: there is one profile of
    /// the scheduler name. `read` is called with the whole file each time that the profiles are made of it, and keeps
    /// what it reads. Errors of `read` are those of the file, by configuration_part.
    using read_function = std::function<result<void>(const configuration_part& file)>;
    scheduler_options& further_keys(std::vector<std::string> keys, read_function read) {
        return further_keys_ = std::move(keys), read_ = std::move(read), *this;
    }
    /// Adds DynamicResources (dynamic_resources.hpp), which decides on the catalog: pods with ResourceClaims are
    /// scheduled, and allocation and reservation are written before the binding. The catalog is kept up to date while
    /// the scheduler schedules; the program may read it. Where the API server lacks resource.k8s.io/v1, pods with
    /// claims wait. Null, the default: claims are ignored.
    scheduler_options& claims(std::shared_ptr<claim_catalog> known) { return claims_ = std::move(known), *this; }
    /// How long the plugins may take at permit, at pre_bind, and at bind. The pod is tried again then. Default: 10 min.
    scheduler_options& plugin_deadline(duration d) { return plugin_deadline_ = d, *this; }

    /// Decisions wait while so many bindings are on their way. Those that take longer than a second do not count, so
    /// that a webhook or a plugin that hangs holds up no other pod. Default: 256.
    scheduler_options& max_concurrent_bindings(std::size_t n) { return max_concurrent_bindings_ = n, *this; }

    const std::string& scheduler_name() const noexcept { return scheduler_name_; }
    const std::string& configuration_file() const noexcept { return configuration_file_; }  ///< empty: none
    const plugins_function& plugins() const noexcept { return plugins_; }
    std::int32_t percentage_of_nodes_to_score() const noexcept { return percentage_; }
    const preemption_policy::victim_function& may_evict() const noexcept { return may_evict_; }
    bool keeps_places_from_all() const noexcept { return keeps_places_from_all_; }
    const evicted_function& evicted() const noexcept { return evicted_; }
    const std::vector<std::string>& further_keys() const noexcept { return further_keys_; }
    const read_function& read_further_keys() const noexcept { return read_; }
    const std::shared_ptr<claim_catalog>& claims() const noexcept { return claims_; }
    duration plugin_deadline() const noexcept { return plugin_deadline_; }
    std::size_t max_concurrent_bindings() const noexcept { return max_concurrent_bindings_; }

private:
    std::string scheduler_name_;
    std::string configuration_file_;
    plugins_function plugins_;
    std::int32_t percentage_ = 0;
    preemption_policy::victim_function may_evict_;
    bool keeps_places_from_all_ = false;
    evicted_function evicted_;
    std::vector<std::string> further_keys_;
    read_function read_;
    std::shared_ptr<claim_catalog> claims_;
    duration plugin_deadline_ = std::chrono::minutes(10);
    std::size_t max_concurrent_bindings_ = 256;
};

namespace detail {

/// The profiles of a program, read anew: for a look at its configuration before there is a cluster. The plugins of the
/// profiles are of no use. Errors: those of scheduler::add_to().
KCONTROL_DECL result<std::vector<profile>> read_profiles(environment& env, const scheduler_options& how);

}  // namespace detail

/// Schedules pods while the manager runs and leads. It keeps the conditions of pods that wait, writes Events, and adds
/// kube-scheduler's metrics to the manager's. With manager_options::trace() there is a span for each round and for each
/// binding. What it knows is rebuilt from the API each time that it begins to lead.
///
/// Thread-safety: shared objects unsafe; it belongs to the manager's executor. Object lifetime: the manager outlives
/// its use.
class scheduler {
public:
    /// Adds a scheduler to the manager, in its group `leading`. Errors: invalid_config (the configuration file, with
    /// its line), file_failed, invalid_argument (the manager watches some namespaces only), those of manager::add().
    static KCONTROL_DECL result<std::shared_ptr<scheduler>> add_to(manager& m, scheduler_options options);

    /// Why a pod waits, or where it would go now: for each node the plugin that refuses it, or its scores. Errors:
    /// unavailable (it does not schedule now), not_found, invalid_argument (no profile has the pod's scheduler name).
    KCONTROL_DECL result<explanation> explain(const namespaced_name& pod) const;
    /// What would have to go so that the pod fits now, by that policy; nothing is evicted. Errors: those of explain().
    KCONTROL_DECL result<preemption_plan> what_must_go(const namespaced_name& pod,
                                                       const preemption_policy& policy) const;
    /// Whether pods of that schedulerName are its own. False: also while it does not schedule.
    KCONTROL_DECL bool schedules(const api::core::v1::pod& pod) const;
    /// Calls `look` with the nodes and pods as it sees them, assumed ones included. False: it does not schedule now.
    KCONTROL_DECL bool look_at(const std::function<void(const snapshot&)>& look) const;
    /// Tells of an object that only the program watches: pods whose plugins named such events are tried again.
    KCONTROL_DECL void notify(const cluster_event& what) const;

private:
    struct impl;
    struct term;
    explicit scheduler(std::shared_ptr<impl> i) : impl_(std::move(i)) {}

    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/scheduler.ipp>
#endif
