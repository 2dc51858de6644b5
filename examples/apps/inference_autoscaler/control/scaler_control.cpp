#include "control/scaler_control.hpp"

#include <kcontrol/client/subresource.hpp>
#include <kcontrol/controllerutil/conditions.hpp>
#include <kcontrol/values/rfc3339.hpp>

#include "api/validation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace inference_autoscaler {
namespace {

constexpr const char* cost_annotation = "controller.kubernetes.io/pod-deletion-cost";
constexpr const char* look_timer = "look";
constexpr const char* target_field = "spec.scaleTargetRef.name";  // lists by it are answered by an index of that name
constexpr std::size_t most_labels = 8;                            // that pods are found by without a look at each

text woken_by(const inference_scaler& scaler) {
    const text* said = scaler.metadata.annotations.get(wake_annotation);
    return said == nullptr ? text() : *said;
}
// The status is written before the replicas: whether the latter was yet to come when it failed, or the program ended.
bool is_unfinished_wake(const inference_scaler_status& status) {
    return status.replicas == 0 && status.wanted > 0 && status.last_scale && status.last_scale->to > 0 &&
           status.last_scale->rule == to_string(verdict::wake);
}
timestamp in_seconds(wall_time at) { return timestamp(std::chrono::floor<std::chrono::seconds>(at)); }

// The status of a decision besides what it remembers. `looked`: not for a wake between two looks.
void put_conditions(const inference_scaler& scaler, const target_pods& pods, const decision& made, const facts& seen,
                    bool looked, wall_time now, inference_scaler_status& into) {
    const auto put = [&](const char* type, bool holds, std::string_view reason, std::string_view message) {
        set_condition(into.conditions, condition_for(scaler, type, holds, reason, message), now);
    };
    const auto lacks_gate = [](const auto& pod) { return !has_gate(*pod); };
    if (scaler.spec.warm_up && std::ranges::any_of(pods, lacks_gate))
        put("Ready", false, "NoReadinessGate",
            "pods need readinessGates: [{conditionType: " + std::string(warm_condition) + "}] for spec.warmUp");
    else
        put("Ready", true, "Working", "");
    put("Conflict", false, "None", "");
    if (made.kind == verdict::off)
        put("Scaling", false, "TurnedOff", made.sentence);
    else
        put("Scaling", !scaler.spec.dry_run, scaler.spec.dry_run ? "DryRun" : "Active", "");
    if (made.limit.empty())
        put("Limited", false, "WithinLimits", "");
    else if (made.limit == "AtMaximum")
        put("Limited", true, made.limit, "maxReplicas is " + std::to_string(scaler.spec.max_replicas));
    else
        put("Limited", true, made.limit,
            seen.words.empty() ? "replicas found no node, and are asked for again later" : seen.words);
    if (!looked) return;
    if (made.lost.empty()) return put("MetricsKnown", true, "Known", "");
    const auto& [rule, why] = made.lost[0];
    std::string message = rule + (why.words.empty() ? "" : ": " + why.words);
    // A server's words may have a time in them; the first ones stay, or each look would be a write.
    const auto* before = find_condition(into.conditions, "MetricsKnown");
    if (before != nullptr && before->reason == to_string(why.reason) && before->message.view().starts_with(rule + ":"))
        message = before->message;
    put("MetricsKnown", false, to_string(why.reason), message);
}

decision_status decision_of(const decision& made, wall_time now) {
    decision_status out;
    out.rule = made.rule;
    out.value = made.value;
    out.threshold = made.threshold;
    out.since = in_seconds(now);
    out.sentence = made.sentence;
    return out;
}

// Where no rule decides, with the value of the one that decided last, or else of the first that is known.
decision_status shown_decision(const decision& made, const decision_status& last,
                               const std::vector<scaling_rule>& rules,
                               const std::vector<std::optional<double>>& values) {
    decision_status out = decision_of(made, wall_time());
    out.since = last.since;
    if (!made.rule.empty()) return out;
    out.rule = last.rule;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!values[i] || !(out.rule.empty() || out.rule == rules[i].name)) continue;
        out.rule = rules[i].name;
        out.value = values[i];
        out.threshold = rules[i].threshold;
        break;
    }
    return out;
}

}  // namespace

scaler_control::scaler_control(manager& m, look_function ask, look_observer told, places_function places)
    : ask_(std::move(ask)),
      told_(std::move(told)),
      places_(std::move(places)),
      scalers_(m.get_informer<inference_scaler>()),
      pods_(m.get_informer<target_pod>()),
      by_target_(scalers_
                     ->add_index("target", index_by_field(&inference_scaler::spec, &inference_scaler_spec::target,
                                                          &scale_target::name))
                     .value()),
      other_by_target_(
          m.get_informer<horizontal_autoscaler>()
              ->add_index(target_field, index_by_field(&horizontal_autoscaler::spec,
                                                       &other_scaler_spec::scale_target_ref, &scale_target::name))
              .value()),
      gone_(scalers_->subscribe([this](const any_event& happened) {
          if (happened.type == event_type::deleted) known_.erase(happened.object().key());
      })),
      events_(m.get_event_recorder("autoscaling.kcontrol.dev/inference-autoscaler")),
      metrics_(&m.metrics()),
      wake_seconds_(m.metrics().histogram("inference_autoscaler_wake_seconds",
                                          "From a request for a replica until it was asked for.",
                                          {0.01, 0.05, 0.1, 0.2, 0.5, 1, 5, 15})) {}

void scaler_control::record(const inference_scaler& scaler, bool warning, const std::string& reason,
                            const std::string& words) {
    events_->record(reference_to(scaler),
                    warning ? event_note::warning(reason, words) : event_note::normal(reason, words));
}

// What was remembered of another spec, or of another object of that name, is not of this one.
scaler_control::shared_entry scaler_control::entry_of(const reconcile_context& ctx, const inference_scaler& scaler) {
    shared_entry& found = known_[key_of(scaler.metadata)];
    const std::int64_t generation = scaler.metadata.generation.value_or(0);
    if (found && found->generation == generation && found->uid == scaler.metadata.uid) return found;
    ctx.stop_daemon(look_timer);
    found = std::make_shared<entry>();
    found->uid = scaler.metadata.uid;
    found->generation = generation;
    found->rules = rules_of(scaler.spec);
    return found;
}

void scaler_control::look_now_and_then(const reconcile_context& ctx, const inference_scaler& scaler,
                                       const shared_entry& of) {
    const auto look_once = [this, scaler, of,
                            c = ctx.get_client().traced({})](daemon_context d) -> awaitable<result<void>> {
        list_options which;
        which.in_namespace(scaler.metadata.namespace_).label_selector(of->selector).stop(d.stop());
        client server = c;
        const auto pods = co_await server.list<target_pod>(which);
        if (!pods) co_return pods.error();
        target_pods ready;
        std::ranges::copy_if(*pods, std::back_inserter(ready), [](const auto& pod) { return is_ready(*pod); });
        auto seen = co_await ask_(scaler, of->rules, ready, d.stop());
        if (d.stop().stop_requested()) co_return result<void>();
        of->fresh = std::move(seen);
        d.reconcile();
        co_return result<void>();
    };
    ctx.timer(look_timer, std::chrono::seconds(scaler.spec.poll_seconds), look_once);
}

void scaler_control::index_pods(const std::string& selector) {
    const auto read = label_selector::parse(selector);
    for (const auto& each : read ? read->requirements() : std::vector<label_requirement>()) {
        if (each.op != label_operator::equals || by_label_.size() >= most_labels || by_label_.contains(each.key))
            continue;
        auto made = pods_->add_index("label " + each.key, index_by_label(each.key));
        if (made) by_label_[each.key] = std::move(*made);
    }
}

reconciliation scaler_control::reconcile(reconcile_context ctx, inference_scaler scaler) {
    const auto of = entry_of(ctx, scaler);
    auto why = co_await find_obstacle(ctx, scaler, of);
    if (!why) co_return why.error();
    if (why->condition != nullptr) {
        const auto told = co_await rest(ctx, scaler, of, std::move(*why));
        if (!told) co_return told.error();
        co_return reconcile_result::requeue_after(std::chrono::seconds(scaler.spec.poll_seconds));
    }
    if (of->selector != of->target.now.status.selector.view()) {
        of->selector = of->target.now.status.selector;
        index_pods(of->selector);
        ctx.stop_daemon(look_timer);
    }
    look_now_and_then(ctx, scaler, of);
    const auto done = co_await decide_now(ctx, scaler, of);
    if (!done && done.error() == condition::conflict) co_return reconcile_result::requeue();
    if (!done) co_return done.error();
    co_return reconcile_result::done();
}

awaitable<result<scaler_control::obstacle>> scaler_control::find_obstacle(const reconcile_context& ctx,
                                                                          const inference_scaler& scaler,
                                                                          shared_entry of) {
    obstacle out;
    const auto is = [&out](const char* condition, bool holds, std::string reason, std::string sentence) {
        out.condition = condition;
        out.holds = holds;
        out.reason = std::move(reason);
        out.sentence = std::move(sentence);
        return out;
    };
    if (auto bad = check(scaler.spec); !bad.empty()) co_return is("Ready", false, "InvalidSpec", std::move(bad));
    if (scaler.spec.paused) co_return is("Scaling", false, "Paused", "spec.paused is true");
    const auto other = co_await other_of(ctx, scaler);
    if (!other) co_return other.error();
    if (!other->empty()) {
        co_return is("Conflict", true, "OtherAutoscaler",
                     *other + " scales " + words_of(scaler.spec.target) + ": remove one of the two");
    }
    const namespaced_name key(scaler.metadata.namespace_, scaler.spec.target.name);
    of->is_kept = scales_.is_current(ctx.get_cluster(), key, of->target);
    if (of->is_kept) co_return out;
    const auto read = co_await read_target(ctx, scaler, of);
    if (!read) co_return read.error();
    if (!of->target.reason.empty()) co_return is("Ready", false, of->target.reason, of->target.sentence);
    co_return out;
}

awaitable<result<void>> scaler_control::read_target(const reconcile_context& ctx, const inference_scaler& scaler,
                                                    shared_entry of) {
    of->target = found_target();
    of->is_kept = false;
    client c = ctx.get_client();
    auto found = co_await scales_.read(c, scaler.metadata.namespace_, scaler.spec.target, ctx.stop());
    if (!found) co_return found.error();
    of->target = std::move(*found);
    co_return result<void>();
}

// Autoscalers of the same target by another name: of two of ours the older one works.
awaitable<result<std::string>> scaler_control::other_of(const reconcile_context& ctx, const inference_scaler& scaler) {
    const scale_target& target = scaler.spec.target;
    const auto age = [](const object_meta& m) { return std::tuple(m.creation_timestamp, m.name.str()); };
    for (const inference_scaler& each : scalers_->by_index(by_target_, target.name.view())) {
        if (each.metadata.namespace_ == scaler.metadata.namespace_ && is_same(each.spec.target, target) &&
            each.metadata.uid != scaler.metadata.uid && age(each.metadata) < age(scaler.metadata))
            co_return "InferenceScaler " + each.metadata.name.str();
    }
    list_options which;
    which.in_namespace(scaler.metadata.namespace_).stop(ctx.stop());
    list_options named = which;
    named.field_selector(target_field + ("=" + target.name.str()));
    client c = ctx.get_client();
    const auto horizontal = co_await c.list<horizontal_autoscaler>(named);
    if (!horizontal) co_return horizontal.error();
    for (const auto& each : *horizontal) {
        if (is_same(each->spec.scale_target_ref, target))
            co_return "HorizontalPodAutoscaler " + each->metadata.name.str();
    }
    scaled_objects& scaled = scaled_[scaler.metadata.namespace_];
    if (scaled.asked == time_point() || ctx.env().now() - scaled.asked >= std::chrono::minutes(1)) {
        client server = c.live();
        auto found = co_await server.list<scaled_object>(which);
        if (!found && found.error() != api_errc::not_found) co_return found.error();
        scaled.asked = ctx.env().now();
        scaled.found.clear();
        if (found) scaled.found.assign(found->begin(), found->end());
    }
    for (const auto& each : scaled.found) {
        scale_target ref = each->spec.scale_target_ref;
        if (ref.kind.empty()) ref.kind = "Deployment";  // KEDA's default
        if (is_same(ref, target)) co_return "ScaledObject " + each->metadata.name.str();
    }
    co_return std::string();
}

// No look, one condition, and what was remembered is of a time before; an Event tells a new conflict.
awaitable<result<void>> scaler_control::rest(const reconcile_context& ctx, const inference_scaler& scaler,
                                             shared_entry of, obstacle why) {
    ctx.stop_daemon(look_timer);
    of->fresh.reset();
    of->remembered.reset();
    of->told.reset();
    inference_scaler_status next = scaler.status;
    const auto* before = find_condition(next.conditions, why.condition);
    const bool is_new = before == nullptr || (before->status == "True") != why.holds;
    set_condition(next.conditions, condition_for(scaler, why.condition, why.holds, why.reason, why.sentence),
                  ctx.env().wall_now());
    const auto written = co_await write_status(ctx, scaler, std::move(next));
    if (!written) co_return written.error();
    if (is_new && why.reason == "OtherAutoscaler") record(scaler, true, "Conflict", why.sentence);
    co_return result<void>();
}

awaitable<result<void>> scaler_control::write_status(const reconcile_context& ctx, const inference_scaler& scaler,
                                                     inference_scaler_status status) {
    if (status == scaler.status) co_return result<void>();
    inference_scaler edited = scaler;
    edited.status = std::move(status);
    write_options how;
    how.subresource("status").field_manager(operator_name).stop(ctx.stop());
    client c = ctx.get_client();
    const auto written = co_await c.patch(scaler, edited, how);
    if (!written) co_return written.error();
    co_return result<void>();
}

// A pod with fewer requests goes first: ReplicaSets take the lowest cost.
awaitable<result<void>> scaler_control::lower_costs(const reconcile_context& ctx, const target_pods& pods,
                                                    const look& values) {
    client c = ctx.get_client();
    for (const auto& pod : pods) {
        const auto busy = values.in_flight.find(pod->metadata.name.str());
        if (busy == values.in_flight.end() || !std::isfinite(busy->second)) continue;
        target_pod edited = *pod;
        const double most = 2147483647;
        edited.metadata.annotations[cost_annotation] =
            std::to_string(static_cast<std::int64_t>(std::clamp(std::round(busy->second), 0.0, most)));
        write_options how;
        how.field_manager(operator_name).stop(ctx.stop());
        const auto written = co_await c.patch(*pod, edited, how);
        const bool gone =
            !written && (written.error() == api_errc::not_found || written.error() == condition::conflict);
        if (!written && !gone) co_return written.error();
    }
    co_return result<void>();
}

awaitable<result<void>> scaler_control::write_replicas(const reconcile_context& ctx, const inference_scaler& scaler,
                                                       shared_entry of, std::int32_t replicas) {
    const found_target target = std::exchange(of->target, {});  // what it is then is read again
    scale edited = target.now;
    edited.spec.replicas = replicas;
    write_options how;
    how.field_manager(operator_name).stop(ctx.stop());
    client c = ctx.get_client();
    auto scales = c.subresource(*target.kind, "scale");
    const namespaced_name key(scaler.metadata.namespace_, scaler.spec.target.name);
    const auto set = co_await scales.update<scale>(key, edited, how);
    if (!set) co_return set.error();
    co_return result<void>();
}

// More than the scheduler has places for is not asked for: then it is decided as if there were so many at most.
awaitable<result<decision>> scaler_control::decide_within_places(const reconcile_context& ctx,
                                                                 const inference_scaler& scaler, shared_entry of,
                                                                 facts& seen, std::shared_ptr<const target_pod> like) {
    decision made = decide(scaler.spec, of->rules, *of->remembered, seen);
    const std::int32_t more = made.wanted - seen.replicas;
    const bool asks = made.kind == verdict::up || made.kind == verdict::on_missing;
    const auto& capacity = scaler.spec.capacity;
    if (!asks || !places_ || !like || !capacity || capacity->scheduler.empty()) co_return made;
    const auto places = co_await places_(scaler, std::move(like), more, ctx.stop());
    if (ctx.stop().stop_requested()) co_return error(errc::stopped);
    if (!places || *places >= more) co_return made;
    inference_scaler_spec bounded = scaler.spec;
    bounded.max_replicas = seen.replicas + *places;
    seen.words = "the scheduler has places for " + std::to_string(*places) + " of " + std::to_string(more) + " more";
    made = decide(bounded, of->rules, *of->remembered, seen);
    made.limit = "NoNode";
    co_return made;
}

awaitable<result<void>> scaler_control::decide_now(const reconcile_context& ctx, const inference_scaler& scaler,
                                                   shared_entry of) {
    const text asked = woken_by(scaler);
    const bool is_asked = !asked.empty() && asked != scaler.status.woken;
    facts seen;
    seen.replicas = of->target.now.spec.replicas.value_or(0);
    seen.woken = is_asked || is_unfinished_wake(scaler.status);
    const bool looked = of->fresh.has_value();
    if (!looked && !(seen.woken && seen.replicas == 0)) co_return result<void>();  // a look comes
    if (looked) seen.values = *of->fresh;
    const time_point now = ctx.env().now();
    seen.now = looked ? seen.values.at : now;  // times between looks, however long each took
    list_options which;
    which.in_namespace(scaler.metadata.namespace_).label_selector(of->selector).stop(ctx.stop());
    client c = ctx.get_client();
    const auto pods = co_await c.list<target_pod>(which);
    if (!pods) co_return pods.error();
    const wall_time wall = ctx.env().wall_now();
    count_pods(*pods, scaler.spec, wall, seen);
    if (!of->remembered) of->remembered = restore(scaler.status, of->rules, seen.replicas, moment{now, wall});
    std::shared_ptr<const target_pod> like;
    if (!pods->empty()) like = pods->front();
    auto decided = co_await decide_within_places(ctx, scaler, of, seen, std::move(like));
    if (!decided) co_return decided.error();
    decision& made = *decided;
    const bool changes = made.wanted != seen.replicas, writes = changes && !scaler.spec.dry_run;
    if (writes && of->is_kept) {  // the watch may be behind
        const text before = of->target.now.metadata.resource_version;
        const auto read = co_await read_target(ctx, scaler, of);
        if (!read) co_return read.error();
        if (of->target.now.metadata.resource_version != before)
            co_return error(api_errc::conflict, "the target has changed meanwhile");
    }
    // A dry run tells what it would do once, and remembers no change that it did not make.
    const bool is_new =
        writes || (changes && (made.wanted != scaler.status.wanted || made.rule != scaler.status.decision.rule.view()));
    memory after = changes && !writes ? *of->remembered : std::move(made.next);
    if (!writes) after.replicas = seen.replicas;

    inference_scaler_status next = scaler.status;
    next.replicas = seen.replicas;
    next.ready = seen.warm;
    next.warming = seen.loading();
    next.wanted = made.wanted;
    put_conditions(scaler, *pods, made, seen, looked, wall, next);
    if (is_asked) next.woken = asked;
    if (is_new || next.decision.sentence.empty()) next.decision = decision_of(made, wall);
    if (made.foreign || writes) {
        scale_record last;
        last.time = in_seconds(wall);
        last.from = writes ? seen.replicas : scaler.status.replicas;
        last.to = writes ? made.wanted : seen.replicas;
        last.rule = !writes ? text("foreign") : made.rule.empty() ? text(to_string(made.kind)) : text(made.rule);
        next.last_scale = last;
    }
    keep(after, of->rules, next);
    // Before the replicas: a crash in between leaves a change that is known as ours, and a wake that came meanwhile
    // makes this write a conflict.
    const auto written = co_await write_status(ctx, scaler, next);
    if (!written) co_return written.error();
    if (writes && made.wanted > 0 && made.wanted < seen.replicas) {
        const auto ranked = co_await lower_costs(ctx, *pods, seen.values);
        if (!ranked) co_return ranked.error();
    }
    result<void> set;
    if (writes) set = co_await write_replicas(ctx, scaler, of, made.wanted);
    // Nothing was done: decided again, by the same look.
    if (!set && set.error() == condition::conflict) co_return set.error();
    of->remembered = std::move(after);
    if (writes) of->remembered->changed = ctx.env().now();
    if (of->fresh && of->fresh->at == seen.values.at) of->fresh.reset();
    if (!set) {
        of->remembered->replicas.reset();  // perhaps it was done
        co_return set.error();
    }
    const auto since = parse_time(asked.view());
    if (writes && made.kind == verdict::wake && is_asked && since)
        wake_seconds_.observe(std::chrono::duration<double>(ctx.env().wall_now() - *since).count());
    tell(scaler, next, made, seen.replicas, is_new);
    if (looked) {
        of->values.clear();
        for (const auto& each : seen.values.rules) of->values.push_back(value_of(each));
    }
    of->told = next;
    if (!told_) co_return result<void>();
    inference_scaler shown = scaler;
    shown.status = std::move(next);
    shown.status.decision = shown_decision(made, shown.status.decision, of->rules, of->values);
    told_(shown, *pods);
    co_return result<void>();
}

// Events and counters of what has changed.
void scaler_control::tell(const inference_scaler& scaler, const inference_scaler_status& now, const decision& made,
                          std::int32_t replicas, bool is_new) {
    if (made.foreign)
        record(scaler, false, "ForeignScale", "another set " + std::to_string(replicas) + " replicas, which is kept");
    const auto* knew = find_condition(scaler.status.conditions, "MetricsKnown");
    const auto* known = find_condition(now.conditions, "MetricsKnown");
    const bool did = knew == nullptr || knew->status == "True", does = known == nullptr || known->status == "True";
    if (did && !does) record(scaler, true, "MetricsLost", known->reason.str() + ": " + known->message.str());
    if (!did && does) record(scaler, false, "MetricsBack", "each rule has a value");
    if (!is_new) return;
    const char* reason = made.wanted > replicas ? "ScaledUp" : "ScaledDown";
    if (made.kind == verdict::wake) reason = "Woken";
    if (made.kind == verdict::zero) reason = "ScaledToZero";
    record(scaler, false, reason, (scaler.spec.dry_run ? "dry run: " : "") + made.sentence);
    const metric_labels labels{{"rule", made.rule}, {"action", std::string(to_string(made.kind))}};
    metrics_->counter("inference_autoscaler_decisions_total", "Changes of replicas, by rule and action.", labels)
        .increment();
}

void scaler_control::write_metrics(metrics_writer& out) const {
    for (const auto& [key, of] : known_) {
        if (!of->told) continue;
        metric_labels labels{{"namespace", key.namespace_}, {"name", key.name}};
        out.gauge("inference_autoscaler_wanted_replicas", "Replicas that were decided on.", labels, of->told->wanted);
        out.gauge("inference_autoscaler_ready_replicas", "Replicas that have traffic.", labels, of->told->ready);
        out.gauge("inference_autoscaler_warming_replicas", "Replicas that load.", labels, of->told->warming);
        for (std::size_t i = 0; i < of->values.size(); ++i) {
            if (!of->values[i]) continue;
            labels["rule"] = of->rules[i].name;
            out.gauge("inference_autoscaler_metric_value", "The value of a rule at the last look.", labels,
                      *of->values[i]);
        }
    }
}

}  // namespace inference_autoscaler
