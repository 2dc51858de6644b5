#pragma once

#include <kcontrol/model/names.hpp>
#include <kcontrol/schema/impl/go_text.hpp>
#include <kcontrol/schema/impl/list_key.hpp>
#include <kcontrol/schema/impl/schema_bounds.hpp>
#include <kcontrol/schema/impl/schema_formats.hpp>
#include <kcontrol/schema/impl/schema_rules.hpp>
#include <kcontrol/schema/impl/schema_types.hpp>
#include <kcontrol/schema/validate.hpp>

#include <charconv>
#include <cmath>
#include <map>
#include <set>

namespace kcontrol::inline v0_1 {
namespace detail {

/// Walks an object and a table side by side, as kube-openapi's validators walk an object and its schema.
class schema_validator {
public:
    void check(const type_descriptor& declared, const field_rules* field, json::node value, const std::string& path,
               bool as_resource = false) {
        const type_descriptor& type = without_optional(declared);
        const field_rules r = rules_at(declared, field);
        const bool right_type = check_type(type, r, value, path);
        check_choice(type, r, value, path);
        if (!right_type || value.is_null()) return;
        switch (value.kind()) {
        case json::kind::string: check_string(type, r, value.as_string(), path); break;
        case json::kind::integer:
        case json::kind::unsigned_integer:
        case json::kind::number: check_number(type, r, value, path); break;
        case json::kind::array:
            if (type.kind == type_kind::list) check_list(type, field, r, value, path);
            break;
        case json::kind::object:
            if (r.is_embedded_resource) check_embedded(value, path);
            if (type.kind == type_kind::map) check_map(type, field, r, value, path);
            if (type.kind == type_kind::structure) check_structure(type, r, value, path, as_resource);
            break;
        default: break;
        }
    }

    field_errors take() { return std::move(errors_); }

private:
    void add(const std::string& path, field_error_kind kind, std::string value, std::string message = {}) {
        errors_.emplace_back(path, kind, std::move(value), std::move(message));
    }
    void invalid(const std::string& path, std::string value, std::string_view message) {
        add(path, field_error_kind::invalid, std::move(value), path + " in body " + std::string(message));
    }
    void wrong_type(const std::string& path, std::string_view wanted, std::string_view found) {
        add(path, field_error_kind::type_invalid, go_quote(found),
            path + " in body must be of type " + std::string(wanted) + ": " + go_quote(found));
    }

    bool check_type(const type_descriptor& type, const field_rules& r, json::node value, const std::string& path) {
        const expected_type want = expect_type(type, r);
        if (want.name.empty()) return true;
        const std::string_view found = go_type(value);
        if (value.is_null()) {
            if (!r.is_nullable) wrong_type(path, want.name, found);
            return r.is_nullable;
        }
        if (has_expected_type(want, value)) return true;
        // Where there is a format, the server names the formats instead.
        if (!want.format.empty() && found != "string" && found != "array") {
            wrong_type(path, want.format, found == "integer" ? "int64" : found == "number" ? "float64" : "");
        } else {
            wrong_type(path, want.name, found);
        }
        return false;
    }

    void check_choice(const type_descriptor& type, const field_rules& r, json::node value, const std::string& path) {
        if (r.allowed.empty()) return;
        const bool textual = expect_type(type, r).name == "string";
        std::string list;
        for (const std::string_view choice : r.allowed) {
            const bool same = textual ? value.is_string() && value.as_string() == choice : value.to_json() == choice;
            if (same && !value.is_null()) return;
            list += (list.empty() ? "" : ", ") + go_quote(choice);
        }
        add(path, field_error_kind::not_supported, go_value(value), "supported values: " + list);
    }

    // The server reports the first of these only.
    void check_string(const type_descriptor& type, const field_rules& r, std::string_view text,
                      const std::string& path) {
        const std::string_view pattern =
            r.pattern_text.empty() && type.kind == type_kind::quantity ? quantity_pattern : r.pattern_text;
        const std::int64_t length = r.longest < 0 && r.shortest < 0 ? 0 : count_code_points(text);
        if (r.longest >= 0 && length > r.longest) {
            add(path, field_error_kind::too_long, {},
                "may not be more than " + std::to_string(r.longest) + (r.longest == 1 ? " byte" : " bytes"));
        } else if (length < r.shortest) {
            invalid(path, go_quote(text), "should be at least " + std::to_string(r.shortest) + " chars long");
        } else if (!pattern.empty()) {
            check_pattern(pattern, text, path);
        }
        const auto want = expect_type(type, r);
        const auto* format = want.format.empty() ? nullptr : find_schema_format(want.format);
        if (format == nullptr || has_schema_format(*format, text, patterns_)) return;
        if constexpr (pattern_set::can_match) {
            wrong_type(path, want.format, text);
        } else {
            check_pattern(format->pattern, text, path);
        }
    }

    void check_pattern(std::string_view pattern, std::string_view text, const std::string& path) {
        std::string shown(pattern);
        if (const auto fault = patterns_.fault(pattern); !fault.empty()) {
            shown += pattern_set::can_match ? ", but pattern is invalid: " + fault : ", but " + fault;
        } else if (patterns_.matches(pattern, text)) {
            return;
        }
        invalid(path, go_quote(text), "should match '" + shown + "'");
    }

    void check_number(const type_descriptor& type, const field_rules& r, json::node value, const std::string& path) {
        const bool whole = value.kind() == json::kind::integer;
        if (type.kind == type_kind::int32 && whole &&
            (value.as_int64() < std::numeric_limits<std::int32_t>::min() ||
             value.as_int64() > std::numeric_limits<std::int32_t>::max())) {
            add(path, field_error_kind::invalid, go_value(value),
                "Checked value must be of type integer with format int32 in " + path);
        }
        if (r.factor && !is_multiple(value, *r.factor)) {
            invalid(path, go_value(value), "should be a multiple of " + bound_text(type, value, *r.factor));
        }
        if (r.lowest) {
            const auto order = compare_bound(type, value, *r.lowest);
            if (order < 0 || (order == 0 && r.minimum_excluded)) {
                invalid(path, go_value(value),
                        (r.minimum_excluded ? "should be greater than " : "should be greater than or equal to ") +
                            bound_text(type, value, *r.lowest));
            }
        }
        if (r.highest) {
            const auto order = compare_bound(type, value, *r.highest);
            if (order > 0 || (order == 0 && r.maximum_excluded)) {
                invalid(path, go_value(value),
                        (r.maximum_excluded ? "should be less than " : "should be less than or equal to ") +
                            bound_text(type, value, *r.highest));
            }
        }
    }

    void check_count(std::int64_t count, std::int64_t least, std::int64_t most, std::string_view things,
                     const std::string& path) {
        if (count < least) {
            invalid(path, std::to_string(count),
                    "should have at least " + std::to_string(least) + ' ' + std::string(things));
        }
        if (most >= 0 && count > most) {
            add(path, field_error_kind::too_many, std::to_string(count),
                "must have at most " + std::to_string(most) + (most == 1 ? " item" : " items"));
        }
    }

    void check_list(const type_descriptor& type, const field_rules* field, const field_rules& r, json::node value,
                    const std::string& path) {
        const field_rules* elements = field == nullptr ? nullptr : field->elements();
        std::size_t index = 0;
        for (const json::node element : value.elements()) {
            check(*type.element, elements, element, path + '[' + std::to_string(index++) + ']');
        }
        check_count(static_cast<std::int64_t>(index), r.fewest_items, r.most_items, "items", path);
        if (r.list == list_type_rule::set)
            check_unique(value, path, [](json::node element) { return go_key(element); });
        if (r.list == list_type_rule::map) check_keys(type, r, value, path);
    }

    void check_map(const type_descriptor& type, const field_rules* field, const field_rules& r, json::node value,
                   const std::string& path) {
        const field_rules* elements = field == nullptr ? nullptr : field->elements();
        const field_rules of_elements = rules_at(*type.element, elements);
        std::int64_t count = 0;
        for (const auto member : value.members()) {
            const bool is_null = member.value.is_null() && !of_elements.is_nullable;
            if (is_null && of_elements.default_is == default_kind::none) continue;  // as good as absent
            ++count;
            if (!is_null) check(*type.element, elements, member.value, path + '.' + std::string(member.name));
        }
        check_count(count, r.fewest_properties, r.most_properties, "properties", path);
    }

    void check_structure(const type_descriptor& type, const field_rules& r, json::node value, const std::string& path,
                         bool as_resource) {
        std::int64_t count = 0;
        const std::string before = path.empty() ? path : path + '.';
        for (const field_descriptor* member : schema_fields(type)) {
            if (as_resource && member->name == "metadata") continue;
            const std::string place = before + std::string(member->name);
            bool present = false;
            json::node found;
            for (const auto entry : value.members()) {
                if (entry.name == member->name) present = true, found = entry.value;
            }
            // null is absent to the server, unless it is allowed.
            if (present && found.is_null() && !is_nullable(*member)) present = false;
            const bool defaulted = !present && has_default(*member);
            if (present) {
                check(*member->type, member->rules, found, place);
            } else if (!defaulted && member->required) {
                add(place, field_error_kind::required, {});
            }
            count += present || defaulted ? 1 : 0;
        }
        if (!r.keeps_unknown_fields) check_count(count, r.fewest_properties, r.most_properties, "properties", path);
    }

    static bool is_nullable(const field_descriptor& field) { return rules_at(*field.type, field.rules).is_nullable; }

    void check_embedded(json::node value, const std::string& path) {
        for (const std::string_view name : {"apiVersion", "kind"}) {
            const json::node member = value[name];
            const std::string place = path + '.' + std::string(name);
            if (member.is_null()) {
                add(place, field_error_kind::required, {});
            } else if (!member.is_string()) {
                add(place, field_error_kind::invalid, go_value(member), "must be a string");
            } else if (member.as_string().empty()) {
                add(place, field_error_kind::invalid, "\"\"", "must not be empty");
            }
        }
        // The server reads it as metadata before it looks at any schema.
        const json::node metadata = value["metadata"];
        object_meta read;
        if (metadata.is_null()) return;
        if (const auto decoded = decode(describe<object_meta>(), metadata, &read); !decoded) {
            add(path + ".metadata", field_error_kind::invalid, metadata.to_json(), decoded.error().message());
        }
    }

    template <class Key>
    void check_unique(json::node list, const std::string& path, const Key& key) {
        std::map<std::string, int> seen;
        std::size_t index = 0;
        for (const json::node element : list.elements()) {
            std::string text = key(element);
            if (++seen[text] == 2) {
                const std::string value = text.starts_with('"') ? go_value(element) : std::move(text);
                add(path + '[' + std::to_string(index) + ']', field_error_kind::duplicate, value);
            }
            ++index;
        }
    }

    void check_keys(const type_descriptor& type, const field_rules& r, json::node list, const std::string& path) {
        const type_descriptor& element = without_optional(*type.element);
        std::size_t index = 0;
        for (const json::node entry : list.elements()) {
            if (!entry.is_object() && !entry.is_null()) {
                add(path + '[' + std::to_string(index) + ']', field_error_kind::invalid, go_value(entry),
                    "must be an object for an array of list-type map");
                return;
            }
            ++index;
        }
        check_unique(list, path, [&](json::node entry) { return key_of_element(element, r, entry); });
    }

    pattern_set patterns_;
    field_errors errors_;
};

KCONTROL_DECL field_errors validate_node(const type_descriptor& type, json::node object, bool as_resource) {
    schema_validator validator;
    validator.check(type, nullptr, object, {}, as_resource);
    return validator.take();
}

KCONTROL_DECL result<field_errors> validate_text(const type_descriptor& type, std::string_view text, bool as_resource) {
    json::document document;
    const auto root = document.parse(text);
    if (!root) return root.error();
    return validate_node(type, *root, as_resource);
}

}  // namespace detail
}  // namespace kcontrol
