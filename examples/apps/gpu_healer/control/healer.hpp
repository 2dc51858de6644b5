// The reconcilers: of a policy, which opens cases and has the breaker, and of a case, which goes on by decide().
#pragma once

#include <kcontrol/controller/reconcile_context.hpp>
#include <kcontrol/controller/reconcile_result.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/model/label_selector.hpp>
#include <kcontrol/record/event_recorder.hpp>

#include "control/node_writes.hpp"
#include "decide/breaker.hpp"
#include "decide/facts.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gpu_healer {

class healer {
public:
    healer(manager& m, std::shared_ptr<step_runner> steps);

    reconciliation reconcile(reconcile_context ctx, std::shared_ptr<const node_repair> of);
    /// Null: it was deleted.
    reconciliation reconcile(reconcile_context ctx, std::string name, std::shared_ptr<const healing_policy> policy);
    void write_metrics(metrics_writer& out) const;

    /// Cases that a change of this Node, policy or case concerns, and policies that a Node does.
    std::vector<namespaced_name> cases_on(const healed_node& node) const {
        return open_in(by_node_, node.metadata.name);
    }
    std::vector<namespaced_name> cases_of(const healing_policy& policy) const {
        return open_in(by_policy_, policy.metadata.name);
    }
    std::vector<namespaced_name> cases_beside(const node_repair& of) const;
    std::vector<namespaced_name> all_policies() const;

private:
    // A step, or a job of verification, that this process has begun or asks about.
    struct run {
        std::string token;
        bool begun = false;  // or another process may have begun it
        std::optional<step_outcome> outcome;
    };

    std::vector<namespaced_name> open_in(const store_index& index, std::string_view key) const;
    bool counts_in(const node_repair& of, bool (*is)(std::string_view)) const;
    std::set<std::string> tainted_by(const healing_policy& policy) const;
    std::int64_t nodes_of(const healing_policy& policy);
    static std::optional<fault> fault_of(const std::vector<trigger>& triggers, const healed_node& node,
                                         wall_time* since);
    case_facts facts_of(const node_repair& of, const healed_node* node, const healing_policy* policy, wall_time now);
    awaitable<result<decision>> look_at(const reconcile_context& ctx, const node_repair& of,
                                        std::shared_ptr<const healed_node>& node,
                                        std::shared_ptr<const healing_policy> policy);
    awaitable<result<void>> carry_out(const reconcile_context& ctx, const node_repair& of, const decision& made,
                                      std::shared_ptr<const healed_node> node);
    void run_step(const reconcile_context& ctx, const node_repair& of, const decision& made,
                  const healing_policy_spec& policy, const healed_node& node);
    void tell(const node_repair& of, const decision& made, const healed_node* node);
    awaitable<result<void>> open_cases(const reconcile_context& ctx, const healing_policy& policy, breaker_facts& seen,
                                       std::vector<wall_time>& begun);
    awaitable<result<duration>> prune(const reconcile_context& ctx, const healing_policy& policy);

    std::shared_ptr<step_runner> steps_;
    std::shared_ptr<informer<node_repair>> repairs_;
    std::shared_ptr<informer<healing_policy>> policies_;
    std::shared_ptr<informer<healed_node>> nodes_;
    store_index by_node_, by_policy_;  // of cases
    std::shared_ptr<event_recorder> events_;
    metrics_registry* metrics_;
    struct selection {
        std::string uid;
        std::optional<std::int64_t> generation;
        std::int64_t nodes = 0;
    };
    std::map<std::string, selection> selected_;  // by the policy's name
    // Phases that are being written: others count them before the cache has them.
    std::map<std::string, std::string, std::less<>> entering_;
    std::map<std::string, std::shared_ptr<run>, std::less<>> runs_;  // by the UID of the case
    std::shared_ptr<std::set<std::string>> restarted_ = std::make_shared<std::set<std::string>>();
};

/// The kinds that are cached: options of a manager for set_up().
manager_options watched();
/// Adds the controllers and their metrics to a manager. Errors: those of the builder.
result<void> set_up(manager& m, std::shared_ptr<step_runner> steps);

}  // namespace gpu_healer
