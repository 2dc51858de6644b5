#include "testserver/openapi.hpp"

#include "testserver/openapi_schemas.hpp"

#include <string>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

std::string group_version_path(const resource_type& type, const std::string& version) {
    return type.group.empty() ? "api/" + version : "apis/" + type.group + "/" + version;
}

json::object openapi_index(const object_store& store) {
    json::object paths;
    for (const auto& [id, table] : store.tables()) {
        for (const auto& version : table->type().versions) {
            const std::string path = group_version_path(table->type(), version);
            paths[path].emplace_object()["serverRelativeURL"] = "/openapi/v3/" + path;
        }
    }
    json::object index;
    index["paths"] = std::move(paths);
    return index;
}

json::value patch_operation(const resource_type& type, const std::string& version) {
    json::object parameter;
    parameter["name"] = "fieldValidation";
    parameter["in"] = "query";
    parameter["schema"].emplace_object()["type"] = "string";
    json::object kind;
    kind["group"] = type.group;
    kind["version"] = version;
    kind["kind"] = type.kind;
    json::object operation;
    operation["parameters"].emplace_array().push_back(std::move(parameter));
    operation["responses"] = json::object();
    operation["x-kubernetes-group-version-kind"] = std::move(kind);
    json::object item;
    item["patch"] = std::move(operation);
    return item;
}

}  // namespace
}  // namespace detail

std::optional<json::value> openapi_document(const object_store& store, std::string_view path) {
    constexpr std::string_view root = "/openapi/v3";
    if (path == root) return detail::openapi_index(store);
    if (!path.starts_with("/openapi/v3/")) return std::nullopt;
    const std::string_view wanted = path.substr(root.size() + 1);
    json::object paths;
    detail::schema_collector schemas;
    for (const auto& [id, table] : store.tables()) {
        const resource_type& type = table->type();
        for (const auto& version : type.versions) {
            const std::string group_version = detail::group_version_path(type, version);
            if (group_version != wanted) continue;
            std::string key = "/" + group_version;
            key += type.namespaced ? "/namespaces/{namespace}/" : "/";
            key += type.plural + "/{name}";
            paths[key] = detail::patch_operation(type, version);
            detail::add_kind(schemas, store, type, version);
        }
    }
    if (paths.empty()) return std::nullopt;
    json::object document;
    document["openapi"] = "3.0.0";
    json::object& info = document["info"].emplace_object();
    info["title"] = "kcontrol in-process API server";
    info["version"] = "0";
    document["paths"] = std::move(paths);
    document["components"].emplace_object()["schemas"] = schemas.take();
    return document;
}

}  // namespace kcontrol::testing
