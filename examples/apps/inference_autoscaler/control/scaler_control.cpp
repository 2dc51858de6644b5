#include "control/scaler_control.hpp"

#include <kcontrol/client/subresource.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/controllerutil/conditions.hpp>
#include <kcontrol/values/rfc3339.hpp>

#include "api/validation.hpp"

#include <algorithm>
#include <cmath>

namespace inference_autoscaler {
namespace {

constexpr const char* cost_annotation = "controller.kubernetes.io/pod-deletion-cost";
constexpr const char* look_timer = "look";

std::string words_of(const scale_target& t) { return t.kind + (" " + t.name.str()); }
text woken_by(const inference_scaler& scaler) {
    const text* said = scaler.metadata.annotations.get(wake_annotation);
    return said == nullptr ? text() : *said;
}
std::string group_of(const text& api_version) {
    const std::string all = api_version;
    return all.substr(0, all.find('/') == all.npos ? 0 : all.find('/'));
}
// Another autoscaler of the same target; its version may be another one.
bool scales(const scale_target& other, const scale_target& ours) {
    return other.kind == ours.kind && other.name == ours.name &&
           (other.api_version.empty() || group_of(other.api_version) == group_of(ours.api_version));
}

}  // namespace

scaler_control::scaler_control(manager& m, look_function ask, look_observer told)
    : ask_(std::move(ask)),
      told_(std::move(told)),
      scalers_(m.get_informer<inference_scaler>()),
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

// What was remembered is of another spec.
scaler_control::shared_entry scaler_control::entry_of(const reconcile_context& ctx, const inference_scaler& scaler) {
    shared_entry& found = known_[key_of(scaler.metadata)];
    const std::int64_t generation = scaler.metadata.generation.value_or(0);
    if (found && found->generation == generation) return found;
    if (found) ctx.stop_daemon(look_timer);
    found = std::make_shared<entry>();
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

reconciliation scaler_control::reconcile(reconcile_context ctx, inference_scaler scaler) {
    const auto of = entry_of(ctx, scaler);
    if (const auto bad = check(scaler.spec); !bad.empty()) {
        const auto told = co_await rest(ctx, scaler, "Ready", false, "InvalidSpec", bad);
        if (!told) co_return told.error();
        co_return reconcile_result::done();
    }
    if (scaler.spec.paused) {
        ctx.stop_daemon(look_timer);
        of->generation = -1;
        const auto told = co_await rest(ctx, scaler, "Scaling", false, "Paused", "spec.paused is true");
        if (!told) co_return told.error();
        co_return reconcile_result::done();
    }
    const auto again = reconcile_result::requeue_after(std::chrono::seconds(scaler.spec.poll_seconds));
    const auto other = co_await other_of(ctx, scaler, of);
    if (!other) co_return other.error();
    if (!other->empty()) {
        ctx.stop_daemon(look_timer);
        of->generation = -1;
        const std::string words = *other + " scales " + words_of(scaler.spec.target) + ": remove one of the two";
        const auto told = co_await rest(ctx, scaler, "Conflict", true, "OtherAutoscaler", words);
        if (!told) co_return told.error();
        co_return again;
    }
    client c = ctx.get_client();
    const auto kind = co_await kind_of(c, scaler.spec.target, ctx.stop());
    std::string reason, sentence;
    std::optional<scale> found;
    if (kind) {
        get_options how;
        how.stop(ctx.stop());
        const namespaced_name key(scaler.metadata.namespace_, scaler.spec.target.name);
        auto scales = c.subresource(**kind, "scale");
        auto read = co_await scales.get<scale>(key, how);
        if (!read && read.error() != api_errc::not_found) co_return read.error();
        if (!read)
            reason = "NoTarget", sentence = words_of(scaler.spec.target) + " is not there, or has no scale subresource";
        if (read && read->status.selector.empty())
            reason = "NoSelector",
            sentence = words_of(scaler.spec.target) + ": its scale has no selector, so it has no pods";
        if (read) found = std::move(*read);
    } else if (kind.error() == errc::invalid_argument) {
        reason = "NoTarget", sentence = kind.error().message();
    } else {
        co_return kind.error();
    }
    if (!reason.empty()) {
        const auto told = co_await rest(ctx, scaler, "Ready", false, reason, sentence);
        if (!told) co_return told.error();
        co_return again;
    }
    if (of->selector != found->status.selector.view()) {
        of->selector = found->status.selector;
        ctx.stop_daemon(look_timer);
    }
    look_now_and_then(ctx, scaler, of);
    const auto done = co_await decide_now(ctx, scaler, of, **kind, *found);
    if (!done && done.error() == condition::conflict) co_return reconcile_result::requeue();
    if (!done) co_return done.error();
    co_return reconcile_result::done();
}

awaitable<result<const resource_info*>> scaler_control::kind_of(client c, scale_target target, std::stop_token stop) {
    const std::string all = target.api_version, word = all + "/" + target.kind.str();
    if (const auto found = kinds_.find(word); found != kinds_.end()) co_return found->second.get();
    const std::string group = group_of(target.api_version);
    get_options how;
    how.stop(std::move(stop));
    const std::string version = group.empty() ? all : all.substr(group.size() + 1);
    const auto served = co_await c.discover(group, version, how);
    if (!served && served.error() != api_errc::not_found) co_return served.error();
    for (const auto& each : served ? *served : std::vector<served_resource>()) {
        if (target.kind != each.gvk.kind || !each.namespaced) continue;
        auto made = std::make_unique<resource_info>(dynamic_resource(each.gvk, each.plural));
        co_return kinds_.insert_or_assign(word, std::move(made)).first->second.get();
    }
    co_return error(errc::invalid_argument, "spec.target: the server has no kind " + word + " in namespaces");
}

// Autoscalers of the same target by another name: of two of ours the older one works.
awaitable<result<std::string>> scaler_control::other_of(const reconcile_context& ctx, inference_scaler scaler,
                                                        shared_entry of) {
    const scale_target& target = scaler.spec.target;
    for (const auto& each : scalers_->list(scaler.metadata.namespace_)) {
        const auto age = [](const object_meta& m) { return std::tuple(m.creation_timestamp, m.name.str()); };
        if (each->metadata.uid != scaler.metadata.uid && scales(each->spec.target, target) &&
            age(each->metadata) < age(scaler.metadata))
            co_return "InferenceScaler " + each->metadata.name.str();
    }
    list_options which;
    which.in_namespace(scaler.metadata.namespace_).stop(ctx.stop());
    client c = ctx.get_client();
    const auto horizontal = co_await c.list<horizontal_autoscaler>(which);
    if (!horizontal) co_return horizontal.error();
    for (const auto& each : *horizontal) {
        if (scales(each->spec.scale_target_ref, target))
            co_return "HorizontalPodAutoscaler " + each->metadata.name.str();
    }
    if (of->asked_others != time_point() && ctx.env().now() - of->asked_others < std::chrono::minutes(1))
        co_return of->other;
    client server = c.live();
    const auto scaled = co_await server.list<scaled_object>(which);
    if (!scaled && scaled.error() != api_errc::not_found) co_return scaled.error();
    of->asked_others = ctx.env().now();
    of->other.clear();
    for (const auto& each : scaled ? *scaled : std::vector<std::shared_ptr<const scaled_object>>()) {
        scale_target ref = each->spec.scale_target_ref;
        if (ref.kind.empty()) ref.kind = "Deployment";  // KEDA's default
        if (scales(ref, target)) of->other = "ScaledObject " + each->metadata.name.str();
    }
    co_return of->other;
}

// One condition and nothing else changes; an Event tells a new conflict.
awaitable<result<void>> scaler_control::rest(const reconcile_context& ctx, const inference_scaler& scaler,
                                             const char* condition, bool holds, std::string reason,
                                             std::string sentence) {
    inference_scaler_status next = scaler.status;
    const bool is_new =
        is_true(next.conditions, condition) != holds || find_condition(next.conditions, condition) == nullptr;
    set_condition(next.conditions, condition_for(scaler, condition, holds, reason, sentence), ctx.env().wall_now());
    const auto written = co_await write_status(ctx, scaler, std::move(next));
    if (!written) co_return written.error();
    if (is_new && reason == "OtherAutoscaler") record(scaler, true, "Conflict", sentence);
    co_return result<void>();
}

awaitable<result<inference_scaler>> scaler_control::write_status(const reconcile_context& ctx,
                                                                 const inference_scaler& scaler,
                                                                 inference_scaler_status status) {
    if (status == scaler.status) co_return scaler;
    inference_scaler edited = scaler;
    edited.status = std::move(status);
    write_options how;
    how.subresource("status").field_manager(operator_name).stop(ctx.stop());
    client c = ctx.get_client();
    auto written = co_await c.patch(scaler, edited, how);
    co_return written;
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

namespace {

// The status of a decision besides what it remembers.
void put_conditions(const inference_scaler& scaler, const target_pods& pods, const decision& made, wall_time now,
                    inference_scaler_status& into) {
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
    if (made.lost.empty())
        put("MetricsKnown", true, "Known", "");
    else
        put("MetricsKnown", false, to_string(made.lost[0].why.reason),
            made.lost[0].rule + (made.lost[0].why.words.empty() ? "" : ": " + made.lost[0].why.words));
    put("Limited", !made.limit.empty(), made.limit.empty() ? "WithinLimits" : made.limit,
        made.limit == "AtMaximum" ? "maxReplicas is " + std::to_string(scaler.spec.max_replicas) : made.limit);
}

}  // namespace

awaitable<result<void>> scaler_control::decide_now(const reconcile_context& ctx, const inference_scaler& scaler,
                                                   shared_entry of, const resource_info& kind, const scale& found) {
    const text asked = woken_by(scaler);
    const bool woken = !asked.empty() && asked != scaler.status.woken;
    facts seen;
    seen.now = ctx.env().now();
    seen.replicas = found.spec.replicas.value_or(0);
    seen.woken = woken;
    if (!of->fresh && !(woken && seen.replicas == 0)) co_return result<void>();  // a look comes
    if (of->fresh) seen.values = *std::exchange(of->fresh, std::nullopt);
    list_options which;
    which.in_namespace(scaler.metadata.namespace_).label_selector(of->selector).stop(ctx.stop());
    client c = ctx.get_client();
    const auto pods = co_await c.list<target_pod>(which);
    if (!pods) co_return pods.error();
    const wall_time wall = ctx.env().wall_now();
    count_pods(*pods, scaler.spec, wall, seen);
    if (!of->remembered) of->remembered = restore(scaler.status, of->rules, seen.replicas, moment{seen.now, wall});
    decision made = decide(scaler.spec, of->rules, *of->remembered, seen);
    const bool changes = made.wanted != seen.replicas;
    const bool writes = changes && !scaler.spec.dry_run;

    inference_scaler_status next = scaler.status;
    next.replicas = seen.replicas;
    next.ready = seen.warm;
    next.warming = seen.loading();
    next.wanted = made.wanted;
    put_conditions(scaler, *pods, made, wall, next);
    if (woken) next.woken = asked;
    // A dry run tells what it would do once.
    const bool is_new =
        writes || (changes && (made.wanted != scaler.status.wanted || made.rule != next.decision.rule.view()));
    if (is_new || next.decision.sentence.empty()) {
        next.decision.rule = made.rule;
        next.decision.value = made.value;
        next.decision.threshold = made.threshold;
        next.decision.since = timestamp(std::chrono::floor<std::chrono::seconds>(wall));
        next.decision.sentence = made.sentence;
    }
    if (made.foreign || writes) {
        scale_record last;
        last.time = timestamp(std::chrono::floor<std::chrono::seconds>(wall));
        last.from = writes ? seen.replicas : scaler.status.replicas;
        last.to = writes ? made.wanted : seen.replicas;
        last.rule = !writes ? text("foreign") : made.rule.empty() ? text(to_string(made.kind)) : text(made.rule);
        next.last_scale = last;
    }
    keep(made.next, of->rules, next);
    of->values.clear();
    for (const auto& each : seen.values.rules) of->values.push_back(value_of(each));
    of->told = next;
    // Before the replicas: a crash in between leaves a change that is known as ours, and a wake that came meanwhile
    // makes this write a conflict.
    const auto written = co_await write_status(ctx, scaler, next);
    if (!written) co_return written.error();
    if (writes) {
        if (made.wanted < seen.replicas) {
            const auto ranked = co_await lower_costs(ctx, *pods, seen.values);
            if (!ranked) co_return ranked.error();
        }
        scale edited = found;
        edited.spec.replicas = made.wanted;
        write_options how;
        how.field_manager(operator_name).stop(ctx.stop());
        auto scales = c.subresource(kind, "scale");
        const namespaced_name key(scaler.metadata.namespace_, scaler.spec.target.name);
        const auto set = co_await scales.update<scale>(key, edited, how);
        if (!set) {
            of->remembered.reset();  // perhaps it was done; the status says what was meant
            co_return set.error();
        }
        const auto since = parse_time(asked.view());
        if (made.kind == verdict::wake && woken && since)
            wake_seconds_.observe(std::chrono::duration<double>(ctx.env().wall_now() - *since).count());
    }
    of->remembered = std::move(made.next);
    if (!writes) of->remembered->replicas = seen.replicas;
    tell(scaler, next, made, seen.replicas);
    if (told_) {
        inference_scaler shown = scaler;
        shown.status = next;
        told_(shown, *pods);
    }
    co_return result<void>();
}

// Events and counters of what has changed.
void scaler_control::tell(const inference_scaler& scaler, const inference_scaler_status& now, const decision& made,
                          std::int32_t replicas) {
    if (made.foreign)
        record(scaler, false, "ForeignScale", "another set " + std::to_string(replicas) + " replicas, which is kept");
    const auto* knew = find_condition(scaler.status.conditions, "MetricsKnown");
    const bool did = knew == nullptr || knew->status == "True", does = made.lost.empty();
    const auto* known = find_condition(now.conditions, "MetricsKnown");
    if (did && !does) record(scaler, true, "MetricsLost", known->reason.str() + ": " + known->message.str());
    if (!did && does) record(scaler, false, "MetricsBack", "each rule has a value");
    if (made.wanted == replicas || now.decision == scaler.status.decision) return;
    const char* reason = made.wanted > replicas ? "ScaledUp" : "ScaledDown";
    if (made.kind == verdict::wake) reason = "Woken";
    if (made.kind == verdict::zero) reason = "ScaledToZero";
    record(scaler, false, reason, (scaler.spec.dry_run ? "dry run: " : "") + made.sentence);
    const metric_labels labels{{"rule", made.rule}, {"action", std::string(to_string(made.kind))}};
    metrics_->counter("inference_autoscaler_decisions_total", "Changes of replicas, by rule and action.", labels)
        .increment();
}

void scaler_control::write_metrics(metrics_writer& out) {
    std::erase_if(known_, [this](const auto& each) { return !scalers_->get(each.first); });
    for (const auto& [key, of] : known_) {
        metric_labels labels{{"namespace", key.namespace_}, {"name", key.name}};
        out.gauge("inference_autoscaler_wanted_replicas", "Replicas that were decided on.", labels, of->told.wanted);
        out.gauge("inference_autoscaler_ready_replicas", "Replicas that have traffic.", labels, of->told.ready);
        out.gauge("inference_autoscaler_warming_replicas", "Replicas that load.", labels, of->told.warming);
        for (std::size_t i = 0; i < of->values.size(); ++i) {
            if (!of->values[i]) continue;
            labels["rule"] = of->rules[i].name;
            out.gauge("inference_autoscaler_metric_value", "The value of a rule at the last look.", labels,
                      *of->values[i]);
        }
    }
}

}  // namespace inference_autoscaler
