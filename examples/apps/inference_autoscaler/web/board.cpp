#include "web/board.hpp"

#include <kcontrol/json/members.hpp>
#include <kcontrol/values/time.hpp>

#include <algorithm>
#include <cmath>

namespace inference_autoscaler {
namespace {

constexpr std::int64_t minutes_kept = 360;
constexpr std::size_t decisions_kept = 200;
constexpr auto nan = std::numeric_limits<float>::quiet_NaN();

template <class Number>
void write_number(json::writer& out, Number value) {
    std::isfinite(value) ? out.value(static_cast<double>(value)) : out.null();
}

void write_decision(json::writer& out, const decision_status& what) {
    out.member("rule", what.rule.view());
    json::write_or_null(out, "value", what.value);
    json::write_or_null(out, "threshold", what.threshold);
    json::write_text_or_null(out, "since", what.since.str());
    out.member("sentence", what.sentence.view());
}

std::string change_json(const scale_record& change, const decision_status& why) {
    json::writer out;
    out.begin_object();
    out.member("time", change.time.str());
    out.member("from", change.from);
    out.member("to", change.to);
    out.member("by", change.rule.view());
    write_decision(out, why);
    out.end_object();
    return out.take();
}

void write_scaler(json::writer& out, const inference_scaler& scaler, kcontrol::wall_time seen) {
    const auto& spec = scaler.spec;
    const auto& status = scaler.status;
    out.begin_object();
    out.member("namespace", scaler.metadata.namespace_.view());
    out.member("name", scaler.metadata.name.view());
    out.member("target", spec.target.kind + "/" + spec.target.name.str());
    out.member("minReplicas", spec.min_replicas);
    out.member("maxReplicas", spec.max_replicas);
    out.member("paused", spec.paused);
    out.member("dryRun", spec.dry_run);
    out.member("replicas", status.replicas);
    out.member("ready", status.ready);
    out.member("warming", status.warming);
    out.member("wanted", status.wanted);
    json::begin_object(out, "decision");
    write_decision(out, status.decision);
    out.end_object();
    json::begin_array(out, "conditions");
    for (const auto& each : status.conditions) {
        out.begin_object();
        out.member("type", each.type.view());
        out.member("status", each.status.view());
        out.member("reason", each.reason.view());
        out.member("message", each.message.view());
        out.member("since", each.last_transition_time.str());
        out.end_object();
    }
    out.end_array();
    out.member("time", kcontrol::format_time(seen));
    out.end_object();
}

}  // namespace

void board::take(kcontrol::wall_time now, const inference_scaler& scaler) {
    past& kept = scalers_[kcontrol::key_of(scaler.metadata)];
    kept.looked = now;
    add(now, scaler, kept);
}

void board::note(kcontrol::wall_time now, inference_scaler scaler) {
    past& kept = scalers_[kcontrol::key_of(scaler.metadata)];
    if (now - kept.looked <= 3 * std::chrono::seconds(scaler.spec.poll_seconds) &&
        scaler.status.last_scale == kept.now.status.last_scale)
        scaler.status.decision = kept.now.status.decision;
    add(now, scaler, kept);
}

void board::add(kcontrol::wall_time now, const inference_scaler& scaler, past& kept) {
    const auto& status = scaler.status;
    if (status.last_scale && kept.seen != kcontrol::wall_time{} && kept.now.status.last_scale != status.last_scale) {
        kept.decisions.push_back(change_json(*status.last_scale, status.decision));
        if (kept.decisions.size() > decisions_kept) kept.decisions.pop_front();
    }
    kept.now = scaler;
    kept.seen = now;
    const auto minute = std::chrono::floor<std::chrono::minutes>(now.time_since_epoch()).count();
    if (kept.points.empty() || kept.points.back().minute != minute) kept.points.emplace_back().minute = minute;
    auto& at = kept.points.back();
    at.replicas = status.replicas;
    at.ready = status.ready;
    at.warming = status.warming;
    at.wanted = status.wanted;
    at.value = status.decision.value ? static_cast<float>(*status.decision.value) : nan;
    at.threshold = status.decision.threshold ? static_cast<float>(*status.decision.threshold) : nan;
    const std::string rule = status.decision.rule.str();
    const auto found = std::find(kept.rules.begin(), kept.rules.end(), rule);
    at.rule = rule.empty() ? -1 : static_cast<std::int32_t>(found - kept.rules.begin());
    if (found == kept.rules.end() && !rule.empty()) kept.rules.push_back(rule);
    while (kept.points.front().minute <= minute - minutes_kept) kept.points.pop_front();
}

void board::forget(const namespaced_name& scaler) { scalers_.erase(scaler); }

std::string board::scalers_json() const {
    json::writer out;
    out.begin_object();
    json::begin_array(out, "items");
    for (const auto& [name, kept] : scalers_) write_scaler(out, kept.now, kept.seen);
    out.end_array();
    out.end_object();
    return out.take() + "\n";
}

std::string board::history_json(const namespaced_name& scaler) const {
    const auto found = scalers_.find(scaler);
    if (found == scalers_.end()) return {};
    const auto& kept = found->second;
    json::writer out;
    out.begin_object();
    out.member("namespace", scaler.namespace_);
    out.member("name", scaler.name);
    json::write_values(out, "rules", kept.rules);
    json::begin_array(out, "points");
    for (const auto& each : kept.points) {
        out.begin_array();
        out.value(each.minute * 60);
        for (const auto number : {each.replicas, each.ready, each.warming, each.wanted}) out.value(number);
        each.rule < 0 ? out.null() : out.value(each.rule);
        write_number(out, each.value);
        write_number(out, each.threshold);
        out.end_array();
    }
    out.end_array();
    json::begin_array(out, "decisions");
    for (const auto& each : kept.decisions) out.raw(each);
    out.end_array();
    out.end_object();
    return out.take() + "\n";
}

}  // namespace inference_autoscaler
