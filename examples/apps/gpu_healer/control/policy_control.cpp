#include <kcontrol/controller/builder.hpp>
#include <kcontrol/controllerutil/conditions.hpp>
#include <kcontrol/controllerutil/status_machine.hpp>

#include "control/healer.hpp"
#include "decide/phases.hpp"

#include <algorithm>

namespace gpu_healer {
namespace {

// FNV-1a: a short name for what a case is about, the same in each process.
std::string digest(std::string_view of) {
    std::uint64_t hash = 14695981039346656037U;
    for (const char c : of) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    std::string out;
    for (int i = 0; i < 10; ++i, hash >>= 4) out += "0123456789abcdef"[hash & 15];
    return out;
}

bool is_done(const node_repair& of) { return is_true(of.status.conditions, "Complete"); }

}  // namespace

healer::healer(manager& m, std::shared_ptr<step_runner> steps)
    : steps_(std::move(steps)),
      repairs_(m.get_informer<node_repair>()),
      policies_(m.get_informer<healing_policy>()),
      nodes_(m.get_informer<healed_node>()),
      by_node_(repairs_->add_index("node", index_by_field(&node_repair::spec, &node_repair_spec::node)).value()),
      by_policy_(repairs_->add_index("policy", index_by_field(&node_repair::spec, &node_repair_spec::policy)).value()),
      events_(m.get_event_recorder("healing.kcontrol.dev/gpu-healer")),
      metrics_(&m.metrics()) {}

// The fault of a node for which there is to be a case.
std::optional<fault> healer::fault_of(const std::vector<trigger>& triggers, const healed_node& node, wall_time* since) {
    if (!annotation_of(node.metadata, hold_annotation).empty() ||
        annotation_of(node.metadata, exempt_annotation) == "true" || node.metadata.deletion_timestamp)
        return std::nullopt;
    const auto overridden = annotation_of(node.metadata, overridden_annotation);
    for (const auto& each : node.status.conditions) {
        if (each.type == overridden || fired(triggers, each.type, each.status, each.reason) == nullptr) continue;
        fault out;
        out.type = each.type;
        out.status = each.status;
        out.reason = each.reason;
        *since = each.last_transition_time.value();
        return out;
    }
    return std::nullopt;
}

// Looks at each node of the selector: opens cases, and forgets overrides of what has become healthy.
awaitable<result<void>> healer::open_cases(const reconcile_context& ctx, const healing_policy& policy,
                                           breaker_facts& seen, std::vector<wall_time>& begun) {
    const auto selector = label_selector::of(policy.spec.node_selector);
    const auto triggers = triggers_of(policy.spec);
    client c = ctx.get_client();
    for (const auto& node : nodes_->list()) {
        if (!selector || !selector->selects(node->metadata)) continue;
        ++seen.nodes;
        if (const auto type = annotation_of(node->metadata, overridden_annotation); !type.empty()) {
            fault of;
            of.type = type;
            const auto known =
                std::ranges::find_if(triggers, [&](const trigger& each) { return each.condition.type == type; });
            if (known != triggers.end()) of.status = known->condition.status;
            const auto wanted = healthy_condition_of(policy.spec, of);
            const auto* now = find_condition(node->status.conditions, wanted->type);
            if (known != triggers.end() && now != nullptr && now->status == wanted->status) {
                const auto forgotten =
                    co_await annotate(c, resource_of<healed_node>(), namespaced_name("", node->metadata.name.str()),
                                      overridden_annotation, "", ctx.stop());
                if (!forgotten) co_return forgotten.error();
            }
        }
        wall_time since{};
        const auto found = fault_of(triggers, *node, &since);
        if (!found) continue;
        seen.ill.insert(node->metadata.name.str());
        begun.push_back(since);
        int before = 0;
        bool open = false;
        for (const node_repair& each : repairs_->by_index(by_node_, node->metadata.name)) {
            const bool ours = each.spec.policy == policy.metadata.name;
            // As it is written: what a person wants is on the Node by then.
            if (has_ended(each.status.phase)) {
                before += ours && each.metadata.creation_timestamp.value() >= since ? 1 : 0;
            } else if (ours || counts_in(each, is_quarantined)) {
                open = true;
            }
        }
        if (open) continue;
        // What ended the last case may have written the Node just now: the cache is late, the server is not.
        get_options reading;
        reading.stop(ctx.stop());
        client server = c.live();
        const namespaced_name key("", node->metadata.name.str());
        const auto fresh = co_await server.get_shared<healed_node>(key, reading);
        if (!fresh && fresh.error() != api_errc::not_found) co_return fresh.error();
        if (!fresh || (*fresh)->metadata.uid != node->metadata.uid || fault_of(triggers, **fresh, &since) != found)
            continue;  // its event comes
        node_repair made;
        made.metadata.name = node->metadata.name.str().substr(0, 200) + "-" +
                             digest(policy.metadata.name.str() + "/" + node->metadata.uid.str() + "/" +
                                    found->type.str() + "/" + timestamp(since).str() + "/" + std::to_string(before));
        made.metadata.finalizers.push_back(text(taint_finalizer));
        made.spec.node = node->metadata.name;
        made.spec.node_uid = node->metadata.uid;
        made.spec.policy = policy.metadata.name;
        made.spec.repair = fired(triggers, found->type, found->status, found->reason)->repair;
        made.spec.trigger = found;
        write_options how;
        how.field_manager(operator_name).stop(ctx.stop());
        const auto created = co_await c.create(made, how);
        if (!created && created.error() != api_errc::already_exists) co_return created.error();
    }
    selected_[policy.metadata.name.str()] = {policy.metadata.uid.str(), policy.metadata.generation, seen.nodes};
    co_return result<void>();
}

// Deletes what is older than historySeconds; until when the next one is.
awaitable<result<duration>> healer::prune(const reconcile_context& ctx, const healing_policy& policy) {
    duration wait{};
    client c = ctx.get_client();
    const auto cases = repairs_->by_index(by_policy_, policy.metadata.name);
    for (const node_repair& each : cases) {
        if (!has_ended(each.status.phase) || !is_done(each)) continue;
        const duration left =
            each.status.phase_time.value() + std::chrono::seconds(policy.spec.history_seconds) - ctx.env().wall_now();
        if (left > duration::zero()) {
            wait = wait == duration::zero() ? left : std::min(wait, left);
            continue;
        }
        delete_options how;
        how.stop(ctx.stop());
        const auto gone = co_await c.delete_<node_repair>(namespaced_name("", each.metadata.name.str()), how);
        if (!gone && gone.error() != api_errc::not_found) co_return gone.error();
    }
    co_return wait;
}

reconciliation healer::reconcile(reconcile_context ctx, std::string name,
                                 std::shared_ptr<const healing_policy> policy) {
    if (policy == nullptr) {
        selected_.erase(name);
        co_return reconcile_result::done();
    }
    const std::string bad = check(policy->spec);
    breaker_facts seen;
    std::vector<wall_time> begun;
    if (bad.empty()) {
        const auto opened = co_await open_cases(ctx, *policy, seen, begun);
        if (!opened) co_return opened.error();
    }
    seen.now = ctx.env().wall_now();
    seen.tainted = tainted_by(*policy);
    seen.reset = annotation_of(policy->metadata, reset_annotation);
    std::vector<std::pair<timestamp, std::string>> held;  // as it is written: an Event names them
    for (const node_repair& each : repairs_->by_index(by_policy_, policy->metadata.name)) {
        if (each.status.phase == "Held" && !seen.tainted.contains(each.spec.node.str()))
            held.emplace_back(each.metadata.creation_timestamp, each.spec.node.str());
    }
    std::ranges::sort(held);
    for (auto& each : held) seen.held.push_back(std::move(each.second));
    breaker_decision made = decide_breaker(*policy, seen);
    auto& next = made.next;
    const auto put = [&](const char* type, bool holds, const char* reason, std::string_view words) {
        set_condition(next.conditions, condition_for(*policy, type, holds, reason, words), seen.now);
    };
    put("Ready", bad.empty(), bad.empty() ? "Serves" : "InvalidSpec", bad);
    const bool was_open = is_true(policy->status.conditions, "BreakerOpen");
    const bool open = made.opened || (was_open && !made.closed);
    const auto limit = std::to_string(breaker_limit(policy->spec.breaker, seen.nodes));
    put("BreakerOpen", open, open ? "TooManyNodes" : "Closed", open ? "at most " + limit + " nodes are tainted" : "");
    std::optional<wall_time> last;
    if (next.common_time.present()) last = next.common_time.value();
    const auto common = common_cause(std::move(begun), last);
    if (common) next.common_time = *common;
    if (next != policy->status) {
        healing_policy edited = *policy;
        edited.status = next;
        write_options how;
        how.subresource("status").field_manager(operator_name).stop(ctx.stop());
        client c = ctx.get_client();
        const auto written = co_await c.patch(*policy, edited, how);
        if (!written && written.error() == condition::conflict) co_return reconcile_result::requeue();
        if (!written && written.error() == api_errc::not_found) co_return reconcile_result::done();
        if (!written) co_return written.error();
        std::string names;
        for (const auto& node : seen.held) names += (names.empty() ? "" : ", ") + node;
        if (made.opened)
            events_->record(reference_to(*policy),
                            event_note::warning("BreakerOpened", "at most " + limit + " nodes are tainted; held: " +
                                                                     names.substr(0, 800)));
        if (made.closed)
            events_->record(reference_to(*policy),
                            event_note::normal("BreakerClosed", "ill nodes are within " + limit));
        if (common)
            events_->record(reference_to(*policy),
                            event_note::warning("CommonCause", "three nodes or more fell ill within 10 s"));
    }
    if (made.forgets_reset) {
        const auto gone =
            co_await annotate(ctx.get_client(), resource_of<healing_policy>(),
                              namespaced_name("", policy->metadata.name.str()), reset_annotation, "", ctx.stop());
        if (!gone) co_return gone.error();
    }
    const auto wait = co_await prune(ctx, *policy);
    if (!wait) co_return wait.error();
    duration after = *wait;
    if (made.wake) {
        const duration until = std::max<duration>(*made.wake - ctx.env().wall_now(), std::chrono::milliseconds(1));
        after = after == duration::zero() ? until : std::min(after, until);
    }
    co_return reconcile_result::requeue_after(after);
}

std::vector<namespaced_name> healer::open_in(const store_index& index, std::string_view key) const {
    std::vector<namespaced_name> out;
    for (const node_repair& each : repairs_->by_index(index, key)) {
        if (!is_done(each)) out.push_back(key_of(each.metadata));
    }
    return out;
}
// Those that wait for another one of the policy or of the node.
std::vector<namespaced_name> healer::cases_beside(const node_repair& of) const {
    std::vector<namespaced_name> out;
    const auto add = [&](const node_repair& each) {
        const auto phase = each.status.phase.view();
        const bool waits = phase == "Suspected" || phase == "Held" || phase == "Quarantined" || has_ended(phase);
        if (waits && !is_done(each) && each.metadata.uid != of.metadata.uid) out.push_back(key_of(each.metadata));
    };
    for (const node_repair& each : repairs_->by_index(by_policy_, of.spec.policy)) add(each);
    for (const node_repair& each : repairs_->by_index(by_node_, of.spec.node)) add(each);
    return out;
}
std::vector<namespaced_name> healer::all_policies() const {
    std::vector<namespaced_name> out;
    for (const auto& each : policies_->list()) out.push_back(key_of(each->metadata));
    return out;
}

void healer::write_metrics(metrics_writer& out) const {
    write_phases(out, "gpu_healer_nodes", "Cases by phase.", phases, repairs_->list());
    for (const auto& each : policies_->list()) {
        out.gauge("gpu_healer_breaker_open", "Whether further nodes are held.", {{"policy", each->metadata.name.str()}},
                  is_true(each->status.conditions, "BreakerOpen") ? 1 : 0);
    }
}

manager_options watched() { return manager_options(); }

result<void> set_up(manager& m, std::shared_ptr<step_runner> steps) {
    const auto all = std::make_shared<healer>(m, std::move(steps));
    const auto node_changed = [](const event<healed_node>& e) {
        return !e.old_object || !e.new_object || changes_matter(*e.old_object, *e.new_object);
    };
    const auto phase_changed = [](const event<node_repair>& e) {
        return !e.old_object || !e.new_object || e.old_object->status.phase != e.new_object->status.phase ||
               is_done(*e.old_object) != is_done(*e.new_object);
    };
    const auto policy_changed = [](const event<healing_policy>& e) {
        if (!e.old_object || !e.new_object) return true;
        const auto& a = *e.old_object;
        const auto& b = *e.new_object;
        return a.metadata.generation != b.metadata.generation || a.metadata.annotations != b.metadata.annotations ||
               a.status.conditions != b.status.conditions || a.status.admitted != b.status.admitted;
    };
    controller_options options;
    options.max_concurrent_reconciles(64).read_own_writes(std::chrono::seconds(5));
    const auto on_case = [all](reconcile_context ctx, std::shared_ptr<const node_repair> of) {
        return all->reconcile(std::move(ctx), std::move(of));
    };
    auto made =
        controller_builder(m, "noderepair")
            .for_<node_repair>()
            .watches<healed_node>([all](const healed_node& n) { return all->cases_on(n); }, node_changed)
            .watches<healing_policy>([all](const healing_policy& p) { return all->cases_of(p); }, policy_changed)
            .watches<node_repair>([all](const node_repair& of) { return all->cases_beside(of); }, phase_changed)
            .with_options(options)
            .complete(on_case);
    if (!made) return made.error();
    const auto on_policy = [all](reconcile_context ctx, const request& of,
                                 std::shared_ptr<const healing_policy> policy) {
        return all->reconcile(std::move(ctx), of.name, std::move(policy));
    };
    made = controller_builder(m, "healingpolicy")
               .for_<healing_policy>(policy_changed)
               .watches<healed_node>([all](const healed_node&) { return all->all_policies(); }, node_changed)
               .watches<node_repair>(
                   [](const node_repair& of) {
                       return std::vector<namespaced_name>{namespaced_name("", of.spec.policy.str())};
                   },
                   phase_changed)
               .with_options(options)
               .complete(on_policy);
    if (!made) return made.error();
    // Not held there: the controllers hold metrics.
    m.metrics().collect([weak = std::weak_ptr(all)](metrics_writer& out) {
        if (const auto known = weak.lock()) known->write_metrics(out);
    });
    return {};
}

}  // namespace gpu_healer
