// pod_binder: carries out bindings, and writes to pods what a scheduler has decided.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/scheduling/decider.hpp>
#include <kcontrol/scheduling/detail/binding_machine.hpp>
#include <kcontrol/scheduling/detail/profile_decider.hpp>
#include <kcontrol/scheduling/plugin_point.hpp>
#include <kcontrol/scheduling/scheduler_core.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>

namespace kcontrol::inline v0_1::scheduling::detail {

/// How a binding ended, as scheduler_core is told.
struct binding_end {
    binding_outcome outcome = binding_outcome::pending;
    binding_refusal refusal;                         ///< refused
    std::shared_ptr<const api::core::v1::pod> read;  ///< settled: what is known of the pod; null: there is none
    bool is_marked = false;                          ///< the pod has another condition than scheduler_core knows
};

/// What is written of a pod that waits.
class pod_note {
public:
    std::optional<std::pair<std::string, std::string>> refused;  ///< PodScheduled=False: reason and message
    std::optional<std::string> nominated;                        ///< status.nominatedNodeName; empty: none
    bool is_new_version = false;                                 ///< the pod gets another version, whatever it has
};

/// The requests about pods. A binding carries the version of the pod that was decided on. So the server refuses a
/// binding that arrives after its answer was given up, once something was written to the pod.
///
/// Thread-safety: shared objects unsafe; it belongs to the client's executor. Object lifetime: environment and observer
/// outlive it, and it outlives its coroutines.
class pod_binder {
public:
    /// It writes through `cl`. Each of permit, pre_bind and bind of the plugins may take `plugin_deadline`.
    KCONTROL_DECL pod_binder(environment& env, client cl, plugin_observer* observer, duration plugin_deadline,
                             logger log);
    KCONTROL_DECL ~pod_binder();
    pod_binder(const pod_binder&) = delete;
    pod_binder& operator=(const pod_binder&) = delete;

    /// The watch shows a version of a pod, or that it was deleted.
    KCONTROL_DECL void seen(const object_meta& shown, bool is_deleted);

    /// A plugin has written to the pod: the binding is for this version.
    void written(const object_meta& stored) {
        written_.insert_or_assign(stored.uid.str(), stored.resource_version.str());
    }

    /// Binds the pod: permit, pre_bind, bind, post_bind.
    KCONTROL_DECL awaitable<binding_end> bind(decided_pod of, std::stop_token stop);
    /// Writes to the pod's status. Errors: those of client::patch(); conflict (there is another pod of that name).
    KCONTROL_DECL awaitable<result<std::shared_ptr<const api::core::v1::pod>>> write(
        std::shared_ptr<const pod_info> pod, pod_note note, std::stop_token stop);
    /// Evicts the pod by the API, which keeps PodDisruptionBudgets. Success also if it is gone. Errors: those of
    /// client::subresource(); too_many_requests (a budget does not allow it).
    KCONTROL_DECL awaitable<result<void>> evict(std::shared_ptr<const pod_info> pod, std::stop_token stop);

    /// Calls of plugins that have not returned although their deadline is over, or the binding was stopped.
    std::size_t overdue_calls() const noexcept { return *overdue_; }

private:
    struct binding;
    struct watched_calls;
    using awaited_answer = std::function<awaitable<plugin_answer>()>;

    KCONTROL_DECL awaitable<binding_answer> call_plugins(plugin_point point, binding& of, awaited_answer call);
    KCONTROL_DECL awaitable<binding_answer> send(binding& of);
    KCONTROL_DECL awaitable<binding_answer> read(binding& of);
    KCONTROL_DECL awaitable<binding_answer> mark(binding& of);
    KCONTROL_DECL awaitable<binding_answer> step(binding& of, binding_step what);
    KCONTROL_DECL std::string version_of(const object_meta& pod) const;

    environment& env_;
    client client_;
    std::shared_ptr<watched_calls> observer_;  // null: no observer
    duration plugin_deadline_;
    logger log_;
    std::shared_ptr<std::size_t> overdue_ = std::make_shared<std::size_t>(0);
    std::unordered_map<std::string, std::string> written_;  // by uid: the version that was written and not yet shown
};

}  // namespace kcontrol::scheduling::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/pod_binder.ipp>
#endif
