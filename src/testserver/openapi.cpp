#include "testserver/openapi.hpp"

#include "testserver/kubernetes_version.hpp"
#include "testserver/openapi_paths.hpp"
#include "testserver/openapi_schemas.hpp"
#include "testserver/openapi_v2.hpp"

#include <set>
#include <string>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

constexpr std::string_view v3_root = "/openapi/v3";

json::object openapi_index(const object_store& store) {
    std::set<std::string> documents{"api", "apis", "version"};
    for (const auto& [id, table] : store.tables()) {
        const resource_type& type = table->type();
        if (!type.group.empty()) documents.insert("apis/" + type.group);
        for (const auto& version : type.versions) documents.insert(group_version_path(type, version));
    }
    json::object paths;
    for (const auto& path : documents) {
        paths[path].emplace_object()["serverRelativeURL"] = std::string(v3_root) + "/" + path;
    }
    json::object index;
    index["paths"] = std::move(paths);
    return index;
}

// What discovery answers below that path has no kinds.
std::optional<json::object> discovery_paths(const object_store& store, std::string_view wanted) {
    bool known = wanted == "api" || wanted == "apis" || wanted == "version";
    for (const auto& [id, table] : store.tables()) known = known || wanted == "apis/" + table->type().group;
    if (!known || wanted == "apis/") return std::nullopt;
    json::object item, paths;
    item["get"] = plain_operation("get");
    paths["/" + std::string(wanted) + "/"] = std::move(item);
    return paths;
}

json::object about_this_server() {
    json::object info;
    info["title"] = "kcontrol in-process API server";
    info["version"] = kubernetes_version();
    return info;
}

json::value whole_v2_document(const object_store& store) {
    json::object paths;
    schema_collector schemas;
    for (const auto& [id, table] : store.tables()) {
        for (const auto& version : table->type().versions) {
            add_paths(paths, table->type(), version);
            add_kind(schemas, store, table->type(), version);
        }
    }
    return openapi_v2_of(about_this_server(), std::move(paths), schemas.take());
}

}  // namespace
}  // namespace detail

std::optional<json::value> openapi_document(const object_store& store, std::string_view path) {
    if (path == detail::v3_root) return detail::openapi_index(store);
    if (!path.starts_with("/openapi/v3/")) return std::nullopt;
    const std::string_view wanted = path.substr(detail::v3_root.size() + 1);
    json::object paths;
    detail::schema_collector schemas;
    for (const auto& [id, table] : store.tables()) {
        const resource_type& type = table->type();
        for (const auto& version : type.versions) {
            if (detail::group_version_path(type, version) != wanted) continue;
            detail::add_paths(paths, type, version);
            detail::add_kind(schemas, store, type, version);
        }
    }
    if (paths.empty()) {
        auto plain = detail::discovery_paths(store, wanted);
        if (!plain) return std::nullopt;
        paths = std::move(*plain);
    }
    json::object document;
    document["openapi"] = "3.0.0";
    document["info"] = detail::about_this_server();
    document["paths"] = std::move(paths);
    document["components"].emplace_object()["schemas"] = schemas.take();
    return document;
}

std::optional<http::response> answer_openapi_v2(const object_store& store, std::string_view path,
                                                std::string_view accept) {
    if (path != "/openapi/v2") return std::nullopt;
    const json::value document = detail::whole_v2_document(store);
    // kubectl asks for this form only.
    if (accept.find("com.github.proto-openapi.spec.v2@v1.0+protobuf") != std::string_view::npos) {
        return http::response{200, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
                              detail::openapi_v2_protobuf(document)};
    }
    return http::response{200, "application/json", json::serialize(document)};
}

}  // namespace kcontrol::testing
