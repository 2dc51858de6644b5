// What a structural schema has against an object, in the words of kube-openapi and apiextensions-apiserver.
#pragma once

#include "testserver/cel_rules.hpp"
#include "testserver/structural_schema.hpp"
#include "testserver/structural_values.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace kcontrol::inline v0_1::testing::detail {

class structural_validator {
public:
    explicit structural_validator(text_checks& texts) : texts_(texts) {}

    void check(const json::value& schema, const json::value& v, const std::string& path) {
        const bool right = check_type(schema, v, path);
        check_choice(schema, v, path);
        if (!right || v.is_null()) return;
        if (v.is_string()) check_string(schema, v.get_string(), path);
        if (v.is_number()) check_number(schema, v, path);
        if (v.is_array()) check_array(schema, v.get_array(), path);
        if (v.is_object()) check_object(schema, v.get_object(), path);
        if (!schema_flag(schema, "x-kubernetes-int-or-string")) check_alternatives(schema, v, path);
    }

    // What the subresource scale asks of a number.
    void check_scale(const json::value& whole, const std::string& path) {
        const json::value* found = path.empty() ? nullptr : value_at_path(whole, path);
        if (found == nullptr) return;
        if (!found->is_int64()) {
            const std::string type = found->is_string()   ? "string"
                                     : found->is_bool()   ? "bool"
                                     : found->is_number() ? "float64"
                                     : found->is_array()  ? "[]interface {}"
                                                          : "map[string]interface {}";
            const std::string shown = found->is_string() ? std::string(found->get_string()) : shown_value(*found);
            add(path, "FieldValueInvalid",
                "Invalid value: 0: " + path + " accessor error: " + shown + " is of the type " + type +
                    ", expected int64");
        } else if (found->get_int64() < 0) {
            add(path, "FieldValueInvalid",
                "Invalid value: " + shown_value(*found) + ": should be a non-negative integer");
        } else if (found->get_int64() > std::numeric_limits<std::int32_t>::max()) {
            add(path, "FieldValueInvalid",
                "Invalid value: " + shown_value(*found) + ": should be less than or equal to 2147483647");
        }
    }

    // Objects inside that have a kind of their own.
    void check_embedded(const json::value& schema, const json::value& v, const std::string& path) {
        if (v.is_array()) {
            const json::value* items = json::find(schema, {"items"});
            std::size_t index = 0;
            for (const auto& item : v.get_array()) {
                const std::string place = item_path(path, index++);
                if (items != nullptr) check_embedded(*items, item, place);
            }
        }
        if (!v.is_object()) return;
        if (schema_flag(schema, "x-kubernetes-embedded-resource")) check_identity(v, path);
        for (const auto& member : v.get_object()) {
            const json::value* below = member_schema(schema, member.key());
            if (below != nullptr) check_embedded(*below, member.value(), below_path(path, member.key()));
        }
    }

    // Sets, and lists whose items have keys.
    void check_lists(const json::value& schema, const json::value& v, const std::string& path) {
        if (v.is_object()) {
            for (const auto& member : v.get_object()) {
                const json::value* below = member_schema(schema, member.key());
                if (below != nullptr) check_lists(*below, member.value(), below_path(path, member.key()));
            }
        }
        const json::value* items = json::find(schema, {"items"});
        if (!v.is_array() || items == nullptr) return;
        const std::string_view type = json::get_string(schema, {"x-kubernetes-list-type"});
        if (type == "set" || type == "map") check_unique(schema, v.get_array(), path, type == "map");
        std::size_t index = 0;
        for (const auto& item : v.get_array()) {
            const std::string place = item_path(path, index++);
            check_lists(*items, item, place);
        }
    }

    std::vector<field_problem> take() { return std::move(problems_); }

private:
    void add(const std::string& path, std::string_view cause, std::string text) {
        problems_.emplace_back(path, cause, std::move(text));
    }
    void invalid(const std::string& path, const std::string& shown, std::string_view message) {
        add(path, "FieldValueInvalid", "Invalid value: " + shown + ": " + path + " in body " + std::string(message));
    }
    void wrong_type(const std::string& path, std::string_view wanted, std::string_view found) {
        const std::string shown = json::serialize(json::value(found));
        add(path, "FieldValueTypeInvalid",
            "Invalid value: " + shown + ": " + path + " in body must be of type " + std::string(wanted) + ": " + shown);
    }
    // Some problems have no place.
    void add_nowhere(std::string text) {
        add("<nil>", "FieldValueInvalid", R"(Invalid value: "": )" + std::move(text));
    }

    bool check_type(const json::value& schema, const json::value& v, const std::string& path) {
        const bool either = schema_flag(schema, "x-kubernetes-int-or-string");
        const std::string_view type = either ? "integer,string" : json::get_string(schema, {"type"});
        if (type.empty()) return true;
        const std::string_view found = schema_type_of(v);
        if (v.is_null()) {
            const bool nullable = schema_flag(schema, "nullable");
            if (!nullable) wrong_type(path, type, found);
            return nullable;
        }
        const bool whole = v.is_number() && is_whole(v);
        const bool fits = found == type || (type == "integer" && whole) || (type == "number" && v.is_number()) ||
                          (either && (whole || v.is_string()));
        if (fits) return true;
        const std::string_view format = json::get_string(schema, {"format"});
        const bool named = !format.empty() && found != "string" && found != "array" &&
                           (text_checks::knows_format(format) || type == "integer" || type == "number");
        if (named) {
            wrong_type(path, format, found == "integer" ? "int64" : found == "number" ? "float64" : "");
        } else {
            wrong_type(path, type, found);
        }
        if (either && json::find(schema, {"anyOf"}) != nullptr) {
            add_nowhere(json::serialize(json::value(path)) + " must validate at least one schema (anyOf)");
            wrong_type(path, "integer", found);
        }
        if (v.is_number() && (type == "integer" || (either && json::find(schema, {"anyOf"}) != nullptr))) {
            check_integer_format(format, path);
        }
        return false;
    }

    void check_integer_format(std::string_view format, const std::string& path) {
        const std::string which = format.empty() ? "(default format)" : "with format " + std::string(format);
        add_nowhere("Checked value must be of type integer " + which + " in " + path);
    }

    void check_choice(const json::value& schema, const json::value& v, const std::string& path) {
        const json::value* choices = json::find(schema, {"enum"});
        if (choices == nullptr || !choices->is_array()) return;
        std::string list;
        for (const auto& choice : choices->get_array()) {
            if (json::equal(choice, v)) return;
            const bool text = choice.is_string();
            list +=
                (list.empty() ? "" : ", ") + (text ? json::serialize(choice) : "\"" + json::serialize(choice) + "\"");
        }
        add(path, "FieldValueNotSupported", "Unsupported value: " + shown_value(v) + ": supported values: " + list);
    }

    // The server tells the first of these only.
    void check_string(const json::value& schema, std::string_view text, const std::string& path) {
        const std::string shown = json::serialize(json::value(text));
        const auto length = static_cast<std::int64_t>(std::count_if(
            text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
        const std::string pattern(json::get_string(schema, {"pattern"}));
        if (const auto most = count_of(schema, "maxLength"); most >= 0 && length > most) {
            add(path, "FieldValueTooLong",
                "Too long: may not be more than " + std::to_string(most) + (most == 1 ? " byte" : " bytes"));
        } else if (const auto least = count_of(schema, "minLength"); length < least) {
            invalid(path, shown, "should be at least " + std::to_string(least) + " chars long");
        } else if (!pattern.empty() && !texts_.matches(pattern, text)) {
            const std::string broken = texts_.problem_of(pattern);
            invalid(path, shown,
                    "should match '" + pattern + (broken.empty() ? "" : ", but pattern is invalid: " + broken) + "'");
        }
        const std::string_view format = json::get_string(schema, {"format"});
        if (!format.empty() && !texts_.has_format(format, text)) wrong_type(path, format, text);
    }

    void check_number(const json::value& schema, const json::value& v, const std::string& path) {
        const std::string_view format = json::get_string(schema, {"format"});
        constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
        if (format == "int32" && v.is_int64() && (v.get_int64() < least || v.get_int64() > most)) {
            check_integer_format(format, path);
        }
        const double number = v.to_number<double>();
        const auto bound = [&schema](std::string_view name) {
            const json::value* found = json::find(schema, {name});
            return found != nullptr && found->is_number() ? found : nullptr;
        };
        if (const auto* factor = bound("multipleOf"); factor != nullptr) {
            const double times = number / factor->to_number<double>();
            if (std::fabs(times - std::round(times)) > 1e-9 * std::fmax(1, std::fabs(times))) {
                invalid(path, shown_value(v), "should be a multiple of " + shown_value(*factor));
            }
        }
        if (const auto* lowest = bound("minimum"); lowest != nullptr) {
            const bool open = schema_flag(schema, "exclusiveMinimum");
            const double limit = lowest->to_number<double>();
            if (number < limit || (open && number == limit)) {
                invalid(
                    path, shown_value(v),
                    (open ? "should be greater than " : "should be greater than or equal to ") + shown_value(*lowest));
            }
        }
        if (const auto* highest = bound("maximum"); highest != nullptr) {
            const bool open = schema_flag(schema, "exclusiveMaximum");
            const double limit = highest->to_number<double>();
            if (number > limit || (open && number == limit)) {
                invalid(path, shown_value(v),
                        (open ? "should be less than " : "should be less than or equal to ") + shown_value(*highest));
            }
        }
    }

    static std::int64_t count_of(const json::value& schema, std::string_view name) {
        const json::value* found = json::find(schema, {name});
        return found != nullptr && found->is_int64() ? found->get_int64() : -1;
    }

    void check_count(std::size_t size, const json::value& schema, std::string_view fewest, std::string_view most,
                     std::string_view things, const std::string& path) {
        const auto count = static_cast<std::int64_t>(size);
        const std::int64_t least = count_of(schema, fewest), limit = count_of(schema, most);
        if (count < least) {
            invalid(path, std::to_string(count),
                    "should have at least " + std::to_string(least) + " " + std::string(things));
        }
        if (limit >= 0 && count > limit) {
            add(path, "FieldValueTooMany",
                "Too many: " + std::to_string(count) + ": must have at most " + std::to_string(limit) +
                    (limit == 1 ? " item" : " items"));
        }
    }

    void check_array(const json::value& schema, const json::array& all, const std::string& path) {
        if (const json::value* items = json::find(schema, {"items"})) {
            std::size_t index = 0;
            for (const auto& item : all) {
                const std::string place = item_path(path, index++);
                check(*items, item, place);
            }
        }
        check_count(all.size(), schema, "minItems", "maxItems", "items", path);
    }

    void check_object(const json::value& schema, const json::object& members, const std::string& path) {
        check_count(members.size(), schema, "minProperties", "maxProperties", "properties", path);
        const json::value* required = json::find(schema, {"required"});
        if (required != nullptr && required->is_array()) {
            for (const auto& name : required->get_array()) {
                if (!name.is_string() || members.contains(name.get_string())) continue;
                add(below_path(path, name.get_string()), "FieldValueRequired", "Required value");
            }
        }
        // In order of names; the server's own order is that of a Go map.
        std::set<std::string> names;
        for (const auto& member : members) names.insert(member.key());
        for (const auto& name : names) {
            if (path.empty() && name == "metadata") continue;  // the server has its own checks for it
            const json::value* below = member_schema(schema, name);
            if (below != nullptr) check(*below, members.at(name), below_path(path, name));
        }
    }

    std::size_t count_problems(const json::value& schema, const json::value& v, const std::string& path) {
        structural_validator alone(texts_);
        alone.check(schema, v, path);
        return alone.problems_.size();
    }

    void check_alternatives(const json::value& schema, const json::value& v, const std::string& path) {
        const auto list = [&schema](std::string_view name) {
            const json::value* found = json::find(schema, {name});
            return found != nullptr && found->is_array() ? &found->get_array() : nullptr;
        };
        const auto fitting = [&](const json::array& all) {
            return std::count_if(all.begin(), all.end(),
                                 [&](const json::value& one) { return count_problems(one, v, path) == 0; });
        };
        const std::string shown = json::serialize(json::value(path));
        if (const auto* all = list("allOf"); all != nullptr) {
            for (const auto& one : *all) check(one, v, path);
        }
        if (const auto* any = list("anyOf"); any != nullptr && fitting(*any) == 0) {
            add_nowhere(shown + " must validate at least one schema (anyOf)");
        }
        if (const auto* one = list("oneOf"); one != nullptr) {
            const auto count = fitting(*one);
            if (count == 0) add_nowhere(shown + " must validate one and only one schema (oneOf). Found none valid");
            if (count > 1) {
                add_nowhere(shown + " must validate one and only one schema (oneOf). Found " + std::to_string(count) +
                            " valid alternatives");
            }
        }
        const json::value* none = json::find(schema, {"not"});
        if (none != nullptr && count_problems(*none, v, path) == 0) {
            add_nowhere(shown + " must not validate the schema (not)");
        }
    }

    void check_identity(const json::value& v, const std::string& path) {
        for (const std::string_view name : {"apiVersion", "kind"}) {
            const json::value* found = v.get_object().if_contains(name);
            const std::string place = below_path(path, name);
            if (found == nullptr) {
                add(place, "FieldValueRequired", "Required value");
            } else if (!found->is_string()) {
                add(place, "FieldValueInvalid", "Invalid value: " + shown_value(*found) + ": must be a string");
            } else if (found->get_string().empty()) {
                add(place, "FieldValueInvalid", R"(Invalid value: "": must not be empty)");
            }
        }
    }

    void check_unique(const json::value& schema, const json::array& all, const std::string& path, bool keyed) {
        std::set<std::string> seen, told;
        std::size_t index = 0;
        for (const auto& item : all) {
            const std::string place = item_path(path, index++);
            if (keyed && !item.is_object()) {
                add(place, "FieldValueInvalid",
                    "Invalid value: " + shown_value(item) + ": must be an object for an array of list-type map");
                return;
            }
            const std::string key = keyed ? key_of_item(schema, item) : json::serialize(item);
            if (!seen.insert(key).second && told.insert(key).second) {
                add(place, "FieldValueDuplicate", "Duplicate value: " + key);
            }
        }
    }

    static std::string key_of_item(const json::value& schema, const json::value& item) {
        std::set<std::string> names;
        const json::value* keys = json::find(schema, {"x-kubernetes-list-map-keys"});
        if (keys != nullptr && keys->is_array()) {
            for (const auto& name : keys->get_array()) {
                if (name.is_string()) names.insert(std::string(name.get_string()));
            }
        }
        json::object key;
        for (const auto& name : names) {
            if (const json::value* found = item.get_object().if_contains(name)) key[name] = *found;
        }
        return json::serialize(json::value(std::move(key)));
    }

    text_checks& texts_;
    std::vector<field_problem> problems_;
};

}  // namespace kcontrol::testing::detail
