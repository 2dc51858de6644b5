#include "testserver/failure_parts.hpp"
#include "testserver/field_managers.hpp"
#include "testserver/object_store.hpp"
#include "testserver/typed_object.hpp"

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// What a server refuses an apply for before it looks at the object.
outcome<void> check_applied(const resource_type& type, const write_target& target, json::object& config) {
    const std::string api_version = member(config, "apiVersion");
    const std::string kind = member(config, "kind");
    if (kind != type.kind || api_version != type.api_version(target.version)) {
        const std::string text = api_version.find('/') == std::string::npos ? "/" + api_version : api_version;
        return failure::bad_request("invalid object type: " + text + ", Kind=" + kind);
    }
    const json::object& metadata = metadata_of(config);
    if (metadata.contains("managedFields")) return failure::bad_request("metadata.managedFields must be nil");
    return member(metadata, "name").empty() ? outcome<void>() : check_name(target, metadata);
}

// Whether an apply may make the object, which does not exist.
outcome<void> may_be_made(const resource_type& type, const write_target& target, json::object& config) {
    if (!target.subresource.empty()) return failure::not_found(type.id(), target.name);
    const json::object& metadata = metadata_of(config);
    if (const std::string uid = member(metadata, "uid"); !uid.empty()) {
        return failure::conflict(
            type.id(), target.name,
            "uid mismatch: the provided object specified uid " + uid + ", and no existing object was found");
    }
    return check_name(target, metadata);
}

// The 422 of lists and objects that are null, in the words of kube-openapi's validation.
failure invalid_nulls(const resource_type& type, const std::string& name, const std::vector<null_field>& nulls) {
    json::array causes;
    std::string list;
    for (const auto& field : nulls) {
        const std::string problem =
            R"(Invalid value: "null": )" + field.path + " in body must be of type " + field.type + R"(: "null")";
        json::object cause;
        cause["reason"] = "FieldValueTypeInvalid";
        cause["message"] = problem;
        cause["field"] = field.path;
        causes.push_back(std::move(cause));
        list += (list.empty() ? "" : ", ") + field.path + ": " + problem;
    }
    if (nulls.size() > 1) list = "[" + list + "]";
    json::object details = details_of(kind_of(type), name);
    details["causes"] = std::move(causes);
    return make_failure(422, "Invalid", kind_of(type).text() + " " + in_quotes(name) + " is invalid: " + list,
                        std::move(details));
}

// As messages name what is applied: by what it says itself.
std::string applied_name(const resource_type& type, const write_target& target, const json::object& config) {
    return "(" + std::string(json::get_string(json::value(config), {"metadata", "namespace"})) + "/" + target.name +
           "; " + type.api_version(target.version) + ", Kind=" + type.kind + ")";
}

// A scalar that is none of its field's kind, below structs and maps; nothing is well. Source: validateScalar of
// sigs.k8s.io/structured-merge-diff
std::optional<std::string> find_odd_scalar(std::string_view form, const json::value& v, const std::string& at) {
    if (v.is_null()) return std::nullopt;
    if (const schema_type* type = builtin_schema::get().type_of(form)) {
        if (!v.is_object()) return std::nullopt;
        for (const auto& [name, value] : v.get_object()) {
            const schema_field* field = type->find(name);
            if (field == nullptr) continue;
            if (auto odd = find_odd_scalar(field->form, value, at + "." + std::string(name))) return odd;
        }
        return std::nullopt;
    }
    const char letter = form.front();
    if ((letter == 'i' || letter == 'l' || letter == 'n') && !v.is_number()) {
        const std::string_view go = v.is_string()  ? "string"
                                    : v.is_bool()  ? "bool"
                                    : v.is_array() ? "[]interface {}"
                                                   : "map[string]interface {}";
        return at + ": expected numeric (int or float), got " + std::string(go);
    }
    if (letter == 'b' && !v.is_bool()) return at + ": expected boolean, got " + json::serialize(v);
    return std::nullopt;
}

std::optional<std::string> find_odd_member(const schema_type& type, const json::object& config) {
    for (const auto& [name, value] : config) {
        const schema_field* field = name == "metadata" ? nullptr : type.find(name);
        if (field == nullptr) continue;
        if (auto odd = find_odd_scalar(field->form, value, "." + std::string(name))) return odd;
    }
    return std::nullopt;
}

// What is applied, merged, has values that the kind's type does not take: a time, a quantity.
outcome<void> check_readable(const resource_type& type, const write_target& target, const std::string& name,
                             json::object merged) {
    const schema_type* schema = type.schema_in(target.version);
    if (schema == nullptr) return {};
    const auto reading = read_typed(*schema, merged);
    if (!reading.problem) return {};
    const std::string kind = type.api_version(target.version) + ", Kind=" + type.kind;
    return failure(500, "",
                   "failed to convert new object " + name +
                       " to proper version: unable to convert unstructured object to " + kind + ": " +
                       *reading.problem);
}

// Leaves what the (sub)resource takes: the status through its subresource, all else not through it.
void keep_applicable(const resource_type& type, const write_target& target, json::object& config) {
    config.erase("apiVersion");
    config.erase("kind");
    if (target.subresource != "status") {
        if (type.status_subresource) config.erase("status");
        return;
    }
    json::object kept;
    const json::object& metadata = metadata_of(config);
    for (const std::string_view name : {"name", "namespace", "uid", "resourceVersion"}) {
        if (const json::value* found = metadata.if_contains(name)) metadata_of(kept)[name] = *found;
    }
    if (const json::value* status = config.if_contains("status")) kept["status"] = *status;
    config = std::move(kept);
}

}  // namespace
}  // namespace detail

outcome<pending_write> object_store::begin_apply(const resource_table& table, write_target target, json::object config,
                                                 bool force, object_ptr live) const {
    const resource_type& type = table.type();
    if (target.version.empty()) target.version = type.versions.front();
    target.is_patch = true;
    if (auto checked = detail::check_applied(type, target, config); !checked) return checked.error();
    if (live == nullptr) live = table.get({target.namespace_, target.name});
    if (live == nullptr) {
        if (auto allowed = detail::may_be_made(type, target, config); !allowed) return allowed.error();
    }
    const json::value api_version = config["apiVersion"];
    detail::keep_applicable(type, target, config);
    auto wrong = find_duplicate_item(type, config);
    const schema_type* schema = options_.default_and_validate() ? type.schema_in(target.version) : nullptr;
    if (!wrong && schema != nullptr) wrong = detail::find_odd_member(*schema, config);
    if (wrong) {
        return failure(
            500, "",
            "failed to create typed patch object " + detail::applied_name(type, target, config) + ": " + *wrong);
    }
    const auto writer = detail::writer_of(type, target, inputs_.timestamp());
    const json::object before = live == nullptr ? json::object() : live->content();
    const std::string name = detail::applied_name(type, target, config);
    auto applied = apply_fields(type, before, std::move(config), writer, force);
    if (!applied) return applied.error();
    const auto nulls = find_null_fields(type, applied->object);
    if (!nulls.empty()) return detail::invalid_nulls(type, target.name, nulls);
    if (options_.default_and_validate()) {
        auto readable = detail::check_readable(type, target, name, applied->object);
        if (!readable) return readable.error();
    }
    applied->object["apiVersion"] = api_version;
    applied->object["kind"] = type.kind;
    auto begun = live == nullptr ? begin_create(table, std::move(target), std::move(applied->object))
                                 : begin_update(table, std::move(target), std::move(applied->object), live);
    if (begun) begun->managed = std::move(applied->managed);
    return begun;
}

outcome<apply_result> object_store::apply(resource_table& table, write_target target, json::object config, bool force,
                                          bool dry_run) {
    auto begun = begin_apply(table, std::move(target), std::move(config), force);
    if (!begun) return begun.error();
    apply_result out;
    out.created = begun->creates();
    auto written = store_at_once(table, std::move(begun), dry_run);
    if (!written) return written.error();
    out.object = std::move(*written);
    return out;
}

}  // namespace kcontrol::testing
