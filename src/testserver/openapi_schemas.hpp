// The schemas of an OpenAPI v3 document: of Kubernetes' own types from the built-in table, of custom kinds from their
// definitions.
#pragma once

#include "testserver/builtin_schema.hpp"
#include "testserver/object_store.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace kcontrol::inline v0_1::testing::detail {

// "core.v1.PodSpec" as documents call it.
inline std::string schema_name(std::string_view type) {
    return std::string(type.find(".pkg.") == std::string_view::npos ? "io.k8s.api." : "io.k8s.") + std::string(type);
}

constexpr std::string_view object_meta_type = "apimachinery.pkg.apis.meta.v1.ObjectMeta";

inline json::value reference_to(std::string_view name) {
    json::object reference;
    reference["$ref"] = "#/components/schemas/" + std::string(name);
    json::object out;
    out["allOf"] = json::array({std::move(reference)});
    return out;
}

inline json::value plain_schema(std::string_view type, std::string_view format = {}) {
    json::object out;
    out["type"] = type;
    if (!format.empty()) out["format"] = format;
    return out;
}

// Types that are more than one of JSON's.
constexpr std::string_view quantity_type = "io.k8s.apimachinery.pkg.api.resource.Quantity";
constexpr std::string_view either_type = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";

/// Collects the schemas of types, and of all that they consist of.
class schema_collector {
public:
    void add(const schema_type& type) {
        if (!seen_.insert(type.name).second) return;
        json::object properties;
        json::array required;
        for (const auto& field : type.fields) {
            properties[field.name] = property(field);
            if (field.required) required.emplace_back(field.name);
        }
        json::object schema;
        schema["type"] = "object";
        if (!properties.empty()) schema["properties"] = std::move(properties);
        if (!required.empty()) schema["required"] = std::move(required);
        if (type.atomic) schema["x-kubernetes-map-type"] = "atomic";
        schemas_[schema_name(type.name)] = std::move(schema);
    }

    /// Names the kind whose type it is.
    void mark(const std::string& name, std::string_view group, std::string_view version, std::string_view kind) {
        json::object mark;
        mark["group"] = group;
        mark["version"] = version;
        mark["kind"] = kind;
        auto& marks = schemas_[name].as_object()["x-kubernetes-group-version-kind"];
        if (!marks.is_array()) marks.emplace_array();
        marks.as_array().push_back(std::move(mark));
    }

    void put(const std::string& name, json::object schema) { schemas_[name] = std::move(schema); }

    json::object take() { return std::move(schemas_); }

private:
    json::value property(const schema_field& field) {
        json::value out = schema_of(field.form);
        json::object& said = out.as_object();
        if (!field.by_default.empty()) {
            if (auto value = json::parse(field.by_default)) said["default"] = std::move(*value);
        }
        if (!field.choices.empty()) said["enum"] = parts_of(field.choices);
        if (field.patch_merge) {
            said["x-kubernetes-patch-strategy"] = field.retain_keys ? "merge,retainKeys" : "merge";
            if (!field.patch_key.empty()) said["x-kubernetes-patch-merge-key"] = field.patch_key;
        }
        if (field.set) said["x-kubernetes-list-type"] = "set";
        if (!field.list_keys.empty()) {
            said["x-kubernetes-list-type"] = "map";
            said["x-kubernetes-list-map-keys"] = parts_of(field.list_keys);
        }
        if (field.atomic) said["x-kubernetes-map-type"] = "atomic";
        return out;
    }

    static json::array parts_of(std::string_view joined) {
        json::array out;
        while (!joined.empty()) {
            const std::size_t end = std::min(joined.find('+'), joined.size());
            out.emplace_back(joined.substr(0, end));
            joined.remove_prefix(std::min(end + 1, joined.size()));
        }
        return out;
    }

    json::value schema_of(std::string_view form) {
        json::object out;
        switch (form.front()) {
        case 's': return plain_schema("string");
        case 'b': return plain_schema("boolean");
        case 'i': return plain_schema("integer", "int32");
        case 'l': return plain_schema("integer", "int64");
        case 'n': return plain_schema("number", "double");
        case 't':
        case 'u': return plain_schema("string", "date-time");
        case 'y': return plain_schema("string", "byte");
        case 'q': return named(quantity_type, "string", "number", {});
        case 'x': return named(either_type, "integer", "string", "int-or-string");
        case '[':
            out["type"] = "array";
            out["items"] = schema_of(element_form(form));
            return out;
        case '{':
            out["type"] = "object";
            out["additionalProperties"] = schema_of(element_form(form));
            return out;
        case '#': break;
        default: return plain_schema("object");
        }
        const schema_type* type = builtin_schema::get().type_of(form);
        if (type == nullptr) return plain_schema("object");
        add(*type);
        return reference_to(schema_name(type->name));
    }

    json::value named(std::string_view name, std::string_view one, std::string_view other, std::string_view format) {
        json::object schema;
        schema["oneOf"] = json::array({plain_schema(one), plain_schema(other)});
        if (!format.empty()) schema["format"] = format;
        schemas_[name] = std::move(schema);
        return reference_to(name);
    }

    std::set<std::string_view> seen_;
    json::object schemas_;
};

// "typed.example.com" becomes "com.example.typed".
inline std::string reversed_group(std::string_view group) {
    std::string out;
    while (!group.empty()) {
        const std::size_t dot = group.rfind('.');
        out += group.substr(dot == std::string_view::npos ? 0 : dot + 1);
        group = group.substr(0, dot == std::string_view::npos ? 0 : dot);
        if (!group.empty()) out += '.';
    }
    return out;
}

// What the definition of a custom kind says of its objects, as a document shows it.
inline json::object custom_schema(const object_store& store, const resource_type& type, const std::string& version) {
    json::object out;
    out["type"] = "object";
    const auto definitions = store.table({"apiextensions.k8s.io", "customresourcedefinitions"});
    const object_ptr definition =
        definitions == nullptr ? nullptr : definitions->get({"", type.plural + "." + type.group});
    if (definition == nullptr) return out;
    const json::value said = definition->value(definitions->type(), "apiextensions.k8s.io/v1");
    const json::value* versions = json::find(said, {"spec", "versions"});
    if (versions == nullptr || !versions->is_array()) return out;
    for (const auto& one : versions->get_array()) {
        if (json::get_string(one, {"name"}) != version) continue;
        const json::value* schema = json::find(one, {"schema", "openAPIV3Schema"});
        if (schema != nullptr && schema->is_object()) out = schema->get_object();
    }
    if (!out["properties"].is_object()) out["properties"].emplace_object();
    json::object& properties = out["properties"].get_object();
    properties["apiVersion"] = plain_schema("string");
    properties["kind"] = plain_schema("string");
    properties["metadata"] = reference_to(schema_name(object_meta_type));
    return out;
}

// Adds a kind and all types that it consists of.
inline void add_kind(schema_collector& to, const object_store& store, const resource_type& type,
                     const std::string& version) {
    if (const schema_type* known = type.schema_in(version)) {
        to.add(*known);
        return to.mark(schema_name(known->name), type.group, version, type.kind);
    }
    if (!type.custom) return;
    const builtin_kind* pod = builtin_schema::get().find("", "v1", "Pod");
    to.add(*builtin_schema::get().type_of(pod->type->find("metadata")->form));
    const std::string name = reversed_group(type.group) + "." + version + "." + type.kind;
    to.put(name, custom_schema(store, type, version));
    to.mark(name, type.group, version, type.kind);
}

}  // namespace kcontrol::testing::detail
