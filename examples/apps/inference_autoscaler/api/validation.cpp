#include "api/validation.hpp"

#include <cmath>
#include <set>

namespace inference_autoscaler {
namespace {

std::string problem(const std::string& field, const std::string& value, const std::string& remedy) {
    return field + ": " + value + ": " + remedy;
}

std::string check_rule(const scaling_rule& rule, const std::string& at, bool by_prometheus) {
    const auto& action = rule.action;
    const bool proportional = action.proportional.value_or(false);
    if (int(action.add_replicas.has_value()) + int(action.add_percent.has_value()) + int(proportional) != 1)
        return problem(at + ".action", "not one", "give one of addReplicas, addPercent and proportional: true");
    if (rule.query.empty() == !rule.pods) return problem(at, rule.name, "give either a query or pods");
    if (by_prometheus != !rule.query.empty())
        return problem(at, rule.name,
                       by_prometheus ? "give a query: metrics names prometheus" : "give pods: metrics names pods");
    if (!rule.idle_query.empty() && !by_prometheus)
        return problem(at + ".idleQuery", rule.idle_query.str(), "leave it out, or name prometheus in metrics");
    if (!std::isfinite(rule.threshold)) return problem(at + ".threshold", "not finite", "give a number");
    if (proportional && (rule.threshold <= 0 || rule.op.view().front() != '>'))
        return problem(at + ".action.proportional", "true", "give a threshold above 0, and > or >=");
    return {};
}

scaling_rule default_rule(std::string_view name, double threshold, std::int32_t for_seconds, bool down) {
    scaling_rule out;
    out.name = name;
    out.threshold = threshold;
    out.for_seconds = for_seconds;
    out.down = down;
    return out;
}

}  // namespace

std::string check(const inference_scaler_spec& spec) {
    const auto number = [](std::int32_t n) { return std::to_string(n); };
    if (spec.min_replicas > spec.max_replicas)
        return problem("spec.minReplicas", number(spec.min_replicas),
                       "give at most maxReplicas, " + number(spec.max_replicas));
    if ((spec.min_replicas == 0) != spec.zero.has_value())
        return problem("spec.minReplicas", number(spec.min_replicas), "0 and spec.zero go together");
    const auto& prometheus = spec.metrics.prometheus;
    const auto& pods = spec.metrics.pods;
    if (prometheus.has_value() == pods.has_value())
        return problem("spec.metrics", prometheus ? "two sources" : "no source", "name either prometheus or pods");
    if (spec.zero && !spec.zero->wake && !spec.zero->listen)
        return problem("spec.zero", "neither wake nor listen", "give one: at zero no pod can be asked");
    if (spec.zero && spec.zero->wake && !prometheus)
        return problem("spec.zero.wake", spec.zero->wake->query.str(), "name prometheus in metrics, or use listen");
    if (spec.zero && pods && !spec.down.in_flight)
        return problem("spec.down.inFlight", "none", "name the metric by which the pods of metrics.pods are idle");
    if (spec.on_missing.replicas.has_value() != (spec.on_missing.mode == "Replicas"))
        return problem("spec.onMissing.mode", spec.on_missing.mode.str(), "give replicas with Replicas, and only then");
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < spec.rules.size(); ++i) {
        const std::string at = "spec.rules[" + std::to_string(i) + "]";
        if (auto bad = check_rule(spec.rules[i], at, prometheus.has_value()); !bad.empty()) return bad;
        if (!names.insert(spec.rules[i].name.view()).second)
            return problem(at + ".name", spec.rules[i].name.str(), "give each rule a name of its own");
    }
    return {};
}

std::vector<scaling_rule> rules_of(const inference_scaler_spec& spec) {
    if (!spec.rules.empty()) return {spec.rules.begin(), spec.rules.end()};
    scaling_rule memory = default_rule("gpu-memory", 0.92, 180, false);  // engines keep their memory
    scaling_rule p95 = default_rule("p95", 0.8, 0, true);
    scaling_rule waiting = default_rule("waiting", 5, 0, true);
    memory.action.add_replicas = 1;
    p95.action.proportional = waiting.action.proportional = true;
    if (spec.metrics.pods) {
        const auto metric = [](std::string_view name, std::string_view of) {
            pod_metric out;
            out.metric = name;
            out.of = of;
            return out;
        };
        memory.pods = metric("DCGM_FI_DEV_FB_USED", "Mean");
        memory.pods->over = {"DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE"};
        p95.pods = metric("http_request_duration_seconds", "P95");
        waiting.pods = metric("vllm:num_requests_waiting", "Mean");
        return {memory, p95, waiting};
    }
    const std::string own = R"({namespace="{namespace}",pod=~"{pods}"})";
    const std::string used = "DCGM_FI_DEV_FB_USED" + own, free = "DCGM_FI_DEV_FB_FREE" + own;
    const std::string duration = "http_request_duration_seconds";
    memory.query = "avg(" + used + "/(" + used + "+" + free + "))";
    p95.query = "histogram_quantile(0.95,sum by(le)(rate(" + duration + "_bucket" + own + "[1m])))";
    p95.idle_query = "sum(rate(" + duration + "_count" + own + "[1m]))";
    waiting.query = "avg(vllm:num_requests_waiting" + own + ")";
    return {memory, p95, waiting};
}

}  // namespace inference_autoscaler
