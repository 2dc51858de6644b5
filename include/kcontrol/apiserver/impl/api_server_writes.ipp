#pragma once

#include <kcontrol/apiserver/api_server_core.hpp>
#include <kcontrol/apiserver/impl/object_store.ipp>
#include <kcontrol/apiserver/impl/rendering.ipp>
#include <kcontrol/apiserver/timestamp.hpp>
#include <kcontrol/documents/patch.hpp>
#include <kcontrol/documents/yaml.hpp>

#include <algorithm>

namespace kcontrol::testing::detail {

const inline group_resource crds_id("apiextensions.k8s.io", "customresourcedefinitions");

constexpr std::string_view apply_media_type = "application/apply-patch+yaml";

// The part of a Content-Type before its parameters.
inline std::string_view media_type(const http::request& request) {
    std::string_view text = request.headers.get("Content-Type");
    return cut(text, ';');
}

inline outcome<json::value> parse_body(const http::request& request, const resource_type& type) {
    const std::string_view given = media_type(request);
    if (!given.empty() && given != "application/json") return failure::unsupported_media_type("application/json");
    auto body = json::parse(request.body);
    if (body && body->is_object()) return std::move(*body);
    const std::string problem = body ? "json: cannot unmarshal into Go value" : body.error().message();
    return failure::bad_request("the object provided is unrecognized (must be of type " + type.kind +
                                "): couldn't get version/kind; json parse error: " + problem);
}

inline outcome<bool> dry_run_of(std::string_view value, std::string_view options_kind) {
    if (value.empty()) return false;
    if (value == "All") return true;
    return failure::invalid({"meta.k8s.io", std::string(options_kind)}, "", "dryRun", "FieldValueNotSupported",
                            "Unsupported value: [\"" + std::string(value) + R"("]: supported values: "All")");
}

// DeleteOptions come as query or as body; the body wins.
inline outcome<delete_request> delete_options(const http::request& request, const request_info& info) {
    delete_request out;
    json::value body;
    if (!request.body.empty()) {
        auto parsed = json::parse(request.body);
        if (!parsed || !parsed->is_object()) return failure::bad_request("couldn't parse the DeleteOptions");
        body = std::move(*parsed);
    }
    std::string dry_run(info.parameter("dryRun"));
    const auto listed = strings_of(json::find(body, {"dryRun"}));
    if (!listed.empty()) dry_run = listed.front();
    const auto dry = dry_run_of(dry_run, "DeleteOptions");
    if (!dry) return dry.error();
    out.dry_run = *dry;
    std::string policy(info.parameter("propagationPolicy"));
    if (const auto given = json::get_string(body, {"propagationPolicy"}); !given.empty()) policy = given;
    if (!policy.empty() && policy != "Background" && policy != "Foreground" && policy != "Orphan") {
        return failure::invalid({"meta.k8s.io", "DeleteOptions"}, "", "propagationPolicy", "FieldValueNotSupported",
                                "Unsupported value: " + in_quotes(policy) +
                                    R"(: supported values: "Foreground", "Background", "Orphan", "nil")");
    }
    out.uid = json::get_string(body, {"preconditions", "uid"});
    out.resource_version = json::get_string(body, {"preconditions", "resourceVersion"});
    return out;
}

// Who writes: fieldManager, or the program's name in User-Agent.
inline std::string manager_of(const http::request& request, const request_info& info) {
    constexpr std::size_t most = 128;
    if (const auto given = info.parameter("fieldManager"); !given.empty()) return std::string(given);
    std::string_view agent = request.headers.get("User-Agent");
    agent = agent.substr(0, std::min(agent.find('/'), most));
    return agent.empty() ? "unknown" : std::string(agent);
}

// metav1.PatchOptions, as far as they say who writes.
inline outcome<void> check_manager(const request_info& info, bool applies) {
    constexpr std::size_t most = 128;
    const group_resource options("meta.k8s.io", info.verb == "create"   ? "CreateOptions"
                                                : info.verb == "update" ? "UpdateOptions"
                                                                        : "PatchOptions");
    const std::string_view given = info.parameter("fieldManager");
    if (applies && given.empty()) {
        return failure::invalid(options, "", "fieldManager", "FieldValueRequired",
                                "Required value: is required for apply patch");
    }
    if (given.size() > most) {
        return failure::invalid(options, "", "fieldManager", "FieldValueTooLong",
                                "Too long: may not be more than 128 bytes");
    }
    if (info.verb == "patch" && !applies && info.has_parameter("force")) {
        return failure::invalid(options, "", "force", "FieldValueForbidden",
                                "Forbidden: may not be specified for non-apply patch");
    }
    return {};
}

// JSON is YAML, but not everything that is JSON in practice (tabs, long keys) is read by YAML parsers.
inline outcome<json::value> parse_applied(const http::request& request) {
    auto body = json::parse(request.body);
    if (!body) {
        auto documents = json::parse_yaml(request.body);
        if (!documents) return failure::bad_request("error decoding YAML: " + documents.error().message());
        body = documents->size() == 1 ? std::move(documents->front()) : json::value();
    }
    if (body->is_object()) return std::move(*body);
    return failure::bad_request(
        "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot "
        "unmarshal " +
        std::string(json_type(*body)) + " into Go value of type map[string]interface {}");
}

// Without lists and directives a strategic merge patch means what a merge patch means.
inline bool is_plain_merge(const json::value& patch) {
    if (patch.is_array()) return false;
    if (!patch.is_object()) return true;
    for (const auto& member : patch.get_object()) {
        if (member.key().starts_with('$') || !is_plain_merge(member.value())) return false;
    }
    return true;
}

inline failure undecodable_patch(std::string_view why) {
    return failure::bad_request("error decoding patch: " + std::string(why));
}

inline object_store::editor merge_editor(json::value patch) {
    return [patch = std::move(patch)](json::value& whole) -> outcome<void> {
        json::apply_merge_patch(whole, patch);
        return {};
    };
}

inline object_store::editor json_patch_editor(json::value patch) {
    return [patch = std::move(patch)](json::value& whole) -> outcome<void> {
        if (!json::apply_patch(whole, patch)) return failure::unprocessable();
        return {};
    };
}

inline outcome<object_store::editor> editor_of(const http::request& request, const resource_type& type) {
    const std::string_view given = media_type(request);
    const bool json_patch = given == "application/json-patch+json";
    const bool merge = given == "application/merge-patch+json";
    const bool strategic = given == "application/strategic-merge-patch+json" && !type.custom;
    if (!json_patch && !merge && !strategic) {
        return failure::unsupported_media_type(
            "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
    }
    auto patch = json::parse(request.body);
    if (!patch) return undecodable_patch(patch.error().message());
    if (json_patch) {
        if (!patch->is_array())
            return undecodable_patch("json: cannot unmarshal into Go value of type []handlers.jsonPatchOp");
        return json_patch_editor(std::move(*patch));
    }
    if (!patch->is_object())
        return undecodable_patch("json: cannot unmarshal into Go value of type map[string]interface {}");
    if (strategic && !is_plain_merge(*patch)) {
        return failure::unsupported_media_type(
            "application/json-patch+json, application/merge-patch+json (this server takes strategic merge patches "
            "without lists only)");
    }
    return merge_editor(std::move(*patch));
}

// The Status of an object that went at once.
inline json::value deleted_status(const resource_type& type, const stored_object& object, std::string_view name) {
    json::object details = details_of(type.id(), name);
    details["uid"] = object.uid();
    json::object status;
    status["kind"] = "Status";
    status["apiVersion"] = "v1";
    status["metadata"] = json::object();
    status["status"] = "Success";
    status["details"] = std::move(details);
    return status;
}

KCONTROL_DECL outcome<http::response> api_server_core::answer_write(const http::server_request& request,
                                                                    const request_info& info, resource_table& table,
                                                                    shape form) {
    if (info.verb == "delete") return remove_one(request, info, table, form);
    if (info.verb == "deletecollection") return remove_many(request, info, table, form);
    const std::string_view options_kind = info.verb == "create"   ? "CreateOptions"
                                          : info.verb == "update" ? "UpdateOptions"
                                                                  : "PatchOptions";
    const auto dry_run = dry_run_of(info.parameter("dryRun"), options_kind);
    if (!dry_run) return dry_run.error();
    write_target target(info.version, info.namespace_, info.name);
    target.subresource = info.subresource;
    target.manager = manager_of(request, info);
    const bool applies = info.verb == "patch" && media_type(request) == apply_media_type;
    if (auto checked = check_manager(info, applies); !checked) return checked.error();
    if (applies) return answer_apply(request, info, target, table, *dry_run, form);
    outcome<object_ptr> written = object_ptr();
    if (info.verb == "patch") {
        written = patch(request, target, table, *dry_run);
    } else {
        auto body = parse_body(request, table.type());
        if (!body) return body.error();
        written = info.verb == "create" ? create(table, target, std::move(*body), *dry_run)
                                        : update(table, target, std::move(*body), *dry_run);
    }
    if (!written) return written.error();
    const renderer out = renderer_for(table, info, form);
    return http::response(info.verb == "create" ? 201 : 200, "application/json", out.object(**written));
}

KCONTROL_DECL outcome<object_ptr> api_server_core::create(resource_table& table, const write_target& target,
                                                          json::value body, bool dry_run) {
    if (table.type().id() == crds_id) {
        const auto described = resource_type_of_crd(body);
        if (!described) return described.error();
    }
    auto created = store.create(table, target, std::move(body.as_object()), dry_run);
    if (created && !dry_run) crd_written(table, *created);
    return created;
}

KCONTROL_DECL outcome<object_ptr> api_server_core::update(resource_table& table, const write_target& target,
                                                          json::value body, bool dry_run) {
    auto updated = store.update(table, target, std::move(body.as_object()), dry_run);
    if (updated && !dry_run) crd_written(table, *updated);
    return updated;
}

KCONTROL_DECL outcome<object_ptr> api_server_core::patch(const http::server_request& request,
                                                         const write_target& target, resource_table& table,
                                                         bool dry_run) {
    const auto edit = editor_of(request, table.type());
    if (!edit) return edit.error();
    auto patched = store.patch(table, target, *edit, dry_run);
    if (patched && !dry_run) crd_written(table, *patched);
    return patched;
}

KCONTROL_DECL outcome<apply_result> api_server_core::apply(resource_table& table, const write_target& target,
                                                           json::value config, bool force, bool dry_run) {
    if (table.type().id() == crds_id && table.get({"", target.name}) == nullptr) {
        const auto described = resource_type_of_crd(config);
        if (!described) return described.error();
    }
    auto applied = store.apply(table, target, std::move(config.as_object()), force, dry_run);
    if (applied && !dry_run) crd_written(table, applied->object);
    return applied;
}

KCONTROL_DECL outcome<http::response> api_server_core::answer_apply(const http::server_request& request,
                                                                    const request_info& info,
                                                                    const write_target& target, resource_table& table,
                                                                    bool dry_run, shape form) {
    auto config = parse_applied(request);
    if (!config) return config.error();
    const auto applied = apply(table, target, std::move(*config), info.flag("force"), dry_run);
    if (!applied) return applied.error();
    const renderer out = renderer_for(table, info, form);
    return http::response(applied->created ? 201 : 200, "application/json", out.object(*applied->object));
}

KCONTROL_DECL outcome<delete_result> api_server_core::remove(resource_table& table, const namespaced_name& key,
                                                             const delete_request& request) {
    auto removed = store.remove(table, key, request);
    if (removed && removed->gone && !request.dry_run && table.type().id() == crds_id) {
        const json::value crd(removed->object->content());
        store.remove_resource({std::string(json::get_string(crd, {"spec", "group"})),
                               std::string(json::get_string(crd, {"spec", "names", "plural"}))});
    }
    return removed;
}

KCONTROL_DECL outcome<http::response> api_server_core::remove_one(const http::server_request& request,
                                                                  const request_info& info, resource_table& table,
                                                                  shape form) {
    const auto asked = delete_options(request, info);
    if (!asked) return asked.error();
    const auto removed = remove(table, {info.namespace_, info.name}, *asked);
    if (!removed) return removed.error();
    const resource_type& type = table.type();
    std::string text = removed->gone && !type.returns_deleted_object
                           ? json::serialize(deleted_status(type, *removed->object, info.name))
                           : renderer_for(table, info, form).object(*removed->object);
    return http::response(200, "application/json", std::move(text));
}

KCONTROL_DECL outcome<http::response> api_server_core::remove_many(const http::server_request& request,
                                                                   const request_info& info, resource_table& table,
                                                                   shape form) {
    auto asked = delete_options(request, info);
    if (!asked) return asked.error();
    const auto query = list_query::of_request(info, table.type());
    if (!query) return query.error();
    auto page = read_page(table, *query, read_view(store.version()));
    if (!page) return page.error();
    for (auto& [key, object] : page->items) {
        // Each one again: finalizers of one may have changed another, and NotFound is no failure here.
        auto removed = remove(table, key, *asked);
        if (removed) {
            object = removed->object;
        } else if (removed.error().code != 404) {
            return removed.error();
        }
    }
    return http::response(200, "application/json", renderer_for(table, info, form).list(*page));
}

KCONTROL_DECL void api_server_core::crd_written(const resource_table& table, const object_ptr& object) {
    if (table.type().id() != crds_id) return;
    follow_crd(json::value(object->content()));
}

KCONTROL_DECL void api_server_core::follow_crd(const json::value& crd) {
    auto type = resource_type_of_crd(crd);
    if (!type) return;
    store.add_resource(std::move(*type));
    const auto crds = store.table(crds_id);
    write_target target("v1", "", std::string(json::get_string(crd, {"metadata", "name"})));
    target.subresource = "status";
    const std::string now = format_timestamp(env.wall_now());
    static_cast<void>(store.patch(*crds, target, [&crd, &now](json::value& whole) -> outcome<void> {
        if (json::find(whole, {"status", "conditions"}) != nullptr) return {};
        json::object status;
        json::array conditions;
        for (const auto& [condition, reason] :
             {std::pair("NamesAccepted", "NoConflicts"), std::pair("Established", "InitialNamesAccepted")}) {
            json::object entry;
            entry["type"] = condition;
            entry["status"] = "True";
            entry["reason"] = reason;
            entry["lastTransitionTime"] = now;
            conditions.push_back(std::move(entry));
        }
        status["conditions"] = std::move(conditions);
        status["acceptedNames"] = *json::find(crd, {"spec", "names"});
        whole.as_object()["status"] = std::move(status);
        return {};
    }));
}

}  // namespace kcontrol::testing::detail
