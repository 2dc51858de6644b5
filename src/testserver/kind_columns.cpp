#include "testserver/kind_columns.hpp"

#include "testserver/cluster_cells.hpp"
#include "testserver/pod_cells.hpp"
#include "testserver/service_cells.hpp"
#include "testserver/workload_cells.hpp"

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

using columns = std::vector<table_column>;

table_column text_column(std::string_view name, int priority = 0) { return {name, "string", priority}; }
table_column name_column() { return {"Name", "string", 0, "name"}; }
table_column age_column() { return {"Age", "string"}; }
table_column count_column(std::string_view name) { return {name, "integer"}; }

columns with_wide(columns out, std::initializer_list<std::string_view> names) {
    for (const auto name : names) out.push_back(text_column(name, 1));
    return out;
}

void add_workload_columns(std::vector<kind_columns>& all) {
    const auto n = name_column();
    const auto age = age_column();
    const auto pods = {std::string_view("Containers"), std::string_view("Images"), std::string_view("Selector")};
    const auto t = [](std::string_view name) { return text_column(name); };
    const auto c = [](std::string_view name) { return count_column(name); };
    all.push_back({"", "pods",
                   with_wide({n, t("Ready"), t("Status"), t("Restarts"), age},
                             {"IP", "Node", "Nominated Node", "Readiness Gates"}),
                   pod_cells});
    all.push_back({"apps", "deployments", with_wide({n, t("Ready"), t("Up-to-date"), t("Available"), age}, pods),
                   deployment_cells});
    for (const auto& [group, plural] : {std::pair("apps", "replicasets"), std::pair("", "replicationcontrollers")}) {
        all.push_back(
            {group, plural, with_wide({n, c("Desired"), c("Current"), c("Ready"), age}, pods), replica_set_cells});
    }
    all.push_back(
        {"apps", "statefulsets", with_wide({n, t("Ready"), age}, {"Containers", "Images"}), stateful_set_cells});
    all.push_back({"apps", "daemonsets",
                   with_wide({n, c("Desired"), c("Current"), c("Ready"), c("Up-to-date"), c("Available"),
                              t("Node Selector"), age},
                             pods),
                   daemon_set_cells});
    all.push_back(
        {"batch", "jobs", with_wide({n, t("Status"), t("Completions"), t("Duration"), age}, pods), job_cells});
    all.push_back(
        {"batch", "cronjobs",
         with_wide({n, t("Schedule"), t("Timezone"), {"Suspend", "boolean"}, c("Active"), t("Last Schedule"), age},
                   pods),
         cron_job_cells});
    all.push_back({"policy",
                   "poddisruptionbudgets",
                   {n, t("Min Available"), t("Max Unavailable"), c("Allowed Disruptions"), age},
                   disruption_budget_cells});
    all.push_back({"autoscaling",
                   "horizontalpodautoscalers",
                   {n, t("Reference"), t("Targets"), t("MinPods"), t("MaxPods"), t("Replicas"), age},
                   autoscaler_cells});
}

void add_service_columns(std::vector<kind_columns>& all) {
    const auto n = name_column();
    const auto age = age_column();
    const auto t = [](std::string_view name) { return text_column(name); };
    all.push_back({"", "services",
                   with_wide({n, t("Type"), t("Cluster-IP"), t("External-IP"), t("Port(s)"), age}, {"Selector"}),
                   service_cells});
    all.push_back({"", "endpoints", {n, t("Endpoints"), age}, endpoints_cells});
    all.push_back({"discovery.k8s.io",
                   "endpointslices",
                   {n, t("AddressType"), t("Ports"), t("Endpoints"), age},
                   endpoint_slice_cells});
    all.push_back(
        {"networking.k8s.io", "ingresses", {n, t("Class"), t("Hosts"), t("Address"), t("Ports"), age}, ingress_cells});
    all.push_back({"networking.k8s.io", "networkpolicies", {n, t("Pod-Selector"), age}, network_policy_cells});
}

void add_cluster_columns(std::vector<kind_columns>& all) {
    const auto n = name_column();
    const auto age = age_column();
    const auto t = [](std::string_view name) { return text_column(name); };
    all.push_back({"", "nodes",
                   with_wide({n, t("Status"), t("Roles"), age, t("Version")},
                             {"Internal-IP", "External-IP", "OS-Image", "Kernel-Version", "Container-Runtime"}),
                   node_cells});
    all.push_back({"", "namespaces", {n, t("Status"), age}, namespace_cells});
    all.push_back({"", "secrets", {n, t("Type"), t("Data"), age}, secret_cells});
    all.push_back({"", "configmaps", {n, t("Data"), age}, config_map_cells});
    all.push_back({"", "serviceaccounts", {n, age}, plain_cells});
    all.push_back({"", "persistentvolumes",
                   with_wide({n, t("Capacity"), t("Access Modes"), t("Reclaim Policy"), t("Status"), t("Claim"),
                              t("StorageClass"), t("VolumeAttributesClass"), t("Reason"), age},
                             {"VolumeMode"}),
                   volume_cells});
    all.push_back({"", "persistentvolumeclaims",
                   with_wide({n, t("Status"), t("Volume"), t("Capacity"), t("Access Modes"), t("StorageClass"),
                              t("VolumeAttributesClass"), age},
                             {"VolumeMode"}),
                   claim_cells});
    all.push_back({"storage.k8s.io",
                   "storageclasses",
                   {n, t("Provisioner"), t("ReclaimPolicy"), t("VolumeBindingMode"), t("AllowVolumeExpansion"), age},
                   storage_class_cells});
    all.push_back({"coordination.k8s.io", "leases", {n, t("Holder"), age}, lease_cells});
    all.push_back({"scheduling.k8s.io",
                   "priorityclasses",
                   {n, count_column("Value"), {"Global-Default", "boolean"}, age, t("PreemptionPolicy")},
                   priority_class_cells});
    for (const auto plural : {"rolebindings", "clusterrolebindings"}) {
        all.push_back({"rbac.authorization.k8s.io", plural,
                       with_wide({n, t("Role"), age}, {"Users", "Groups", "ServiceAccounts"}), binding_cells});
    }
    for (const auto& [group, plural] :
         {std::pair("rbac.authorization.k8s.io", "roles"), std::pair("rbac.authorization.k8s.io", "clusterroles"),
          std::pair("", "limitranges")}) {
        all.push_back({group, plural, {n, {"Created At", "date"}}, created_cells});
    }
    auto of_definition =
        with_wide({n, t("Scope"), t("Versions"), {"Created At", "date"}}, {"Group", "Kind", "ShortNames"});
    of_definition.emplace_back("Established", "boolean", 1);
    all.push_back({"apiextensions.k8s.io", "customresourcedefinitions", std::move(of_definition), definition_cells});
    for (const auto group : {"", "events.k8s.io"}) {
        all.push_back({group,
                       "events",
                       {t("Last Seen"),
                        t("Type"),
                        t("Reason"),
                        t("Object"),
                        text_column("Subobject", 1),
                        text_column("Source", 1),
                        t("Message"),
                        text_column("First Seen", 1),
                        text_column("Count", 1),
                        {"Name", "string", 1, "name"}},
                       event_cells});
    }
}

}  // namespace
}  // namespace detail

const kind_columns* columns_of_kind(const group_resource& id) {
    static const auto all = [] {
        std::vector<kind_columns> out;
        detail::add_workload_columns(out);
        detail::add_service_columns(out);
        detail::add_cluster_columns(out);
        return out;
    }();
    const auto found = std::find_if(all.begin(), all.end(), [&id](const kind_columns& one) {
        return one.plural == id.resource && one.group == id.group;
    });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace kcontrol::testing
