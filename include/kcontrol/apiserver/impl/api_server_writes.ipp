#pragma once

#include <kcontrol/apiserver/api_server_core.hpp>
#include <kcontrol/apiserver/impl/api_server_crds.ipp>
#include <kcontrol/apiserver/impl/rendering.ipp>
#include <kcontrol/apiserver/impl/write_request.ipp>

namespace kcontrol::testing::detail {

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
    std::vector<std::string> warnings;
    target.warnings = &warnings;
    const auto validation = field_validation_of(info, options_kind);
    if (!validation) return validation.error();
    target.unknown_fields = *validation;
    const bool applies = info.verb == "patch" && media_type(request) == apply_media_type;
    if (auto checked = check_manager(info, applies); !checked) return checked.error();
    if (applies) return answer_apply(request, info, target, table, *dry_run, form);
    outcome<object_ptr> written = object_ptr();
    int code = 200;
    if (info.verb == "patch") {
        written = patch(request, target, table, *dry_run);
    } else {
        auto body = parse_body(request, table.type());
        if (!body) return body.error();
        const bool is_new = info.verb == "create" || table.get({info.namespace_, info.name}) == nullptr;
        code = is_new ? 201 : 200;
        written = info.verb == "create" ? create(table, target, std::move(*body), *dry_run)
                                        : update(table, target, std::move(*body), *dry_run);
    }
    if (!written) return written.error();
    const renderer out = renderer_for(table, info, form);
    http::response answer(code, "application/json", out.object(**written));
    for (const auto& warning : warnings) {
        answer.headers.add("Warning", "299 - " + json::serialize(json::value(warning)));
    }
    return answer;
}

KCONTROL_DECL outcome<object_ptr> api_server_core::create(resource_table& table, const write_target& target,
                                                          json::value body, bool dry_run) {
    if (table.type().id() == definitions_id() && !options.completes_objects()) {
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
    const auto edit = editor_of(request, table.type(), target.version);
    if (!edit) return edit.error();
    auto patched = store.patch(table, target, *edit, dry_run);
    if (patched && !dry_run) crd_written(table, *patched);
    return patched;
}

KCONTROL_DECL outcome<apply_result> api_server_core::apply(resource_table& table, const write_target& target,
                                                           json::value config, bool force, bool dry_run) {
    if (table.type().id() == definitions_id() && !options.completes_objects() &&
        table.get({"", target.name}) == nullptr) {
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
    if (removed && removed->gone && !request.dry_run() && table.type().id() == definitions_id()) {
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

}  // namespace kcontrol::testing::detail
