// The columns of what makes pods, and of budgets and autoscalers.
#pragma once

#include "testserver/cell_parts.hpp"

namespace kcontrol::inline v0_1::testing::detail {

inline json::array with_template(json::array cells, const json::value& pod_spec) {
    cells.push_back(json::value(of_containers(pod_spec, "name")));
    cells.push_back(json::value(of_containers(pod_spec, "image")));
    return cells;
}

inline json::array with_pods(json::array cells, const json::value& object) {
    cells = with_template(std::move(cells), value_in(object, {"spec", "template", "spec"}));
    cells.push_back(json::value(shown_selector(value_in(object, {"spec", "selector"}))));
    return cells;
}

inline json::array deployment_cells(const json::value& o, wall_time now) {
    json::array cells = {
        name_in(o), quotient(number_in(o, {"status", "readyReplicas"}), number_in(o, {"spec", "replicas"}, 1)),
        number_in(o, {"status", "updatedReplicas"}), number_in(o, {"status", "availableReplicas"}), age_of(o, now)};
    return with_pods(std::move(cells), o);
}

inline json::array replica_set_cells(const json::value& o, wall_time now) {
    json::array cells = {name_in(o), number_in(o, {"spec", "replicas"}, 1), number_in(o, {"status", "replicas"}),
                         number_in(o, {"status", "readyReplicas"}), age_of(o, now)};
    return with_pods(std::move(cells), o);
}

inline json::array stateful_set_cells(const json::value& o, wall_time now) {
    json::array cells = {name_in(o),
                         quotient(number_in(o, {"status", "readyReplicas"}), number_in(o, {"spec", "replicas"}, 1)),
                         age_of(o, now)};
    return with_template(std::move(cells), value_in(o, {"spec", "template", "spec"}));
}

inline json::array daemon_set_cells(const json::value& o, wall_time now) {
    json::array cells = {name_in(o),
                         number_in(o, {"status", "desiredNumberScheduled"}),
                         number_in(o, {"status", "currentNumberScheduled"}),
                         number_in(o, {"status", "numberReady"}),
                         number_in(o, {"status", "updatedNumberScheduled"}),
                         number_in(o, {"status", "numberAvailable"}),
                         shown_labels(value_in(o, {"spec", "template", "spec", "nodeSelector"})),
                         age_of(o, now)};
    return with_pods(std::move(cells), o);
}

inline std::string job_state(const json::value& job) {
    const auto is = [&job](std::string_view type) { return state_of_condition(job, type) == "True"; };
    if (is("Complete")) return "Complete";
    if (is("Failed")) return "Failed";
    if (json::find(job, {"metadata", "deletionTimestamp"}) != nullptr) return "Terminating";
    for (const std::string_view type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
        if (is(type)) return std::string(type);
    }
    return "Running";
}

inline std::string job_completions(const json::value& job) {
    const std::int64_t succeeded = number_in(job, {"status", "succeeded"});
    const json::value& wanted = value_in(job, {"spec", "completions"});
    if (wanted.is_int64()) return quotient(succeeded, wanted.get_int64());
    const std::int64_t parallelism = number_in(job, {"spec", "parallelism"});
    return quotient(succeeded, 1) + (parallelism > 1 ? " of " + std::to_string(parallelism) : "");
}

inline std::string job_duration(const json::value& job, wall_time now) {
    const auto began = parse_timestamp(json::get_string(job, {"status", "startTime"}));
    if (!began) return {};
    const auto ended = parse_timestamp(json::get_string(job, {"status", "completionTime"}));
    return human_duration(std::chrono::duration_cast<std::chrono::seconds>(ended.value_or(now) - *began));
}

inline json::array job_cells(const json::value& o, wall_time now) {
    json::array cells = {name_in(o), job_state(o), job_completions(o), job_duration(o, now), age_of(o, now)};
    return with_pods(std::move(cells), o);
}

inline json::array cron_job_cells(const json::value& o, wall_time now) {
    const std::string last = text_in(o, {"status", "lastScheduleTime"});
    const json::value& suspended = value_in(o, {"spec", "suspend"});
    json::array cells = {name_in(o),
                         text_in(o, {"spec", "schedule"}),
                         text_in(o, {"spec", "timeZone"}, "<none>"),
                         suspended.is_bool() ? (suspended.get_bool() ? "True" : "False") : "<unset>",
                         list_in(o, {"status", "active"}).size(),
                         last.empty() ? "<none>" : age_text(last, now),
                         age_of(o, now)};
    cells = with_template(std::move(cells), value_in(o, {"spec", "jobTemplate", "spec", "template", "spec"}));
    cells.push_back(json::value(shown_selector(value_in(o, {"spec", "jobTemplate", "spec", "selector"}))));
    return cells;
}

inline json::array disruption_budget_cells(const json::value& o, wall_time now) {
    return {name_in(o), shown_amount(value_in(o, {"spec", "minAvailable"}), "N/A"),
            shown_amount(value_in(o, {"spec", "maxUnavailable"}), "N/A"),
            number_in(o, {"status", "disruptionsAllowed"}), age_of(o, now)};
}

// "cpu: 10%/50%", "3/10", "<unknown>/5 (avg)".
inline std::string shown_metric(const json::value& spec, const json::value& status) {
    std::string member = text_in(spec, {"type"});
    if (member.empty()) return "<unknown type>";
    member.front() = static_cast<char>(member.front() - 'A' + 'a');
    const bool of_resource = member == "resource" || member == "containerResource";
    const json::value& target = value_in(spec, {member, "target"});
    const json::value& current = value_in(status, {member, "current"});
    const std::string prefix = of_resource ? text_in(spec, {member, "name"}) + ": " : "";
    const auto pair = [&](std::string_view what) {
        return prefix + shown_amount(value_in(current, {what}), "<unknown>") + "/" +
               shown_amount(value_in(target, {what}), "<auto>");
    };
    const bool average = json::find(target, {"averageValue"}) != nullptr;
    if (!of_resource && member != "pods") return average ? pair("averageValue") + " (avg)" : pair("value");
    if (average || member == "pods") return pair("averageValue");
    const auto percent = [](const json::value& v, std::string_view otherwise) {
        return v.is_int64() ? std::to_string(v.get_int64()) + "%" : std::string(otherwise);
    };
    return prefix + percent(value_in(current, {"averageUtilization"}), "<unknown>") + "/" +
           percent(value_in(target, {"averageUtilization"}), "<auto>");
}

inline json::array autoscaler_cells(const json::value& o, wall_time now) {
    const json::array& wanted = list_in(o, {"spec", "metrics"});
    const json::array& present = list_in(o, {"status", "currentMetrics"});
    std::vector<std::string> metrics;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        metrics.push_back(shown_metric(wanted[i], i < present.size() ? present[i] : json::value()));
    }
    return {name_in(o),
            text_in(o, {"spec", "scaleTargetRef", "kind"}) + "/" + text_in(o, {"spec", "scaleTargetRef", "name"}),
            metrics.empty() ? "<none>" : first_of(metrics, 2, ", "),
            shown_amount(value_in(o, {"spec", "minReplicas"}), "<unset>"),
            number_in(o, {"spec", "maxReplicas"}),
            number_in(o, {"status", "currentReplicas"}),
            age_of(o, now)};
}

}  // namespace kcontrol::testing::detail
