#pragma once

#include <kcontrol/client/impl/client.ipp>
#include <kcontrol/documents/value.hpp>

#include <algorithm>
#include <initializer_list>

namespace kcontrol::inline v0_1 {
namespace detail {

// metav1's rule for fieldManager, which an apply must have. Letters beyond ASCII are left to the server.
inline result<void> check_field_manager(std::string_view name) {
    constexpr std::size_t most = 128;
    if (name.empty()) {
        return error(errc::invalid_argument,
                     "an apply needs a field manager: the name of the program that owns the "
                     "fields");
    }
    if (name.size() > most) {
        return error(errc::invalid_argument, "field manager \"" + escape_control(name.substr(0, 32)) + "…\" has " +
                                                 std::to_string(name.size()) + " characters; at most 128 are possible");
    }
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (std::any_of(name.begin(), name.end(), is_control)) {
        return error(errc::invalid_argument,
                     "field manager \"" + escape_control(name) + "\": only printable characters are possible");
    }
    return {};
}

// The object that `name` stands for, made if it is absent; null if something else is there.
inline json::object* member_object(json::object& of, std::string_view name) {
    json::value& found = of[name];
    if (found.is_null()) found = json::object();
    return found.if_object();
}

// Fills in what the call says anyway, and refuses a text that says something else.
inline result<void> fill_in(json::object& of, std::string_view name, std::string_view path, std::string_view wanted) {
    if (wanted.empty()) return {};
    json::value& found = of[name];
    if (found.is_null() || (found.is_string() && found.get_string().empty())) found = wanted;
    if (found.is_string() && found.get_string() == wanted) return {};
    const std::string given = found.is_string() ? escape_control(found.get_string()) : json::serialize(found);
    return error(errc::invalid_argument, std::string(path) + " is \"" + given + "\", but the call is about \"" +
                                             std::string(wanted) + "\": leave it out, or make them agree");
}

inline result<void> complete_applied(json::object& body, const resource_info& info, const namespaced_name& key,
                                     const apply_options& options) {
    if (auto ok = fill_in(body, "apiVersion", "apiVersion", info.gvk.api_version()); !ok) return ok;
    if (auto ok = fill_in(body, "kind", "kind", info.gvk.kind); !ok) return ok;
    json::object* metadata = member_object(body, "metadata");
    if (metadata == nullptr) return error(errc::invalid_argument, "metadata is not an object");
    if (metadata->contains("managedFields")) {
        return error(errc::invalid_argument,
                     "metadata.managedFields can't be applied: leave it out; the server keeps it");
    }
    if (auto ok = fill_in(*metadata, "name", "metadata.name", key.name); !ok) return ok;
    if (auto ok = fill_in(*metadata, "namespace", "metadata.namespace", key.namespace_); !ok) return ok;
    if (!options.precondition_uid().empty()) (*metadata)["uid"] = options.precondition_uid();
    if (!options.precondition_resource_version().empty()) {
        (*metadata)["resourceVersion"] = options.precondition_resource_version();
    }
    return {};
}

inline void keep_only(json::object& of, std::initializer_list<std::string_view> names) {
    json::object kept;
    for (auto& member : of) {
        const std::string_view name = member.key();
        if (std::find(names.begin(), names.end(), name) != names.end()) kept[name] = std::move(member.value());
    }
    of = std::move(kept);
}

// An encoded object without what only the server sets, and without what is not the status' where only that is meant.
inline void strip_applied(json::object& body, const std::string& subresource) {
    json::object* metadata = member_object(body, "metadata");
    if (subresource == "status") {
        keep_only(*metadata, {"name", "namespace"});
        keep_only(body, {"apiVersion", "kind", "metadata", "status"});
    } else {
        keep_only(*metadata, {"name", "namespace", "labels", "annotations", "ownerReferences", "finalizers"});
    }
}

// The same error with the fields and their managers as its text: the server's has the managers with the fields below
// them, line by line, which a log shows badly.
inline error explain_conflict(error why, const std::string& object) {
    const api_status* status = why.status();
    if (status == nullptr) return why;
    std::string fields;
    std::string before;
    for (const auto& cause : status->causes) {
        if (cause.reason != "FieldManagerConflict") continue;
        if (!before.empty() && cause.message != before) fields += " (" + before + "), ";
        if (!before.empty() && cause.message == before) fields += ", ";
        fields += cause.field;
        before = cause.message;
    }
    if (before.empty()) return why;
    api_status told = *status;
    told.message = object + ": others own fields that are applied with another value: " + fields + " (" + before +
                   "); leave these fields out, or take them over with force()";
    return error(std::move(told));
}

inline awaitable<result<any_object>> apply_call(shared_client_state state, const resource_info* info, http::request req,
                                                http::exchange_options options, std::string object) {
    auto applied = co_await object_call(std::move(state), info, std::move(req), std::move(options));
    if (!applied) co_return explain_conflict(applied.error(), object);
    co_return std::move(*applied);
}

inline awaitable<result<any_object>> apply_body(shared_client_state state, const resource_info& info,
                                                const namespaced_name& key, json::value body,
                                                const apply_options& options) {
    if (auto ok = check_field_manager(options.field_manager()); !ok) return make_ready<result<any_object>>(ok.error());
    const auto path = object_path(info, key, options.subresource());
    if (!path) return make_ready<result<any_object>>(path.error());
    const std::string object = info.gvk.kind + " " + to_string(key);
    if (!body.is_object())
        return make_ready<result<any_object>>(error(errc::invalid_argument, object + ": not a JSON object"));
    if (auto ok = complete_applied(body.get_object(), info, key, options); !ok) {
        return make_ready<result<any_object>>(ok.error().with_context(object));
    }
    http::query_builder query;
    query.append("fieldManager", options.field_manager());
    if (options.force()) query.append("force", "true");
    append_write_query(query, options);
    http::request req("PATCH", query.after(state->base_path + *path));
    req.headers.set("Content-Type", "application/apply-patch+yaml");  // JSON is YAML
    req.body = json::serialize(body);
    return apply_call(std::move(state), &info, std::move(req), exchange_options_of(options), object);
}

}  // namespace detail

KCONTROL_DECL awaitable<result<any_object>> client::apply(const resource_info& info, any_object object,
                                                          apply_options options) {
    const auto text = info.encode(object);
    if (!text) return make_ready<result<any_object>>(text.error());
    auto body = json::parse(*text);
    if (!body) return make_ready<result<any_object>>(body.error().with_context(info.gvk.kind));
    if (body->is_object()) detail::strip_applied(body->get_object(), options.subresource());
    namespaced_name key = object.key();
    if (auto ok = detail::place(defaults_.get(), info, key.namespace_); !ok) {
        return make_ready<result<any_object>>(ok.error());
    }
    detail::fill_write(defaults_.get(), options);
    auto write = detail::apply_body(state_, info, key, std::move(*body), options);
    return noted(info, std::move(key), std::as_const(options).dry_run(), std::move(write));
}

KCONTROL_DECL awaitable<result<any_object>> client::apply(const resource_info& info, namespaced_name key,
                                                          std::string object_json, apply_options options) {
    auto body = json::parse(object_json);
    if (!body) return make_ready<result<any_object>>(body.error().with_context("the applied " + info.gvk.kind));
    if (auto ok = detail::place(defaults_.get(), info, key.namespace_); !ok) {
        return make_ready<result<any_object>>(ok.error());
    }
    detail::fill_write(defaults_.get(), options);
    auto write = detail::apply_body(state_, info, key, std::move(*body), options);
    return noted(info, std::move(key), std::as_const(options).dry_run(), std::move(write));
}

}  // namespace kcontrol
