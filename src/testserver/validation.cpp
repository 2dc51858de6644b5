#include "testserver/validation.hpp"

#include "testserver/cron_schedule.hpp"
#include "testserver/field_validator.hpp"
#include "testserver/kind_validation.hpp"
#include "testserver/pod_validation.hpp"
#include "testserver/validate_changes.hpp"
#include "testserver/workload_validation.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

void validate_job(validator& v, const json::value& spec, const std::string& at) {
    for (const std::string_view name :
         {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"}) {
        v.not_negative(spec, name, at);
    }
    pod_validator(v).pods(json::find(spec, {"template"}), at + ".template");
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
    if (text.empty()) v.required("spec.schedule");  // last, for this rule is declared
}

// A port is one of a protocol; so is that of the nodes.
void validate_used_ports(validator& v, const json::value& spec, std::string_view type) {
    const auto key_of = [](const json::value& port, std::string_view number) {
        const json::value* found = json::find(port, {number});
        return std::string(json::get_string(port, {"protocol"})) + "/" +
               (found == nullptr ? std::string() : json::serialize(*found));
    };
    if (type == "ClusterIP") {
        validator::each(spec, "ports", "spec", [&](const json::value& port, const std::string& at) {
            if (json::find(port, {"nodePort"}) == nullptr) return;
            v.forbidden(at + ".nodePort", "may not be used when `type` is 'ClusterIP'");
        });
    }
    std::set<std::string> ports, node_ports;
    validator::each(spec, "ports", "spec", [&](const json::value& port, const std::string& at) {
        if (ports.insert(key_of(port, "port")).second) return;
        json::object shown;  // as Go shows such a key
        shown["Name"] = "";
        shown["Protocol"] = json::get_string(port, {"protocol"});
        shown["AppProtocol"] = nullptr;
        shown["Port"] = *json::find(port, {"port"});
        shown["TargetPort"] = 0;
        shown["NodePort"] = 0;
        v.duplicate(at, json::value(std::move(shown)));
    });
    validator::each(spec, "ports", "spec", [&](const json::value& port, const std::string& at) {
        const json::value* number = json::find(port, {"nodePort"});
        if (number == nullptr || !number->is_int64() || type == "ClusterIP") return;
        if (number->get_int64() < 30000 || number->get_int64() > 32767) {
            v.invalid(at + ".nodePort", number,
                      "provided port is not in the valid range. The range of valid ports is 30000-32767");
        } else if (!node_ports.insert(key_of(port, "nodePort")).second) {
            v.invalid(at + ".nodePort", number, "provided port is already allocated");
        }
    });
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
    const json::value& spec = *json::find(object, {"spec"});
    std::set<std::string> names;
    validator::each(spec, "ports", "spec", [&](const json::value& port, const std::string& at) {
        const std::string name(json::get_string(port, {"name"}));
        if (name.empty()) {
            if (count > 1) v.required(at + ".name");
        } else if (!is_dns_label(name)) {
            v.invalid(at + ".name", json::find(port, {"name"}), label_rule);
        }
        if (!name.empty() && !names.insert(name).second) v.duplicate(at + ".name", *json::find(port, {"name"}));
        v.port(json::find(port, {"port"}), at + ".port");
        v.protocol(port, at);
        v.port(json::find(port, {"targetPort"}), at + ".targetPort");
    });
    if (const json::value* selector = json::find(spec, {"selector"})) v.label_map(*selector, "spec.selector", true);
    const std::string_view affinity = json::get_string(spec, {"sessionAffinity"});
    if (!affinity.empty() && affinity != "ClientIP" && affinity != "None") {
        v.unsupported("spec.sessionAffinity", affinity, R"("ClientIP", "None")");
    }
    if (type == "ExternalName" && json::get_string(spec, {"externalName"}).empty()) v.required("spec.externalName");
    const json::value* ip = json::find(spec, {"clusterIP"});
    if (ip != nullptr && ip->is_string() && !ip->get_string().empty() && ip->get_string() != "None") {
        v.ip(*ip, "spec.clusterIPs[0]");
    }
    const json::value* policy = json::find(spec, {"externalTrafficPolicy"});
    const json::value* external = json::find(spec, {"externalIPs"});
    const bool is_external = type == "NodePort" || type == "LoadBalancer" || external != nullptr;
    if (!is_external && policy != nullptr && policy->is_string() && !policy->get_string().empty()) {
        v.invalid("spec.externalTrafficPolicy", policy, "may only be set for externally-accessible services");
    }
    validate_used_ports(v, spec, type);
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
        detail::validate_data_keys(v, now, "data", "binaryData");
        detail::validate_data_keys(v, now, "binaryData", {});
    }
    if (id == "secrets") {
        detail::validate_data_keys(v, now, "data", {});
        detail::validate_secret_type(v, now);
    }
    if (id == "endpointslices.discovery.k8s.io") {
        detail::validate_endpoint_slice(v, now);
        detail::validate_unique(v, now, "ports", {}, "name");
    }
    const std::string_view of_rbac = ".rbac.authorization.k8s.io";
    if (id.ends_with(of_rbac)) {
        const std::string_view kind = std::string_view(id).substr(0, id.size() - of_rbac.size());
        if (kind.ends_with("bindings")) {
            detail::validate_role_binding(v, now, kind == "rolebindings");
        } else {
            detail::validate_role(v, now, kind == "roles");
        }
    }
    if (id == "podtemplates") detail::pod_validator(v).pods(json::find(now, {"template"}), "template");
    if (spec == nullptr || !spec->is_object()) return std::move(v.problems);
    if (id == "pods") {
        detail::pod_validator(v).pod_spec(spec, "spec");
        const json::value* ephemeral = json::find(*spec, {"ephemeralContainers"});
        if (ephemeral != nullptr && before == nullptr) {
            v.forbidden("spec.ephemeralContainers", "cannot be set on create");
        }
    }
    if (workload) detail::validate_workload(v, id, now);
    if (workload && before != nullptr) detail::validate_change(v, id, now, json::value(*before));
    if (id == "jobs.batch") detail::validate_job(v, *spec, "spec");
    if (id == "cronjobs.batch") detail::validate_cron_job(v, now, *spec);
    if (id == "services") detail::validate_service(v, now);
    if (id == "replicationcontrollers") detail::pod_validator(v).pods(json::find(*spec, {"template"}), "spec.template");
    if (id == "persistentvolumeclaims") detail::validate_claim(v, spec, "spec");
    if (id == "limitranges") detail::validate_unique(v, *spec, "limits", "spec", "type");
    if (id == "horizontalpodautoscalers.autoscaling") detail::validate_autoscaler(v, *spec);
    if (id == "poddisruptionbudgets.policy") detail::validate_disruption_budget(v, *spec);
    if (id == "ingresses.networking.k8s.io") detail::validate_ingress(v, *spec);
    if (id == "nodes") detail::validate_taints(v, now);
    if (id == "leases.coordination.k8s.io") detail::validate_lease(v, now);
    return std::move(v.problems);
}

}  // namespace kcontrol::testing
