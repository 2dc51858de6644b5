#include <kcontrol/testing/resource_type.hpp>
#include <kcontrol/values/quantity.hpp>

#include "testserver/object_members.hpp"
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
// Source: pkg/apis/*/v1/defaults.go of Kubernetes 1.36, checked with tests/conformance/writes.json.
constexpr std::array default_rows = {
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
    default_row{"apps.v1.RollingUpdateStatefulSetStrategy", "partition", "0"},
    default_row{"apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy", "whenDeleted", R"("Retain")"},
    default_row{"apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy", "whenScaled", R"("Retain")"},
    default_row{"apps.v1.StatefulSetSpec", "persistentVolumeClaimRetentionPolicy", "{}"},
    default_row{"apps.v1.StatefulSetSpec", "podManagementPolicy", R"("OrderedReady")"},
    default_row{"apps.v1.StatefulSetSpec", "replicas", "1"},
    default_row{"apps.v1.StatefulSetSpec", "revisionHistoryLimit", "10"},
    default_row{"apps.v1.StatefulSetUpdateStrategy", "type", R"("RollingUpdate")"},
    default_row{"batch.v1.CronJobSpec", "concurrencyPolicy", R"("Allow")"},
    default_row{"batch.v1.CronJobSpec", "failedJobsHistoryLimit", "1"},
    default_row{"batch.v1.CronJobSpec", "successfulJobsHistoryLimit", "3"},
    default_row{"batch.v1.CronJobSpec", "suspend", "false"},
    default_row{"core.v1.ConfigMapVolumeSource", "defaultMode", "420"},
    default_row{"core.v1.Container", "terminationMessagePath", R"("/dev/termination-log")"},
    default_row{"core.v1.Container", "terminationMessagePolicy", R"("File")"},
    default_row{"core.v1.ContainerPort", "protocol", R"("TCP")"},
    default_row{"core.v1.DownwardAPIVolumeSource", "defaultMode", "420"},
    default_row{"core.v1.EndpointPort", "protocol", R"("TCP")"},
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
    default_row{"rbac.v1.RoleRef", "apiGroup", R"("rbac.authorization.k8s.io")"},
    default_row{"scheduling.v1.PriorityClass", "preemptionPolicy", R"("PreemptLowerPriority")"},
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

void default_object(const schema_type& type, json::object& object) {
    for (const auto& row : default_rows) {
        if (row.type != type.name) continue;
        const json::value* there = object.if_contains(row.field);
        const schema_field* field = type.find(row.field);
        // Of what is no pointer Go can't tell that it was said to be zero.
        const bool unset =
            there == nullptr || there->is_null() || (field != nullptr && !field->pointer && is_zero(*there));
        if (unset) object[row.field] = json::parse(row.value).value();
    }
    set_dependent_defaults(type.name, object);
    for (const auto& field : type.fields) {
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
    if (type == "NodePort" || type == "LoadBalancer") set_missing(spec, "externalTrafficPolicy", "Cluster");
    if (type == "LoadBalancer") set_missing(spec, "allocateLoadBalancerNodePorts", true);
    if (text_at(spec, "sessionAffinity") == "ClientIP") {
        set_missing(spec, "sessionAffinityConfig", json::parse(R"({"clientIP":{"timeoutSeconds":10800}})").value());
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
    if (id == "services") detail::default_service(*spec);
    if (id == "replicationcontrollers") detail::default_replication_controller(object, *spec);
    if (id == "pods") {
        detail::set_missing(*spec, "enableServiceLinks", true);
        detail::default_requests(*spec, "containers");
        detail::default_requests(*spec, "initContainers");
    }
    show_zeros(schema, object);
}

}  // namespace kcontrol::testing
