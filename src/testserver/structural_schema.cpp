#include "testserver/structural_schema.hpp"

#include "testserver/cel_rules.hpp"
#include "testserver/structural_problems.hpp"
#include "testserver/structural_pruner.hpp"
#include "testserver/structural_validation.hpp"
#include "testserver/structural_values.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

bool wants_value(const json::value& schema, const json::value* found) {
    return found == nullptr || (found->is_null() && !schema_flag(schema, "nullable"));
}

void add_structural_defaults(const json::value& schema, json::value& v) {
    if (v.is_object()) {
        json::object& members = v.get_object();
        const json::value* properties = json::find(schema, {"properties"});
        if (properties != nullptr && properties->is_object()) {
            for (const auto& one : properties->get_object()) {
                const json::value* usual = json::find(one.value(), {"default"});
                if (usual != nullptr && wants_value(one.value(), members.if_contains(one.key()))) {
                    members[one.key()] = *usual;
                }
            }
        }
        for (auto& member : members) {
            const json::value* below = member_schema(schema, member.key());
            if (below != nullptr) add_structural_defaults(*below, member.value());
        }
    } else if (v.is_array()) {
        const json::value* items = json::find(schema, {"items"});
        if (items == nullptr) return;
        const json::value* usual = json::find(*items, {"default"});
        for (auto& item : v.get_array()) {
            if (usual != nullptr && wants_value(*items, &item)) item = *usual;
            add_structural_defaults(*items, item);
        }
    }
}

// A null that may not be is as good as absent.
void remove_structural_nulls(const json::value& schema, json::value& v) {
    if (v.is_array()) {
        const json::value* items = json::find(schema, {"items"});
        if (items == nullptr) return;
        for (auto& item : v.get_array()) remove_structural_nulls(*items, item);
    }
    if (!v.is_object()) return;
    json::object& members = v.get_object();
    for (auto member = members.begin(); member != members.end();) {
        const json::value* below = member_schema(schema, member->key());
        if (below != nullptr && member->value().is_null() && !schema_flag(*below, "nullable") &&
            !json::get_string(*below, {"type"}).empty()) {
            member = members.erase(member);
            continue;
        }
        if (below != nullptr) remove_structural_nulls(*below, member->value());
        ++member;
    }
}

}  // namespace
}  // namespace detail

structural_schema::structural_schema(json::value schema)
    : schema_(std::move(schema)),
      has_rules_(detail::has_rules(schema_)),
      texts_(std::make_shared<text_checks>()),
      rules_(std::make_shared<detail::parsed_rules>()) {}

void structural_schema::prune(json::object& whole, std::vector<std::string>& unknown) const {
    json::value v(std::move(whole));
    detail::structural_pruner(unknown).prune(schema_, v, "", true);
    std::sort(unknown.begin(), unknown.end());
    whole = std::move(v.get_object());
}

void structural_schema::set_defaults(json::object& whole) const {
    json::value v(std::move(whole));
    detail::add_structural_defaults(schema_, v);
    detail::remove_structural_nulls(schema_, v);
    whole = std::move(v.get_object());
}

std::vector<field_problem> structural_schema::validate(const json::object& whole, const json::object* before) const {
    const json::value now(whole);
    const json::value old = before == nullptr ? json::value() : json::value(*before);
    detail::structural_validator validator(*texts_);
    validator.check(schema_, now, "");
    validator.check_scale(now, scale_spec);
    validator.check_scale(now, scale_status);
    validator.check_embedded(schema_, now, "");
    validator.check_lists(schema_, now, "");
    auto problems = validator.take();
    if (before != nullptr) detail::forgive_unchanged(problems, now, old);
    if (!has_rules_) return problems;
    if (detail::hides_rules(problems)) {
        problems.emplace_back("<nil>", "FieldValueInvalid",
                              "Invalid value: null: some validation rules were not checked because the object was "
                              "invalid; correct the existing errors to complete validation");
        return problems;
    }
    detail::check_rules(schema_, now, before == nullptr ? nullptr : &old, "", detail::rule_context{*texts_, *rules_},
                        problems);
    return problems;
}

const json::value* value_at_path(const json::value& whole, std::string_view path) {
    const json::value* at = &whole;
    while (!path.empty() && at != nullptr) {
        path.remove_prefix(1);  // the dot
        const std::string_view name = path.substr(0, path.find('.'));
        path.remove_prefix(name.size());
        at = at->is_object() ? at->get_object().if_contains(name) : nullptr;
    }
    return at;
}

}  // namespace kcontrol::testing
