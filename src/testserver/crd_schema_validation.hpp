// What is wrong with the schema of a CustomResourceDefinition: whether it is structural, and its defaults.
#pragma once

#include <kcontrol/schema/text_checks.hpp>

#include "testserver/failure_parts.hpp"
#include "testserver/structural_pruner.hpp"
#include "testserver/structural_schema.hpp"
#include "testserver/structural_validation.hpp"
#include "testserver/structural_values.hpp"

#include <algorithm>
#include <set>

namespace kcontrol::inline v0_1::testing::detail {

class schema_shape_validator {
public:
    void check_root(const json::value& schema, const std::string& path) {
        const std::string_view type = json::get_string(schema, {"type"});
        if (type.empty()) {
            required(path + ".type", "must not be empty at the root");
        } else if (type != "object") {
            invalid(path + ".type", json::serialize(json::value(type)), "must be object at the root");
        }
        const json::value* metadata = declared_member(schema, "metadata");
        if (metadata != nullptr) check_metadata(*metadata, path + ".properties[metadata]");
        check(schema, path, false);
    }

    std::vector<field_problem> take() { return std::move(problems_); }

private:
    void add(std::string field, std::string_view cause, std::string text) {
        problems_.emplace_back(std::move(field), cause, std::move(text));
    }
    void required(std::string field, std::string_view why) {
        add(std::move(field), "FieldValueRequired", "Required value: " + std::string(why));
    }
    void invalid(std::string field, const std::string& shown, std::string_view why) {
        add(std::move(field), "FieldValueInvalid", "Invalid value: " + shown + ": " + std::string(why));
    }
    void forbidden(std::string field, std::string_view why) {
        add(std::move(field), "FieldValueForbidden", "Forbidden: " + std::string(why));
    }

    void check_metadata(const json::value& metadata, const std::string& path) {
        const json::value* properties = json::find(metadata, {"properties"});
        if (properties == nullptr || !properties->is_object()) return;
        for (const auto& one : properties->get_object()) {
            if (one.key() == "name" || one.key() == "generateName") continue;
            forbidden(
                path,
                "must not specify anything other than name and generateName, but metadata is implicitly specified");
            return;
        }
    }

    // `typed`: the schema needs a type.
    void check(const json::value& schema, const std::string& path, bool typed, std::string_view where = {}) {
        const std::string_view type = json::get_string(schema, {"type"});
        const bool free = schema_flag(schema, "x-kubernetes-preserve-unknown-fields") ||
                          schema_flag(schema, "x-kubernetes-int-or-string");
        static const std::set<std::string_view> types = {"array", "boolean", "integer", "number", "object", "string"};
        if (typed && type.empty() && !free) {
            required(path + ".type", "must not be empty for specified " + std::string(where));
        } else if (!type.empty() && !types.contains(type)) {
            add(path + ".type", "FieldValueNotSupported",
                "Unsupported value: " + go_quoted(type) +
                    R"(: supported values: "array", "boolean", "integer", "number", "object", "string")");
        }
        check_members(schema, path);
        check_list(schema, type, path);
        check_extensions(schema, type, path);
        for (const std::string_view name : {"allOf", "anyOf", "oneOf"}) check_values_only(schema, name, path);
        if (const json::value* usual = json::find(schema, {"default"}))
            check_default(schema, *usual, path + ".default");
    }

    void check_members(const json::value& schema, const std::string& path) {
        const json::value* properties = json::find(schema, {"properties"});
        const bool has_properties =
            properties != nullptr && properties->is_object() && !properties->get_object().empty();
        const json::value* more = json::find(schema, {"additionalProperties"});
        if (has_properties && more != nullptr && *more != false) {
            forbidden(path + ".additionalProperties", "additionalProperties and properties are mutual exclusive");
        }
        if (has_properties) {
            std::set<std::string> names;
            for (const auto& one : properties->get_object()) names.insert(one.key());
            for (const auto& name : names) {
                const bool of_server = path_is_root(path) && (name == "metadata");
                check(properties->get_object().at(name), path + ".properties[" + name + "]", !of_server,
                      "object fields");
            }
        }
        if (const json::value* below = additional_schema(schema)) {
            check(*below, path + ".additionalProperties", true, "object fields");
        }
    }

    static bool path_is_root(const std::string& path) { return path.ends_with(".openAPIV3Schema"); }

    void check_list(const json::value& schema, std::string_view type, const std::string& path) {
        const json::value* items = json::find(schema, {"items"});
        if (items != nullptr && items->is_array()) {
            forbidden(path + ".items", "items must be a schema object and not an array");
        } else if (items != nullptr) {
            check(*items, path + ".items", true, "array items");
        } else if (type == "array") {
            required(path + ".items", "must be specified");
        }
        const json::value* list_type = json::find(schema, {"x-kubernetes-list-type"});
        if (list_type == nullptr) return;
        const std::string_view kind = json::get_string(schema, {"x-kubernetes-list-type"});
        if (type != "array") {
            invalid(path + ".type", go_quoted(type), "must be array if x-kubernetes-list-type is specified");
        }
        if (kind != "atomic" && kind != "set" && kind != "map") {
            add(path + ".x-kubernetes-list-type", "FieldValueNotSupported",
                "Unsupported value: " + go_quoted(kind) + R"(: supported values: "atomic", "set", "map")");
        }
        if (items == nullptr || !items->is_object()) return;
        if (kind == "set") check_set(*items, path + ".items");
        if (kind == "map") check_map(schema, *items, path);
    }

    void check_set(const json::value& items, const std::string& path) {
        const std::string_view type = json::get_string(items, {"type"});
        if (type == "object" && json::get_string(items, {"x-kubernetes-map-type"}) != "atomic") {
            invalid(path + ".x-kubernetes-map-type", "null",
                    "must be atomic as item of a list with x-kubernetes-list-type=set");
        }
        if (type == "array" && json::get_string(items, {"x-kubernetes-list-type"}) != "atomic") {
            invalid(path + ".x-kubernetes-list-type", "null",
                    "must be atomic as item of a list with x-kubernetes-list-type=set");
        }
    }

    void check_map(const json::value& schema, const json::value& items, const std::string& path) {
        const json::value* keys = json::find(schema, {"x-kubernetes-list-map-keys"});
        if (keys == nullptr || !keys->is_array() || keys->get_array().empty()) {
            required(path + ".x-kubernetes-list-map-keys", "must not be empty if x-kubernetes-list-type is map");
            return;
        }
        if (json::get_string(items, {"type"}) != "object") {
            invalid(path + ".items.type", go_quoted(json::get_string(items, {"type"})),
                    "must be object if parent array's x-kubernetes-list-type is map");
            return;
        }
        const json::value* needed = json::find(items, {"required"});
        bool known = true;
        for (const auto& key : keys->get_array()) {
            const json::value* member = key.is_string() ? declared_member(items, key.get_string()) : nullptr;
            known = known && member != nullptr;
            if (member == nullptr) continue;
            const bool is_needed =
                needed != nullptr && needed->is_array() &&
                std::find(needed->get_array().begin(), needed->get_array().end(), key) != needed->get_array().end();
            if (is_needed || json::find(*member, {"default"}) != nullptr) continue;
            required(path + ".items.properties[" + std::string(key.get_string()) + "].default",
                     "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required "
                     "property");
        }
        if (!known) {
            invalid(path + ".x-kubernetes-list-map-keys", json::serialize(*keys),
                    "entries must all be names of item properties");
        }
    }

    void check_extensions(const json::value& schema, std::string_view type, const std::string& path) {
        if (schema_flag(schema, "uniqueItems")) {
            forbidden(path + ".uniqueItems",
                      "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
        }
        if (json::find(schema, {"$ref"}) != nullptr) forbidden(path + ".$ref", "$ref is not supported");
        const json::value* keeps = json::find(schema, {"x-kubernetes-preserve-unknown-fields"});
        if (keeps != nullptr && *keeps == false) {
            invalid(path + ".x-kubernetes-preserve-unknown-fields", "false", "must be true or undefined");
        }
        if (schema_flag(schema, "x-kubernetes-embedded-resource")) {
            if (type != "object") {
                invalid(path + ".type", go_quoted(type), "must be object if x-kubernetes-embedded-resource is true");
            }
            if (keeps == nullptr && json::find(schema, {"properties"}) == nullptr) {
                required(path + ".properties",
                         "must not be empty if x-kubernetes-embedded-resource is true without "
                         "x-kubernetes-preserve-unknown-fields");
            }
        }
        const std::string pattern(json::get_string(schema, {"pattern"}));
        if (pattern.empty()) return;
        if (const std::string why = texts_.problem_of(pattern); !why.empty()) {
            // RE2 says "missing ): (" where Go says "missing closing ): `(`".
            const std::string in_go =
                why.starts_with("missing ): ") ? "missing closing ): `" + why.substr(11) + "`" : why;
            invalid(path + ".pattern", go_quoted(pattern),
                    "must be a valid regular expression, but isn't: error parsing regexp: " + in_go);
        }
    }

    // Alternatives say what values may be, not what there is.
    void check_values_only(const json::value& schema, std::string_view name, const std::string& path) {
        const json::value* all = json::find(schema, {name});
        if (all == nullptr || !all->is_array() || schema_flag(schema, "x-kubernetes-int-or-string")) return;
        std::size_t index = 0;
        for (const auto& one : all->get_array()) {
            const std::string place = path + "." + std::string(name) + "[" + std::to_string(index++) + "]";
            for (const std::string_view member : {"type", "default", "additionalProperties", "nullable"}) {
                if (json::find(one, {member}) == nullptr) continue;
                forbidden(place + "." + std::string(member), "must be empty to be structural");
            }
        }
    }

    void check_default(const json::value& schema, const json::value& usual, const std::string& path) {
        std::vector<std::string> unknown;
        if (usual.is_object()) {
            json::value pruned = usual;
            structural_pruner(unknown).prune(schema, pruned, "", true);
        }
        if (!unknown.empty()) {
            invalid(path, json::serialize(usual), "must not have unknown fields");
            return;
        }
        for (auto& problem : problems_of_default(schema, usual)) {
            problem.field = problem.field.empty() ? path : problem.field;
            if (problem.field != path && problem.field != "<nil>") problem.field = path + "." + problem.field;
            problems_.push_back(std::move(problem));
        }
    }

    std::vector<field_problem> problems_of_default(const json::value& schema, const json::value& usual) {
        structural_validator validator(texts_);
        validator.check(schema, usual, "");
        return validator.take();
    }

    text_checks texts_;
    std::vector<field_problem> problems_;
};

}  // namespace kcontrol::testing::detail
