#include "testserver/discovery.hpp"

#include <kcontrol/http/url.hpp>

#include "testserver/structural_schema.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

json::array string_array(const std::vector<std::string>& strings) {
    json::array out;
    for (const auto& s : strings) out.push_back(json::value(s));
    return out;
}

// "gpu" as discovery lists verbs.
json::array verb_names(std::string_view letters) {
    constexpr std::array<std::pair<char, std::string_view>, 8> names = {{{'c', "create"},
                                                                         {'d', "delete"},
                                                                         {'D', "deletecollection"},
                                                                         {'g', "get"},
                                                                         {'l', "list"},
                                                                         {'p', "patch"},
                                                                         {'u', "update"},
                                                                         {'w', "watch"}}};
    json::array out;
    for (const char letter : letters) {
        for (const auto& [known, name] : names) {
            if (known == letter) out.push_back(json::value(name));
        }
    }
    return out;
}

}  // namespace

std::vector<subresource_type> subresources_of(const resource_type& type, const std::string& version) {
    auto all = type.subresources;
    if (!type.custom) return all;
    const auto add = [&all](const char* name, std::string kind) {
        subresource_type made;
        made.name = name;
        made.kind = std::move(kind);
        made.verbs = "gpu";
        all.push_back(std::move(made));
    };
    if (type.status_subresource) add("status", type.kind);
    const structural_schema* structure = type.structure_in(version);
    if (structure == nullptr || structure->scale_spec.empty()) return all;
    add("scale", "Scale");
    all.back().group = "autoscaling";
    all.back().version = "v1";
    return all;
}

namespace {

using types_of_version = std::vector<const resource_type*>;

// Kinds as discovery orders them: Kubernetes' own as it does, then all others by their names.
types_of_version types_in_order(const object_store& store) {
    types_of_version out;
    for (const auto& [id, table] : store.tables()) out.push_back(&table->type());
    std::stable_sort(out.begin(), out.end(),
                     [](const resource_type* a, const resource_type* b) { return a->place < b->place; });
    return out;
}

// Versions of a group in order of preference, with their types.
std::vector<std::pair<std::string, types_of_version>> versions_of(const object_store& store, std::string_view group) {
    std::vector<std::pair<std::string, types_of_version>> versions;
    for (const resource_type* type : types_in_order(store)) {
        if (type->group != group) continue;
        for (const auto& version : type->versions) {
            auto at = std::find_if(versions.begin(), versions.end(), [&](const auto& v) { return v.first == version; });
            if (at == versions.end()) at = versions.insert(at, {version, {}});
            at->second.push_back(type);
        }
    }
    return versions;
}

std::vector<std::string> groups_of(const object_store& store) {
    std::vector<std::string> groups;
    for (const resource_type* type : types_in_order(store)) {
        const bool known = std::find(groups.begin(), groups.end(), type->group) != groups.end();
        if (!type->group.empty() && !known) groups.push_back(type->group);
    }
    return groups;
}

json::object group_version(const std::string& group, const std::string& version) {
    json::object out;
    out["groupVersion"] = group + "/" + version;
    out["version"] = version;
    return out;
}

json::object api_group(const object_store& store, const std::string& group) {
    json::object out;
    out["name"] = group;
    json::array versions;
    for (const auto& [version, types] : versions_of(store, group)) versions.push_back(group_version(group, version));
    if (!versions.empty()) out["preferredVersion"] = versions[0];
    out["versions"] = std::move(versions);
    return out;
}

json::object api_resource(const resource_type& type) {
    json::object out;
    out["name"] = type.plural;
    out["singularName"] = type.singular;
    out["namespaced"] = type.namespaced;
    out["kind"] = type.kind;
    out["verbs"] = verb_names(type.verbs);
    if (!type.short_names.empty()) out["shortNames"] = string_array(type.short_names);
    if (!type.categories.empty()) out["categories"] = string_array(type.categories);
    if (!type.storage_hash.empty()) out["storageVersionHash"] = type.storage_hash;
    return out;
}

json::object api_subresource(const resource_type& type, const subresource_type& below) {
    json::object out;
    out["name"] = type.plural + "/" + below.name;
    out["singularName"] = "";
    out["namespaced"] = type.namespaced;
    if (!below.group.empty()) out["group"] = below.group;
    if (!below.version.empty()) out["version"] = below.version;
    out["kind"] = below.kind;
    out["verbs"] = verb_names(below.verbs);
    return out;
}

std::optional<json::value> api_resource_list(const object_store& store, const std::string& group,
                                             const std::string& version) {
    json::array resources;
    for (const auto& [served, types] : versions_of(store, group)) {
        if (served != version) continue;
        for (const resource_type* type : types) {
            resources.push_back(api_resource(*type));
            for (const auto& below : subresources_of(*type, version)) {
                resources.push_back(api_subresource(*type, below));
            }
        }
    }
    if (resources.empty()) return std::nullopt;
    json::object list;
    list["kind"] = "APIResourceList";
    if (!group.empty()) list["apiVersion"] = "v1";
    list["groupVersion"] = group.empty() ? version : group + "/" + version;
    list["resources"] = std::move(resources);
    return list;
}

json::object response_kind(std::string_view group, std::string_view version, std::string_view kind) {
    json::object out;
    out["group"] = group;
    out["version"] = version;
    out["kind"] = kind;
    return out;
}

json::object aggregated_subresource(const resource_type& type, const std::string& version,
                                    const subresource_type& below) {
    json::object out;
    out["subresource"] = below.name;
    const bool own = type.custom && below.group.empty();
    out["responseKind"] =
        own ? response_kind(type.group, version, below.kind) : response_kind(below.group, below.version, below.kind);
    out["verbs"] = verb_names(below.verbs);
    return out;
}

// Kubernetes' own kinds leave out the group and version of what they answer with where it is their own.
json::object aggregated_resource(const resource_type& type, const std::string& version) {
    json::object out;
    out["resource"] = type.plural;
    out["responseKind"] =
        type.custom ? response_kind(type.group, version, type.kind) : response_kind("", "", type.kind);
    out["scope"] = type.namespaced ? "Namespaced" : "Cluster";
    out["singularResource"] = type.singular;
    out["verbs"] = verb_names(type.verbs);
    if (!type.short_names.empty()) out["shortNames"] = string_array(type.short_names);
    if (!type.categories.empty()) out["categories"] = string_array(type.categories);
    json::array subresources;
    for (const auto& below : subresources_of(type, version)) {
        subresources.push_back(aggregated_subresource(type, version, below));
    }
    if (!subresources.empty()) out["subresources"] = std::move(subresources);
    return out;
}

json::value aggregated(const object_store& store, const std::vector<std::string>& groups) {
    json::array items;
    for (const auto& group : groups) {
        json::array versions;
        for (const auto& [version, types] : versions_of(store, group)) {
            json::array resources;
            for (const resource_type* type : types) resources.push_back(aggregated_resource(*type, version));
            json::object entry;
            entry["version"] = version;
            entry["resources"] = std::move(resources);
            entry["freshness"] = "Current";
            versions.push_back(std::move(entry));
        }
        json::object item;
        json::object& metadata = item["metadata"].emplace_object();
        if (!group.empty()) metadata["name"] = group;
        item["versions"] = std::move(versions);
        items.push_back(std::move(item));
    }
    json::object list;
    list["kind"] = "APIGroupDiscoveryList";
    list["apiVersion"] = "apidiscovery.k8s.io/v2";
    list["metadata"] = json::object();
    list["items"] = std::move(items);
    return list;
}

json::value api_versions(const object_store& store) {
    json::array versions;
    for (const auto& [version, types] : versions_of(store, "")) versions.push_back(json::value(version));
    json::object out;
    out["kind"] = "APIVersions";
    out["versions"] = std::move(versions);
    out["serverAddressByClientCIDRs"] = json::array();
    return out;
}

}  // namespace
}  // namespace detail

bool wants_aggregated_discovery(std::string_view accept) {
    return accept.find("as=APIGroupDiscoveryList") != std::string_view::npos &&
           accept.find("v=v2;") != std::string_view::npos;
}

std::optional<json::value> discovery_document(const object_store& store, std::string_view path,
                                              std::string_view accept) {
    const auto segments = http::split_path(path);
    if (!segments || segments->empty()) return std::nullopt;
    const auto& at = *segments;
    const bool together = wants_aggregated_discovery(accept);
    if (at[0] == "api") {
        if (at.size() == 1) return together ? detail::aggregated(store, {""}) : detail::api_versions(store);
        if (at.size() == 2) return detail::api_resource_list(store, "", at[1]);
    }
    if (at[0] != "apis") return std::nullopt;
    if (at.size() == 1 && together) return detail::aggregated(store, detail::groups_of(store));
    if (at.size() == 1) {
        json::array groups;
        for (const auto& group : detail::groups_of(store)) groups.push_back(detail::api_group(store, group));
        json::object list;
        list["kind"] = "APIGroupList";
        list["apiVersion"] = "v1";
        list["groups"] = std::move(groups);
        return list;
    }
    if (at.size() == 2) {
        json::object group = detail::api_group(store, at[1]);
        if (group["versions"].as_array().empty()) return std::nullopt;
        group["kind"] = "APIGroup";
        group["apiVersion"] = "v1";
        return group;
    }
    if (at.size() == 3) return detail::api_resource_list(store, at[1], at[2]);
    return std::nullopt;
}

}  // namespace kcontrol::testing
