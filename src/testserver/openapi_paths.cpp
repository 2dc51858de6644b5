#include "testserver/openapi_paths.hpp"

#include "testserver/discovery.hpp"

#include <utility>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

json::object parameter_of(std::string_view name, std::string_view in, std::string_view type) {
    json::object out;
    out["name"] = name;
    out["in"] = in;
    if (in == "path") out["required"] = true;
    out["schema"].emplace_object()["type"] = type;
    return out;
}

/// The operations of one path.
class path_item {
public:
    path_item(std::string group, std::string version, std::string kind)
        : group_(std::move(group)), version_(std::move(version)), kind_(std::move(kind)) {}

    void add(std::string_view method, std::string_view action) {
        json::object operation = plain_operation(action);
        json::array parameters;
        if (method == "post" || method == "put" || method == "patch") {
            // By these kubectl knows what it need not check itself.
            for (const std::string_view name : {"dryRun", "fieldManager", "fieldValidation"}) {
                parameters.push_back(parameter_of(name, "query", "string"));
            }
            if (method == "patch") parameters.push_back(parameter_of("force", "query", "boolean"));
        }
        if (action == "list" || action == "deletecollection") {
            for (const std::string_view name : {"continue", "fieldSelector", "labelSelector", "resourceVersion"}) {
                parameters.push_back(parameter_of(name, "query", "string"));
            }
            parameters.push_back(parameter_of("limit", "query", "integer"));
            if (action == "list") parameters.push_back(parameter_of("watch", "query", "boolean"));
        }
        operation["parameters"] = std::move(parameters);
        json::object kind;
        kind["group"] = group_;
        kind["version"] = version_;
        kind["kind"] = kind_;
        operation["x-kubernetes-group-version-kind"] = std::move(kind);
        item_[method] = std::move(operation);
    }

    void put_into(json::object& paths, const std::string& path) {
        if (item_.empty()) return;
        json::array parameters;
        for (const std::string_view name : {"namespace", "name"}) {
            if (path.find("{" + std::string(name) + "}") != std::string::npos) {
                parameters.push_back(parameter_of(name, "path", "string"));
            }
        }
        if (!parameters.empty()) item_["parameters"] = std::move(parameters);
        paths[path] = std::move(item_);
    }

private:
    std::string group_, version_, kind_;
    json::object item_;
};

void add_verbs(path_item& item, const std::string& verbs) {
    const auto has = [&verbs](char verb) { return verbs.find(verb) != std::string::npos; };
    if (has('g')) item.add("get", "get");
    if (has('c')) item.add("post", "post");
    if (has('u')) item.add("put", "put");
    if (has('p')) item.add("patch", "patch");
    if (has('d')) item.add("delete", "delete");
}

}  // namespace

std::string group_version_path(const resource_type& type, const std::string& version) {
    return type.group.empty() ? "api/" + version : "apis/" + type.group + "/" + version;
}

json::object plain_operation(std::string_view action) {
    json::object out, answer;
    answer["description"] = "OK";
    out["responses"].emplace_object()["200"] = std::move(answer);
    out["x-kubernetes-action"] = action;
    return out;
}

void add_paths(json::object& paths, const resource_type& type, const std::string& version) {
    const std::string base = "/" + group_version_path(type, version) + "/";
    const std::string all = base + (type.namespaced ? "namespaces/{namespace}/" : "") + type.plural;
    path_item collection(type.group, version, type.kind), item(type.group, version, type.kind);
    if (type.allows('l')) collection.add("get", "list");
    if (type.allows('c')) collection.add("post", "post");
    if (type.allows('D')) collection.add("delete", "deletecollection");
    collection.put_into(paths, all);
    if (type.namespaced && type.allows('l')) {
        path_item everywhere(type.group, version, type.kind);
        everywhere.add("get", "list");
        everywhere.put_into(paths, base + type.plural);
    }
    std::string of_one = type.verbs;
    std::erase(of_one, 'c');
    add_verbs(item, of_one);
    item.put_into(paths, all + "/{name}");
    for (const auto& below : subresources_of(type, version)) {
        const bool own = !below.version.empty();
        path_item part(own ? below.group : type.group, own ? below.version : version, below.kind);
        add_verbs(part, below.verbs);
        part.put_into(paths, all + "/{name}/" + below.name);
    }
}

}  // namespace kcontrol::testing::detail
