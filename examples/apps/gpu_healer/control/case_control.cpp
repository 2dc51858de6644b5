#include <kcontrol/controllerutil/conditions.hpp>
#include <kcontrol/controllerutil/finalizers.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "control/healer.hpp"
#include "decide/phases.hpp"

#include <algorithm>
#include <tuple>

namespace gpu_healer {
namespace {

constexpr std::chrono::hours a_day{24};
constexpr std::chrono::seconds drain_period{5};

bool is_done(const node_repair& of) { return is_true(of.status.conditions, "Complete"); }
std::tuple<timestamp, std::string> age_of(const node_repair& of) {
    return {of.metadata.creation_timestamp, of.metadata.name.str()};
}
double seconds_between(wall_time from, wall_time to) { return std::chrono::duration<double>(to - from).count(); }

}  // namespace

// What is written holds until the next phase is: until then a case counts in both, for the write may fail.
bool healer::counts_in(const node_repair& of, bool (*is)(std::string_view)) const {
    const auto found = entering_.find(of.metadata.name.view());
    return is(of.status.phase) || (found != entering_.end() && is(found->second));
}

std::set<std::string> healer::tainted_by(const healing_policy& policy) const {
    std::set<std::string> out;
    for (const node_repair& each : repairs_->by_index(by_policy_, policy.metadata.name)) {
        const bool rest = has_ended(each.status.phase) && each.status.taint && !is_done(each);
        if (rest || counts_in(each, is_quarantined)) out.insert(each.spec.node);
    }
    return out;
}

// As its last look has counted them; all Nodes are looked at where it has had none since it was edited.
std::int64_t healer::nodes_of(const healing_policy& policy) {
    auto& known = selected_[policy.metadata.name.str()];
    if (known.uid != policy.metadata.uid || known.generation != policy.metadata.generation) {
        known = {policy.metadata.uid.str(), policy.metadata.generation, 0};
        const auto selector = label_selector::of(policy.spec.node_selector);
        for (const auto& each : nodes_->list()) known.nodes += selector && selector->selects(each->metadata) ? 1 : 0;
    }
    return known.nodes;
}

case_facts healer::facts_of(const node_repair& of, const healed_node* node, const healing_policy* policy,
                            wall_time now) {
    case_facts out;
    out.now = now;
    out.deleted = is_being_deleted(of.metadata);
    if (policy != nullptr) out.policy = &policy->spec;
    if (node != nullptr) out.node = view_of(*node, of, out.policy);
    const auto known = runs_.find(of.metadata.uid.view());
    if (known != runs_.end() && known->second->token == of.status.token.view()) out.outcome = known->second->outcome;
    int worked_on = 0;
    for (const node_repair& each : repairs_->by_index(by_policy_, of.spec.policy)) {
        if (each.metadata.uid != of.metadata.uid && counts_in(each, is_worked_on)) ++worked_on;
    }
    const auto rank = [](const node_repair& each, bool quarantined) { return std::tuple(!quarantined, age_of(each)); };
    for (const node_repair& each : repairs_->by_index(by_node_, of.spec.node)) {
        const bool self = each.metadata.uid == of.metadata.uid;
        for (const auto& start : self ? of.status.starts : each.status.starts) {
            if (now - start.value() < a_day) ++out.starts;
        }
        if (self) continue;
        if (has_ended(each.status.phase)) {
            if (each.status.phase == "Released")
                out.released = std::max(out.released.value_or(wall_time()), each.status.phase_time.value());
            continue;
        }
        const bool quarantined = counts_in(each, is_quarantined);
        if (quarantined && each.status.taint == of.status.taint) out.handed_over = true;
        if (has_ended(of.status.phase)) {
            if (!quarantined) out.busy = each.metadata.name;
        } else if ((quarantined || each.spec.policy == of.spec.policy) &&
                   rank(each, quarantined) < rank(of, is_quarantined(of.status.phase))) {
            out.busy = each.metadata.name;
        }
    }
    if (policy == nullptr || node == nullptr) return out;
    const auto selector = label_selector::of(policy->spec.node_selector);
    out.valid = check(policy->spec).empty();
    out.selected = selector && selector->selects(node->metadata);
    out.slot = worked_on < policy->spec.at_once;
    wall_time since{};
    out.opens = fault_of(triggers_of(policy->spec), *node, &since).has_value();
    if (of.status.phase.empty() || of.status.phase == "Suspected" || of.status.phase == "Held")
        out.admitted = admits(*policy, nodes_of(*policy), tainted_by(*policy), of.spec.node);
    return out;
}

// What is decided, on the server's word where a step is to start or pods are to leave.
awaitable<result<decision>> healer::look_at(const reconcile_context& ctx, const node_repair& of,
                                            std::shared_ptr<const healed_node>& node,
                                            std::shared_ptr<const healing_policy> policy) {
    client server = ctx.get_client().live();
    std::optional<int> left;
    if (of.status.phase == "Draining" && policy && policy->spec.drain.mode != "None") {
        const auto pods = co_await pods_on(server, of.spec.node, policy->spec.drain.all_pods, ctx.stop());
        if (!pods) co_return pods.error();
        left = int(pods->size());
        const auto& mode = policy->spec.drain.mode;
        case_facts seen = facts_of(of, node.get(), policy.get(), ctx.env().wall_now());
        seen.pods = left;
        if (decide(of, seen).drains && mode != "WaitForCompletion") {
            const std::string token = of.metadata.uid.str() + "-" + std::to_string(of.status.attempt + 1);
            const auto sent = co_await send_away(server, *pods, mode == "Jobs", token, restarted_, ctx.stop());
            if (!sent) co_return sent.error();
        }
    }
    case_facts seen = facts_of(of, node.get(), policy.get(), ctx.env().wall_now());
    seen.pods = left;
    decision out = decide(of, seen);
    if (out.next.phase == "Repairing" && of.status.phase != "Repairing") {
        get_options how;
        how.stop(ctx.stop());
        auto read = co_await server.get_shared<healed_node>(namespaced_name("", of.spec.node.str()), how);
        if (!read && read.error() != api_errc::not_found) co_return read.error();
        node.reset();
        if (read) node = std::move(*read);
        seen = facts_of(of, node.get(), policy.get(), ctx.env().wall_now());
        seen.pods = left;
        out = decide(of, seen);
    }
    if (out.next.phase != of.status.phase) entering_[of.metadata.name.str()] = out.next.phase.str();
    co_return out;
}

reconciliation healer::reconcile(reconcile_context ctx, std::shared_ptr<const node_repair> of) {
    entering_.erase(of->metadata.name.str());
    const bool ends = has_ended(of->status.phase) || is_being_deleted(of->metadata);
    if (is_done(*of) && !has_finalizer(of->metadata, taint_finalizer)) {
        runs_.erase(of->metadata.uid.str());
        co_return reconcile_result::done();
    }
    client c = ctx.get_client();
    if (!ends && !has_finalizer(of->metadata, taint_finalizer)) {
        const auto kept = co_await ensure_finalizer(c, *of, std::string(taint_finalizer), ctx.stop());
        if (!kept) co_return kept.error();
        co_return reconcile_result::done();  // its event comes
    }
    const auto policy = policies_->get(namespaced_name("", of->spec.policy.str()));
    auto node = nodes_->get(namespaced_name("", of->spec.node.str()));
    const auto made = co_await look_at(ctx, *of, node, policy);
    if (!made) co_return made.error();
    // This process knows that it has not begun what it is about to write.
    if (made->runs_step && made->next.token != of->status.token) {
        auto begun = std::make_shared<run>();
        begun->token = made->next.token;
        runs_[of->metadata.uid.str()] = begun;
    }
    const auto done = co_await carry_out(ctx, *of, *made, node);
    if (!done && done.error() == condition::conflict) co_return reconcile_result::requeue();
    if (!done) co_return done.error();
    if (made->runs_step && policy && node) {
        run_step(ctx, *of, *made, policy->spec, *node);
    } else if (const auto found = runs_.find(of->metadata.uid.view()); found != runs_.end()) {
        ctx.stop_daemon("step-" + found->second->token);
        runs_.erase(found);
    }
    if (made->complete) entering_.erase(of->metadata.name.str());
    duration wait{};
    if (made->wake) wait = std::max<duration>(*made->wake - ctx.env().wall_now(), std::chrono::milliseconds(1));
    if (made->drains) wait = std::min<duration>(wait, drain_period);
    co_return reconcile_result::requeue_after(wait);
}

// The order is what makes a crash in between harmless: the annotation, the status, then the taint and the rest.
awaitable<result<void>> healer::carry_out(const reconcile_context& ctx, const node_repair& of, const decision& made,
                                          std::shared_ptr<const healed_node> node) {
    client c = ctx.get_client();
    const namespaced_name key("", of.spec.node.str());
    if (made.overrides && node) {
        const auto told = co_await annotate(c, resource_of<healed_node>(), key, overridden_annotation,
                                            of.spec.trigger->type.str(), ctx.stop());
        if (!told) co_return told.error();
    }
    node_repair edited = of;
    edited.status = made.next;
    if (edited.status != of.status) {
        write_options how;
        how.subresource("status").field_manager(operator_name).stop(ctx.stop());
        auto written = co_await c.patch(of, edited, how);
        if (!written && written.error() == api_errc::not_found) entering_.erase(of.metadata.name.str());
        if (!written && written.error() == api_errc::not_found) co_return result<void>();
        if (!written) co_return written.error();
        edited = std::move(*written);
        tell(of, made, node.get());
    }
    const bool known = is_true(made.next.conditions, "Quarantined");
    if (made.wants_taint && node && !known) {
        const auto set = co_await set_taint(c, node, *made.next.taint, true, ctx.stop());
        if (!set) co_return set.error();
        if (of.spec.trigger) {
            const auto* seen = find_condition(node->status.conditions, of.spec.trigger->type);
            if (seen != nullptr)
                metrics_
                    ->histogram("gpu_healer_time_to_quarantine_seconds", "From a condition's change to the taint.",
                                {0.1, 0.5, 1, 2, 5, 10, 60, 600})
                    .observe(seconds_between(seen->last_transition_time.value(), ctx.env().wall_now()));
        }
    }
    if (made.drops_taint && node) {
        const auto set = co_await set_taint(c, node, *made.next.taint, false, ctx.stop());
        if (!set) co_return set.error();
    }
    if (made.complete && has_finalizer(of.metadata, taint_finalizer)) {
        node_repair freed = edited;
        remove_finalizer(freed.metadata, taint_finalizer);
        write_options how;
        how.field_manager(operator_name).stop(ctx.stop());
        const auto written = co_await c.patch(edited, freed, how);
        if (!written && written.error() != api_errc::not_found) co_return written.error();
    }
    co_return result<void>();
}

void healer::run_step(const reconcile_context& ctx, const node_repair& of, const decision& made,
                      const healing_policy_spec& policy, const healed_node& node) {
    auto& running = runs_[of.metadata.uid.str()];
    const std::string token = made.next.token;
    if (!running || running->token != token) {
        if (running) ctx.stop_daemon("step-" + running->token);
        running = std::make_shared<run>();
        running->token = token;
        running->begun = true;  // perhaps, by another process
    }
    step_request what;
    if (is_verification(token)) {
        what.step.name = "verify";
        what.step.timeout_seconds = policy.verify.timeout_seconds;
        what.step.job = policy.verify.job;
    } else {
        what.step = *made.step;
    }
    what.node = of.spec.node;
    what.uid = node.metadata.uid;
    if (of.spec.trigger) {
        what.reason = of.spec.trigger->reason;
        const auto* seen = find_condition(node.status.conditions, of.spec.trigger->type);
        if (seen != nullptr) what.gpus = gpus_in(seen->message);
    }
    what.attempt = made.next.attempt;
    what.token = token;
    const auto work = [steps = steps_, on = running, what](daemon_context d) -> awaitable<result<void>> {
        using state = step_outcome::state;
        bool asks = on->begun;
        while (!d.stop().stop_requested()) {
            on->begun = true;
            step_outcome now;
            if (asks) {
                now = co_await steps->ask(what, d.stop());
            } else {
                now = co_await steps->begin(what, d.stop());
            }
            if (d.stop().stop_requested()) break;
            const bool absent = now.is == state::absent;
            if (!absent && now.is != state::running) {
                on->outcome = std::move(now);
                d.reconcile();
                break;
            }
            if (!(absent && asks)) (void)co_await sleep_for(d.env(), now.again, d.stop());
            asks = !absent;
        }
        co_return result<void>();
    };
    ctx.daemon("step-" + token, work);
}

// Events and metrics of what was written.
void healer::tell(const node_repair& of, const decision& made, const healed_node* node) {
    const auto note = [&](const std::string& reason, const std::string& words, bool warning) {
        const auto make = [&] {
            return warning ? event_note::warning(reason, words) : event_note::normal(reason, words);
        };
        events_->record(reference_to(of), make());
        if (node != nullptr) events_->record(reference_to(*node), make());
    };
    const auto& next = made.next;
    const std::string words = next.message.empty() ? of.metadata.name.str() : next.message.str();
    if (!made.event.empty()) note(made.event, words, made.event == "RepairFailed");
    if (next.phase == of.status.phase) return;
    if (next.phase != "Suspected")
        note(next.phase, (next.reason.empty() ? "" : next.reason.str() + ": ") + words,
             next.phase == "NeedsHuman" || next.phase == "Held");
    if (next.phase == "Repairing") note("RepairStarted", words, false);
    if (!of.status.phase.empty())
        metrics_
            ->histogram("gpu_healer_phase_seconds", "Time that cases spend in a phase.",
                        {1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600}, {{"phase", of.status.phase.str()}})
            .observe(seconds_between(of.status.phase_time.value(), next.phase_time.value()));
    if (!has_ended(next.phase)) return;
    const std::string result = next.phase == "Released" ? "Released" : next.reason.str();
    metrics_
        ->counter("gpu_healer_repairs_total", "Cases that have ended, by how.",
                  {{"policy", of.spec.policy.str()}, {"result", result}})
        .increment();
    if (next.phase == "Released")
        metrics_
            ->histogram("gpu_healer_time_to_release_seconds", "From the opening of a case to its release.",
                        {60, 120, 180, 257, 300, 600, 1800, 3600, 7200})
            .observe(seconds_between(of.metadata.creation_timestamp.value(), next.phase_time.value()));
    if (result == "TaintRemoved" || result == "Uncordoned" || result == "Deleted" || result == "HumanHold")
        metrics_->counter("gpu_healer_human_overrides_total", "Cases that a person has ended.").increment();
}

}  // namespace gpu_healer
