#pragma once

#include <kcontrol/apiserver/resource_type.hpp>

namespace kcontrol::testing {
namespace detail {

inline resource_type builtin(std::string group, std::string version, std::string kind, std::string plural,
                             std::vector<std::string> short_names) {
    resource_type type(std::move(group), std::move(version), std::move(kind), std::move(plural));
    type.custom = false;
    type.short_names = std::move(short_names);
    return type;
}

// A kind without spec and status: no generation, no status subresource.
inline resource_type builtin_data(std::string kind, std::string plural, std::vector<std::string> short_names) {
    resource_type type = builtin("", "v1", std::move(kind), std::move(plural), std::move(short_names));
    type.status_subresource = false;
    type.generation = false;
    return type;
}

inline resource_type namespace_type() {
    resource_type type = builtin("", "v1", "Namespace", "namespaces", {"ns"});
    type.namespaced = false;
    type.generation = false;
    type.returns_deleted_object = true;
    type.selectable_fields = {"status.phase"};
    type.columns.emplace_back("Status", "string", ".status.phase");
    return type;
}

inline resource_type node_type() {
    resource_type type = builtin("", "v1", "Node", "nodes", {"no"});
    type.namespaced = false;
    type.generation = false;
    type.columns.emplace_back("Status", "string", R"(.status.conditions[?(@.type=="Ready")].reason)");
    type.columns.emplace_back("Version", "string", ".status.nodeInfo.kubeletVersion");
    return type;
}

inline resource_type pod_type() {
    resource_type type = builtin("", "v1", "Pod", "pods", {"po"});
    type.categories = {"all"};
    type.returns_deleted_object = true;
    type.selectable_fields = {"spec.nodeName", "status.phase"};
    type.columns.emplace_back("Status", "string", ".status.phase");
    type.columns.emplace_back("Node", "string", ".spec.nodeName", 1);
    return type;
}

inline resource_type job_type() {
    resource_type type = builtin("batch", "v1", "Job", "jobs", {});
    type.categories = {"all"};
    type.columns.emplace_back("Status", "string", R"(.status.conditions[?(@.status=="True")].type)");
    type.columns.emplace_back("Completions", "integer", ".spec.completions");
    type.columns.emplace_back("Succeeded", "integer", ".status.succeeded");
    return type;
}

inline resource_type lease_type() {
    resource_type type = builtin("coordination.k8s.io", "v1", "Lease", "leases", {});
    type.status_subresource = false;
    type.generation = false;
    type.columns.emplace_back("Holder", "string", ".spec.holderIdentity");
    return type;
}

inline resource_type event_resource_type() {
    resource_type type = builtin_data("Event", "events", {"ev"});
    type.columns.emplace_back("Type", "string", ".type");
    type.columns.emplace_back("Reason", "string", ".reason");
    type.columns.emplace_back("Message", "string", ".message");
    type.selectable_fields = {"involvedObject.kind",
                              "involvedObject.name",
                              "involvedObject.namespace",
                              "involvedObject.uid",
                              "reason",
                              "type"};
    return type;
}

inline resource_type crd_type() {
    resource_type type =
        builtin("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", {"crd", "crds"});
    type.namespaced = false;
    type.columns.emplace_back("Created At", "date", ".metadata.creationTimestamp");
    type.custom = true;  // it, too, refuses an update without a resourceVersion
    return type;
}

}  // namespace detail

KCONTROL_DECL std::vector<resource_type> builtin_resource_types() {
    std::vector<resource_type> all;
    all.push_back(detail::namespace_type());
    all.push_back(detail::node_type());
    all.push_back(detail::pod_type());
    all.push_back(detail::builtin_data("Secret", "secrets", {}));
    all.push_back(detail::builtin_data("ConfigMap", "configmaps", {"cm"}));
    all.push_back(detail::event_resource_type());
    all.push_back(detail::job_type());
    all.push_back(detail::lease_type());
    all.push_back(detail::crd_type());
    return all;
}

}  // namespace kcontrol::testing
