#include "testserver/validation.hpp"

#include "testserver/cron_schedule.hpp"
#include "testserver/field_validator.hpp"
#include "testserver/validate_changes.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

bool selects(const json::value& labels, const json::value* of_template) {
    if (!labels.is_object()) return true;
    for (const auto& wanted : labels.get_object()) {
        const json::value* there = of_template == nullptr ? nullptr : json::find(*of_template, {wanted.key()});
        if (there == nullptr || *there != wanted.value()) return false;
    }
    return true;
}

void validate_workload(validator& v, const json::value& object) {
    v.not_negative(*json::find(object, {"spec"}), "replicas", "spec");
    const json::value* labels = json::find(object, {"spec", "template", "metadata", "labels"});
    const json::value* selector = json::find(object, {"spec", "selector"});
    const json::value* matched = json::find(object, {"spec", "selector", "matchLabels"});
    if (selector == nullptr || selector->is_null()) v.required("spec.selector");
    const bool selected =
        selector != nullptr && !selector->is_null() && (matched == nullptr || selects(*matched, labels));
    if (!selected) v.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
    v.pods(json::find(object, {"spec", "template"}), "spec.template");
    const std::string_view policy = json::get_string(object, {"spec", "template", "spec", "restartPolicy"});
    if (policy == "OnFailure" || policy == "Never") {
        v.unsupported("spec.template.spec.restartPolicy", policy, R"("Always")");
    }
}

void validate_job(validator& v, const json::value& spec, const std::string& at) {
    for (const std::string_view name :
         {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"}) {
        v.not_negative(spec, name, at);
    }
    v.pods(json::find(spec, {"template"}), at + ".template");
    const std::string_view policy = json::get_string(spec, {"template", "spec", "restartPolicy"});
    if (policy == "Always") {
        v.required(at + ".template.spec.restartPolicy", R"(valid values: "OnFailure", "Never")");
    } else if (policy != "OnFailure" && policy != "Never") {
        v.unsupported(at + ".template.spec.restartPolicy", policy, R"("OnFailure", "Never")");
    }
}

void validate_cron_job(validator& v, const json::value& object, const json::value& spec) {
    constexpr std::size_t most_of_name = 52;  // its Jobs' names are longer
    const json::value* name = json::find(object, {"metadata", "name"});
    if (name != nullptr && name->is_string() && name->get_string().size() > most_of_name) {
        v.invalid("metadata.name", name, "must be no more than 52 characters");
    }
    const json::value* schedule = json::find(spec, {"schedule"});
    const std::string_view text = json::get_string(spec, {"schedule"});
    if (text.empty()) v.required("spec.schedule");
    if (const auto wrong = cron_problem(text); wrong && !text.empty()) v.invalid("spec.schedule", schedule, *wrong);
    if (text.find("TZ") != std::string_view::npos) {
        v.invalid("spec.schedule", schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
    }
    v.not_negative(spec, "startingDeadlineSeconds", "spec");
    const std::string_view policy = json::get_string(spec, {"concurrencyPolicy"});
    if (policy != "Allow" && policy != "Forbid" && policy != "Replace") {
        v.unsupported("spec.concurrencyPolicy", policy, R"("Allow", "Forbid", "Replace")");
    }
    const json::value* job = json::find(spec, {"jobTemplate", "spec"});
    if (job != nullptr && job->is_object()) validate_job(v, *job, "spec.jobTemplate.spec");
    v.not_negative(spec, "successfulJobsHistoryLimit", "spec");
    v.not_negative(spec, "failedJobsHistoryLimit", "spec");
}

void validate_service(validator& v, const json::value& object) {
    const json::value* ports = json::find(object, {"spec", "ports"});
    const std::size_t count = ports != nullptr && ports->is_array() ? ports->get_array().size() : 0;
    const std::string_view type = json::get_string(object, {"spec", "type"});
    if (type != "ClusterIP" && type != "ExternalName" && type != "LoadBalancer" && type != "NodePort") {
        v.unsupported("spec.type", type, R"("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")");
    }
    if (count == 0 && type != "ExternalName" && json::get_string(object, {"spec", "clusterIP"}) != "None") {
        v.required("spec.ports");
    }
    validator::each(*json::find(object, {"spec"}), "ports", "spec",
                    [&](const json::value& port, const std::string& at) {
                        if (count > 1 && json::get_string(port, {"name"}).empty()) v.required(at + ".name");
                        v.port(json::find(port, {"port"}), at + ".port");
                        v.port(json::find(port, {"targetPort"}), at + ".targetPort");
                    });
}

}  // namespace
}  // namespace detail

std::vector<field_problem> validate_builtin(const resource_type& type, const json::object& object,
                                            const json::object* before) {
    detail::validator v;
    const json::value now(object);
    const std::string id = type.id().text();
    const bool workload =
        id == "deployments.apps" || id == "replicasets.apps" || id == "statefulsets.apps" || id == "daemonsets.apps";
    v.metadata(now);
    if (before != nullptr) {
        const json::value was(*before);
        if (id == "pods") {
            detail::validate_pod_change(v, now, was);
        } else if (!workload) {
            detail::validate_change(v, id, now, was);
        }
        if (!v.problems.empty()) return std::move(v.problems);
    }
    const json::value* spec = json::find(now, {"spec"});
    if (id == "configmaps") {
        for (const std::string_view map : {"data", "binaryData"}) {
            const json::value* data = json::find(now, {map});
            if (data == nullptr || !data->is_object()) continue;
            for (const auto& entry : data->get_object()) {
                const json::value key(entry.key());
                if (detail::is_config_key(entry.key())) continue;
                v.invalid(std::string(map) + "[" + std::string(entry.key()) + "]", &key, detail::config_key_rule);
            }
        }
    }
    if (spec == nullptr || !spec->is_object()) return std::move(v.problems);
    if (id == "pods") v.pod_spec(spec, "spec");
    if (workload) detail::validate_workload(v, now);
    if (workload && before != nullptr) detail::validate_change(v, id, now, json::value(*before));
    if (id == "jobs.batch") detail::validate_job(v, *spec, "spec");
    if (id == "cronjobs.batch") detail::validate_cron_job(v, now, *spec);
    if (id == "services") detail::validate_service(v, now);
    return std::move(v.problems);
}

}  // namespace kcontrol::testing
