#include <kcontrol/testing/resource_type.hpp>

#include "testserver/object_members.hpp"
#include "testserver/scalar_text.hpp"
#include "testserver/stored_object.hpp"
#include "testserver/typed_object.hpp"

#include <algorithm>
#include <array>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

struct default_row {
    std::string_view type;
    std::string_view field;
    std::string_view value;  // JSON
};

// What Kubernetes' defaulting functions set wherever the type stands.
// Source: pkg/apis/*/v1/defaults.go of Kubernetes 1.37, checked with tests/conformance/writes.json.
constexpr std::array default_rows = {
    default_row{"admissionregistration.v1.MatchResources", "matchPolicy", R"("Equivalent")"},
    default_row{"admissionregistration.v1.MatchResources", "namespaceSelector", "{}"},
    default_row{"admissionregistration.v1.MatchResources", "objectSelector", "{}"},
    default_row{"admissionregistration.v1.MutatingAdmissionPolicySpec", "failurePolicy", R"("Fail")"},
    default_row{"admissionregistration.v1.MutatingWebhook", "failurePolicy", R"("Fail")"},
    default_row{"admissionregistration.v1.MutatingWebhook", "matchPolicy", R"("Equivalent")"},
    default_row{"admissionregistration.v1.MutatingWebhook", "namespaceSelector", "{}"},
    default_row{"admissionregistration.v1.MutatingWebhook", "objectSelector", "{}"},
    default_row{"admissionregistration.v1.MutatingWebhook", "reinvocationPolicy", R"("Never")"},
    default_row{"admissionregistration.v1.MutatingWebhook", "timeoutSeconds", "10"},
    default_row{"admissionregistration.v1.ValidatingWebhook", "failurePolicy", R"("Fail")"},
    default_row{"admissionregistration.v1.ValidatingWebhook", "matchPolicy", R"("Equivalent")"},
    default_row{"admissionregistration.v1.ValidatingWebhook", "namespaceSelector", "{}"},
    default_row{"admissionregistration.v1.ValidatingWebhook", "objectSelector", "{}"},
    default_row{"admissionregistration.v1.ValidatingWebhook", "timeoutSeconds", "10"},
    default_row{"admissionregistration.v1.NamedRuleWithOperations", "scope", R"("*")"},
    default_row{"admissionregistration.v1.RuleWithOperations", "scope", R"("*")"},
    default_row{"admissionregistration.v1.ServiceReference", "port", "443"},
    default_row{"admissionregistration.v1.ValidatingAdmissionPolicySpec", "failurePolicy", R"("Fail")"},
    default_row{"apps.v1.DaemonSetSpec", "revisionHistoryLimit", "10"},
    default_row{"apps.v1.DaemonSetUpdateStrategy", "type", R"("RollingUpdate")"},
    default_row{"apps.v1.DeploymentSpec", "progressDeadlineSeconds", "600"},
    default_row{"apps.v1.DeploymentSpec", "replicas", "1"},
    default_row{"apps.v1.DeploymentSpec", "revisionHistoryLimit", "10"},
    default_row{"apps.v1.DeploymentStrategy", "type", R"("RollingUpdate")"},
    default_row{"apps.v1.ReplicaSetSpec", "replicas", "1"},
    default_row{"apps.v1.RollingUpdateDaemonSet", "maxSurge", "0"},
    default_row{"apps.v1.RollingUpdateDaemonSet", "maxUnavailable", "1"},
    default_row{"apps.v1.RollingUpdateDeployment", "maxSurge", R"("25%")"},
    default_row{"apps.v1.RollingUpdateDeployment", "maxUnavailable", R"("25%")"},
    default_row{"apps.v1.RollingUpdateStatefulSetStrategy", "maxUnavailable", "1"},
    default_row{"apps.v1.RollingUpdateStatefulSetStrategy", "partition", "0"},
    default_row{"apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy", "whenDeleted", R"("Retain")"},
    default_row{"apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy", "whenScaled", R"("Retain")"},
    default_row{"apps.v1.StatefulSetSpec", "persistentVolumeClaimRetentionPolicy", "{}"},
    default_row{"apps.v1.StatefulSetSpec", "podManagementPolicy", R"("OrderedReady")"},
    default_row{"apps.v1.StatefulSetSpec", "replicas", "1"},
    default_row{"apps.v1.StatefulSetSpec", "revisionHistoryLimit", "10"},
    default_row{"apps.v1.StatefulSetUpdateStrategy", "type", R"("RollingUpdate")"},
    default_row{"autoscaling.v1.HorizontalPodAutoscalerSpec", "minReplicas", "1"},
    default_row{"autoscaling.v2.HorizontalPodAutoscalerSpec", "minReplicas", "1"},
    default_row{"batch.v1.CronJobSpec", "concurrencyPolicy", R"("Allow")"},
    default_row{"batch.v1.CronJobSpec", "failedJobsHistoryLimit", "1"},
    default_row{"batch.v1.CronJobSpec", "successfulJobsHistoryLimit", "3"},
    default_row{"batch.v1.CronJobSpec", "suspend", "false"},
    default_row{"core.v1.AzureDiskVolumeSource", "readOnly", "false"},
    default_row{"core.v1.ConfigMapVolumeSource", "defaultMode", "420"},
    default_row{"core.v1.Container", "terminationMessagePath", R"("/dev/termination-log")"},
    default_row{"core.v1.Container", "terminationMessagePolicy", R"("File")"},
    default_row{"core.v1.ContainerPort", "protocol", R"("TCP")"},
    default_row{"core.v1.DownwardAPIVolumeSource", "defaultMode", "420"},
    default_row{"core.v1.EndpointPort", "protocol", R"("TCP")"},
    default_row{"core.v1.GRPCAction", "service", R"("")"},
    default_row{"core.v1.HTTPGetAction", "path", R"("/")"},
    default_row{"core.v1.HTTPGetAction", "scheme", R"("HTTP")"},
    default_row{"core.v1.HostPathVolumeSource", "type", R"("")"},
    default_row{"core.v1.ObjectFieldSelector", "apiVersion", R"("v1")"},
    default_row{"core.v1.PersistentVolumeClaimSpec", "volumeMode", R"("Filesystem")"},
    default_row{"core.v1.PersistentVolumeSpec", "persistentVolumeReclaimPolicy", R"("Retain")"},
    default_row{"core.v1.PersistentVolumeSpec", "volumeMode", R"("Filesystem")"},
    default_row{"core.v1.PodSpec", "dnsPolicy", R"("ClusterFirst")"},
    default_row{"core.v1.PodSpec", "restartPolicy", R"("Always")"},
    default_row{"core.v1.PodSpec", "schedulerName", R"("default-scheduler")"},
    default_row{"core.v1.PodSpec", "securityContext", "{}"},
    default_row{"core.v1.PodSpec", "terminationGracePeriodSeconds", "30"},
    default_row{"core.v1.Probe", "failureThreshold", "3"},
    default_row{"core.v1.Probe", "periodSeconds", "10"},
    default_row{"core.v1.Probe", "successThreshold", "1"},
    default_row{"core.v1.Probe", "timeoutSeconds", "1"},
    default_row{"core.v1.ProjectedVolumeSource", "defaultMode", "420"},
    default_row{"core.v1.ReplicationControllerSpec", "replicas", "1"},
    default_row{"core.v1.Secret", "type", R"("Opaque")"},
    default_row{"core.v1.SecretVolumeSource", "defaultMode", "420"},
    default_row{"core.v1.ServiceAccountTokenProjection", "expirationSeconds", "3600"},
    default_row{"core.v1.ServicePort", "protocol", R"("TCP")"},
    default_row{"core.v1.ServiceSpec", "sessionAffinity", R"("None")"},
    default_row{"core.v1.ServiceSpec", "type", R"("ClusterIP")"},
    default_row{"discovery.v1.EndpointPort", "name", R"("")"},
    default_row{"discovery.v1.EndpointPort", "protocol", R"("TCP")"},
    default_row{"networking.v1.IngressClassParametersReference", "scope", R"("Cluster")"},
    default_row{"networking.v1.NetworkPolicyPort", "protocol", R"("TCP")"},
    default_row{"rbac.v1.RoleRef", "apiGroup", R"("rbac.authorization.k8s.io")"},
    default_row{"resource.v1.DeviceSubRequest", "allocationMode", R"("ExactCount")"},
    default_row{"resource.v1.ExactDeviceRequest", "allocationMode", R"("ExactCount")"},
    default_row{"scheduling.v1.PriorityClass", "preemptionPolicy", R"("PreemptLowerPriority")"},
    default_row{"storage.v1.CSIDriverSpec", "attachRequired", "true"},
    default_row{"storage.v1.CSIDriverSpec", "fsGroupPolicy", R"("ReadWriteOnceWithFSType")"},
    default_row{"storage.v1.CSIDriverSpec", "podInfoOnMount", "false"},
    default_row{"storage.v1.CSIDriverSpec", "preventPodSchedulingIfMissing", "false"},
    default_row{"storage.v1.CSIDriverSpec", "requiresRepublish", "false"},
    default_row{"storage.v1.CSIDriverSpec", "seLinuxMount", "false"},
    default_row{"storage.v1.CSIDriverSpec", "storageCapacity", "false"},
    default_row{"storage.v1.CSIDriverSpec", "volumeLifecycleModes", R"(["Persistent"])"},
    default_row{"storage.v1.StorageClass", "reclaimPolicy", R"("Delete")"},
    default_row{"storage.v1.StorageClass", "volumeBindingMode", R"("Immediate")"},
};

}  // namespace

namespace {

// The newest image is pulled always; one with a tag or a digest only if it is not there.
std::string pull_policy_of(const std::string& image) {
    if (image.find('@') != std::string::npos) return "IfNotPresent";
    const std::size_t slash = image.rfind('/');
    const std::size_t colon = image.rfind(':');
    const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
    return !tagged || image.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

// What a HorizontalPodAutoscaler does if it does not say so. Source: pkg/apis/autoscaling/v2/defaults.go
void set_scaling_defaults(json::object& spec) {
    if (lacks(spec, "metrics")) {
        spec["metrics"] = json::parse(R"([{"type":"Resource","resource":{"name":"cpu",)"
                                      R"("target":{"type":"Utilization","averageUtilization":80}}}])")
                              .value();
    }
    json::object* behavior = object_at(spec, "behavior");
    if (behavior == nullptr) return;
    const auto complete = [behavior](std::string_view direction, std::string_view rules) {
        set_missing(*behavior, direction, json::object());
        json::object* given = object_at(*behavior, direction);
        if (given == nullptr) return;
        const json::value all = json::parse(rules).value();
        for (const auto& [name, value] : all.get_object()) set_missing(*given, name, value);
    };
    complete("scaleUp", R"({"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":[)"
                        R"({"type":"Pods","value":4,"periodSeconds":15},)"
                        R"({"type":"Percent","value":100,"periodSeconds":15}]})");
    complete("scaleDown", R"({"selectPolicy":"Max","policies":[{"type":"Percent","value":100,"periodSeconds":15}]})");
}

// What a container is given at most, unless it is said, is what it gets by default, which is what it asks for.
void set_limit_defaults(json::object& item) {
    if (text_at(item, "type") != "Container") return;
    const auto fill = [&item](std::string_view to, std::string_view from) {
        const json::object* given = object_at(item, from);
        if (given == nullptr) return;
        const json::object values = *given;
        json::value& list = item[to];
        if (!list.is_object()) list = json::object();
        for (const auto& [name, value] : values) set_missing(list.get_object(), name, value);
    };
    fill("default", "max");
    fill("defaultRequest", "default");
    fill("defaultRequest", "min");
}

// What depends on more than the member itself.
void set_dependent_defaults(std::string_view type, json::object& o) {
    if (type == "core.v1.Container") {
        set_missing(o, "imagePullPolicy", json::value(pull_policy_of(text_at(o, "image"))));
    } else if (type == "core.v1.Volume" && o.size() == 1 && o.contains("name")) {
        o["emptyDir"] = json::object();
    } else if ((type == "apps.v1.DeploymentStrategy" || type == "apps.v1.DaemonSetUpdateStrategy" ||
                type == "apps.v1.StatefulSetUpdateStrategy") &&
               (text_at(o, "type").empty() || text_at(o, "type") == "RollingUpdate")) {
        set_missing(o, "rollingUpdate", json::object());
    } else if (type == "core.v1.ServicePort") {
        const json::value* port = o.if_contains("port");
        const json::value* target = o.if_contains("targetPort");
        const bool none = target == nullptr || is_zero(*target);
        if (none && port != nullptr) o["targetPort"] = json::value(*port);
    } else if (type == "apps.v1.StatefulSetSpec") {
        json::array* claims = array_at(o, "volumeClaimTemplates");
        if (claims == nullptr) return;
        for (auto& claim : *claims) {
            if (!claim.is_object()) continue;
            claim.get_object()["apiVersion"] = "v1";
            claim.get_object()["kind"] = "PersistentVolumeClaim";
            claim.get_object()["status"].emplace_object()["phase"] = "Pending";
        }
    } else if (type == "resource.v1.ExactDeviceRequest" || type == "resource.v1.DeviceSubRequest") {
        const json::value* count = o.if_contains("count");
        const bool none = count == nullptr || is_zero(*count);
        if (none && text_at(o, "allocationMode") == "ExactCount") o["count"] = 1;
    } else if (type == "autoscaling.v2.HorizontalPodAutoscalerSpec") {
        set_scaling_defaults(o);
    } else if (type == "core.v1.LimitRangeItem") {
        set_limit_defaults(o);
    } else if (type == "core.v1.NodeSpec") {
        const std::string cidr = text_at(o, "podCIDR");
        if (!cidr.empty()) set_missing(o, "podCIDRs", json::array({json::value(cidr)}));
    } else if (type == "rbac.v1.Subject") {
        const std::string kind = text_at(o, "kind");
        if (kind == "User" || kind == "Group") set_missing(o, "apiGroup", "rbac.authorization.k8s.io");
    } else if (type == "networking.v1.NetworkPolicySpec" && lacks(o, "policyTypes")) {
        json::array types = {"Ingress"};
        const json::array* egress = array_at(o, "egress");
        if (egress != nullptr && !egress->empty()) types.push_back("Egress");
        o["policyTypes"] = std::move(types);
    }
}

// Amounts of resources have no more than three decimals.
void round_resources(json::object& object, std::string_view name) {
    json::object* list = object_at(object, name);
    if (list == nullptr) return;
    for (auto& amount : *list) {
        if (amount.value().is_string()) amount.value() = round_to_milli(std::string_view(amount.value().get_string()));
    }
}

void default_object(const schema_type& type, json::object& object);

void default_below(std::string_view form, json::value& v) {
    if (const schema_type* type = builtin_schema::get().type_of(form)) {
        if (v.is_object()) default_object(*type, v.get_object());
    } else if (form.front() == '[' && v.is_array()) {
        for (auto& item : v.get_array()) default_below(element_form(form), item);
    } else if (form.front() == '{' && v.is_object()) {
        for (auto& member : v.get_object()) default_below(element_form(form), member.value());
    }
}

// Of what is no pointer Go can't tell that it was said to be zero.
bool is_unset(const json::object& object, const schema_field& field) {
    const json::value* there = object.if_contains(field.name);
    return there == nullptr || there->is_null() || (!field.pointer && is_zero(*there));
}

void default_object(const schema_type& type, json::object& object) {
    for (const auto& row : default_rows) {
        if (row.type != type.name) continue;
        const schema_field* field = type.find(row.field);
        if (field == nullptr ? lacks(object, row.field) : is_unset(object, *field))
            object[row.field] = json::parse(row.value).value();
    }
    for (const auto& field : type.fields) {
        if (!field.by_default.empty() && is_unset(object, field)) {
            object[field.name] = json::parse(field.by_default).value();
        }
    }
    set_dependent_defaults(type.name, object);
    const bool core = type.name.starts_with("core.v1.");
    for (const auto& field : type.fields) {
        if (core && field.form == "{q") round_resources(object, field.name);
        if (json::value* there = object.if_contains(field.name)) default_below(field.form, *there);
    }
}

void default_job(json::object& spec) {
    if (lacks(spec, "completions") && lacks(spec, "parallelism")) spec["completions"] = 1;
    set_missing(spec, "parallelism", 1);
    set_missing(spec, "backoffLimit", 6);
    set_missing(spec, "completionMode", "NonIndexed");
    set_missing(spec, "suspend", false);
    set_missing(spec, "manualSelector", false);
    const char* replaces = lacks(spec, "podFailurePolicy") ? "TerminatingOrFailed" : "Failed";
    set_missing(spec, "podReplacementPolicy", replaces);
}

void default_service(json::object& spec) {
    const std::string type = text_at(spec, "type");
    if (type != "ExternalName") set_missing(spec, "internalTrafficPolicy", "Cluster");
    const json::array* addresses = array_at(spec, "externalIPs");
    const bool is_reachable =
        type == "NodePort" || type == "LoadBalancer" || (addresses != nullptr && !addresses->empty());
    if (is_reachable) set_missing(spec, "externalTrafficPolicy", "Cluster");
    if (type == "LoadBalancer") set_missing(spec, "allocateLoadBalancerNodePorts", true);
    if (text_at(spec, "sessionAffinity") == "ClientIP") {
        set_missing(spec, "sessionAffinityConfig", json::parse(R"({"clientIP":{"timeoutSeconds":10800}})").value());
    }
}

// What a load balancer reports of itself.
void default_load_balancer(json::object& object) {
    json::object* status = object_at(object, "status");
    json::object* balancer = status == nullptr ? nullptr : object_at(*status, "loadBalancer");
    json::array* addresses = balancer == nullptr ? nullptr : array_at(*balancer, "ingress");
    if (addresses == nullptr) return;
    for (auto& one : *addresses) {
        if (one.is_object() && !text_at(one.get_object(), "ip").empty()) set_missing(one.get_object(), "ipMode", "VIP");
    }
}

void default_replication_controller(json::object& object, json::object& spec) {
    json::object* pods = object_at(spec, "template");
    json::object* metadata = pods == nullptr ? nullptr : object_at(*pods, "metadata");
    json::object* labels = metadata == nullptr ? nullptr : object_at(*metadata, "labels");
    if (labels == nullptr || labels->empty()) return;
    const json::object marks = *labels;
    set_missing(spec, "selector", marks);
    set_missing(metadata_of(object), "labels", marks);
}

// Requests that are not said are the limits.
void default_requests(json::object& spec, std::string_view list) {
    json::array* containers = array_at(spec, list);
    if (containers == nullptr) return;
    for (auto& container : *containers) {
        json::object* resources = container.is_object() ? object_at(container.get_object(), "resources") : nullptr;
        json::object* limits = resources == nullptr ? nullptr : object_at(*resources, "limits");
        if (limits == nullptr) continue;
        json::object requests;
        if (json::object* said = object_at(*resources, "requests")) requests = *said;
        for (const auto& limit : *limits) {
            if (!requests.contains(limit.key())) requests[limit.key()] = limit.value();
        }
        (*resources)["requests"] = std::move(requests);
    }
}

}  // namespace
}  // namespace detail

void set_api_defaults(const resource_type& type, const schema_type& schema, json::object& object) {
    detail::default_object(schema, object);
    json::object* spec = detail::object_at(object, "spec");
    if (spec == nullptr) return;
    const std::string id = type.id().text();
    if (id == "jobs.batch") detail::default_job(*spec);
    if (id == "services") {
        detail::default_service(*spec);
        detail::default_load_balancer(object);
    }
    if (id == "replicationcontrollers") detail::default_replication_controller(object, *spec);
    if (id == "pods") {
        detail::set_missing(*spec, "enableServiceLinks", true);
        detail::default_requests(*spec, "containers");
        detail::default_requests(*spec, "initContainers");
    }
    show_zeros(schema, object);
}

}  // namespace kcontrol::testing
