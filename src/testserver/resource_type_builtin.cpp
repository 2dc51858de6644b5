#include <kcontrol/testing/resource_type.hpp>

#include "testserver/builtin_schema.hpp"

#include <algorithm>
#include <array>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// What no document tells of a kind. Letters: g keeps a generation, v an update needs a resourceVersion, d DELETE
// answers with the object, c an update makes what is not there, o dependents are orphaned by default, s a new object
// keeps the status that it comes with. Asked of kube-apiserver kind by kind (tests/conformance/kinds.json).
struct kind_habits {
    std::string_view group;
    std::string_view plural;
    std::string_view letters;
    std::string_view selectable;  // fields for field selectors
    std::string_view finalizer = {};
};

constexpr std::array kind_habits_table = {
    kind_habits{"", "endpoints", "c", ""},
    kind_habits{"", "events", "c",
                "involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid "
                "involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath reason "
                "reportingComponent source type"},
    kind_habits{"", "limitranges", "c", ""},
    kind_habits{"", "namespaces", "d", "status.phase"},
    kind_habits{"", "nodes", "s", "spec.unschedulable"},
    kind_habits{"", "persistentvolumeclaims", "d", "", "kubernetes.io/pvc-protection"},
    kind_habits{"", "persistentvolumes", "d", "", "kubernetes.io/pv-protection"},
    kind_habits{"", "pods", "gd",
                "spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName spec.hostNetwork "
                "status.phase status.podIP status.podIPs status.nominatedNodeName spec.host"},
    kind_habits{"", "podtemplates", "gd", ""},
    kind_habits{"", "replicationcontrollers", "go", "status.replicas"},
    kind_habits{"", "resourcequotas", "d", ""},
    kind_habits{"", "secrets", "", "type"},
    kind_habits{"", "serviceaccounts", "d", ""},
    kind_habits{"", "services", "d", "spec.clusterIP spec.type"},
    kind_habits{"apiregistration.k8s.io", "apiservices", "v", ""},
    kind_habits{"apps", "daemonsets", "g", ""},
    kind_habits{"apps", "deployments", "g", ""},
    kind_habits{"apps", "replicasets", "g", ""},
    kind_habits{"apps", "statefulsets", "g", ""},
    kind_habits{"events.k8s.io", "events", "c",
                "reason regarding.kind regarding.namespace regarding.name regarding.uid regarding.apiVersion "
                "regarding.resourceVersion regarding.fieldPath reportingController type"},
    kind_habits{"batch", "cronjobs", "g", ""},
    kind_habits{"batch", "jobs", "go", "status.successful"},
    kind_habits{"autoscaling", "horizontalpodautoscalers", "g", ""},
    kind_habits{"certificates.k8s.io", "certificatesigningrequests", "", "spec.signerName"},
    kind_habits{"certificates.k8s.io", "clustertrustbundles", "v", "spec.signerName"},
    kind_habits{"certificates.k8s.io", "podcertificaterequests", "v", "spec.signerName spec.podName spec.nodeName"},
    kind_habits{"networking.k8s.io", "ingressclasses", "g", ""},
    kind_habits{"networking.k8s.io", "ingresses", "g", ""},
    kind_habits{"networking.k8s.io", "networkpolicies", "g", ""},
    kind_habits{"policy", "poddisruptionbudgets", "gv", ""},
    kind_habits{"rbac.authorization.k8s.io", "clusterrolebindings", "c", ""},
    kind_habits{"rbac.authorization.k8s.io", "clusterroles", "c", ""},
    kind_habits{"rbac.authorization.k8s.io", "rolebindings", "c", ""},
    kind_habits{"rbac.authorization.k8s.io", "roles", "c", ""},
    kind_habits{"storage.k8s.io", "csidrivers", "vd", ""},
    kind_habits{"storage.k8s.io", "csinodes", "vd", ""},
    kind_habits{"storage.k8s.io", "csistoragecapacities", "v", ""},
    kind_habits{"storage.k8s.io", "storageclasses", "d", ""},
    kind_habits{"storage.k8s.io", "volumeattachments", "vd", ""},
    kind_habits{"admissionregistration.k8s.io", "mutatingadmissionpolicies", "gv", ""},
    kind_habits{"admissionregistration.k8s.io", "mutatingadmissionpolicybindings", "gv", ""},
    kind_habits{"admissionregistration.k8s.io", "mutatingwebhookconfigurations", "gv", ""},
    kind_habits{"admissionregistration.k8s.io", "validatingadmissionpolicies", "gv", ""},
    kind_habits{"admissionregistration.k8s.io", "validatingadmissionpolicybindings", "gv", ""},
    kind_habits{"admissionregistration.k8s.io", "validatingwebhookconfigurations", "gv", ""},
    kind_habits{"apiextensions.k8s.io", "customresourcedefinitions", "gv", ""},
    kind_habits{"scheduling.k8s.io", "priorityclasses", "g", ""},
    kind_habits{"coordination.k8s.io", "leases", "vc", ""},
    kind_habits{"node.k8s.io", "runtimeclasses", "vc", ""},
    kind_habits{"discovery.k8s.io", "endpointslices", "g", ""},
    kind_habits{"resource.k8s.io", "deviceclasses", "gd", ""},
    kind_habits{"resource.k8s.io", "devicetaintrules", "gv", ""},
    kind_habits{"resource.k8s.io", "resourceclaims", "d", ""},
    kind_habits{"resource.k8s.io", "resourceclaimtemplates", "d", ""},
    kind_habits{"resource.k8s.io", "resourceslices", "gd", "spec.driver spec.nodeName spec.pool.name"},
    kind_habits{"storagemigration.k8s.io", "storageversionmigrations", "v", ""},
    kind_habits{"flowcontrol.apiserver.k8s.io", "flowschemas", "g", ""},
    kind_habits{"flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", "g", ""},
};

void set_habits(resource_type& type) {
    const auto is_it = [&type](const kind_habits& row) { return row.group == type.group && row.plural == type.plural; };
    const auto row = std::find_if(kind_habits_table.begin(), kind_habits_table.end(), is_it);
    const std::string_view letters = row == kind_habits_table.end() ? std::string_view() : row->letters;
    const auto has = [letters](char letter) { return letters.find(letter) != std::string_view::npos; };
    type.generation = has('g');
    type.needs_version = has('v');
    type.returns_deleted_object = has('d');
    type.create_on_update = has('c');
    type.orphans_dependents = has('o');
    type.creates_with_status = has('s');
    if (row == kind_habits_table.end()) return;
    for (std::string_view fields = row->selectable; !fields.empty();) {
        type.selectable_fields.emplace_back(next_part(fields, ' '));
    }
    if (!row->finalizer.empty()) type.initial_finalizers.emplace_back(row->finalizer);
}

std::vector<std::string> to_strings(const std::vector<std::string_view>& views) { return {views.begin(), views.end()}; }

resource_type type_of_builtin(const builtin_kind& kind, std::size_t place) {
    resource_type type(std::string(kind.group), std::string(kind.version), std::string(kind.kind),
                       std::string(kind.plural));
    type.singular = kind.singular;
    type.short_names = to_strings(kind.short_names);
    type.categories = to_strings(kind.categories);
    type.namespaced = kind.namespaced;
    type.custom = false;
    type.verbs = kind.verbs;
    for (const auto& below : kind.subresources) {
        type.subresources.push_back({std::string(below.name), std::string(below.group), std::string(below.version),
                                     std::string(below.kind), std::string(below.verbs)});
    }
    type.status_subresource = type.subresource("status") != nullptr;
    if (kind.storage_hash != "-") type.storage_hash = kind.storage_hash;
    type.place = place;
    type.schema = kind.type;
    set_habits(type);
    return type;
}

}  // namespace
}  // namespace detail

std::vector<resource_type> builtin_resource_types() {
    std::vector<resource_type> all;
    for (const auto& kind : builtin_schema::get().kinds()) {
        const auto same = [&kind](const resource_type& t) { return t.group == kind.group && t.plural == kind.plural; };
        const auto known = std::find_if(all.begin(), all.end(), same);
        if (known != all.end()) {
            known->versions.emplace_back(kind.version);
        } else {
            all.push_back(detail::type_of_builtin(kind, all.size()));
        }
    }
    return all;
}

}  // namespace kcontrol::testing
