#pragma once

#include <kcontrol/cluster/detail/read_plan.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::detail {

// Values are sorted.
inline bool has_all(const std::vector<std::string>& all, const std::vector<std::string>& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

inline bool has_none(const std::vector<std::string>& all, const std::vector<std::string>& some) {
    return std::none_of(some.begin(), some.end(),
                        [&](const std::string& one) { return std::binary_search(all.begin(), all.end(), one); });
}

inline bool names_values(label_operator op) { return op == label_operator::equals || op == label_operator::in; }

inline bool term_implies(const label_requirement& asked, const label_requirement& cached) {
    if (asked.key != cached.key) return false;
    if (asked == cached) return true;
    switch (cached.op) {
    case label_operator::exists:
        return names_values(asked.op) || asked.op == label_operator::greater_than ||
               asked.op == label_operator::less_than;
    case label_operator::equals:
    case label_operator::in: return names_values(asked.op) && has_all(cached.values, asked.values);
    case label_operator::not_equals:
    case label_operator::not_in:
        if (names_values(asked.op)) return has_none(cached.values, asked.values);
        if (asked.op == label_operator::not_exists) return true;  // an absent label is none of the values
        return (asked.op == label_operator::not_in || asked.op == label_operator::not_equals) &&
               has_all(asked.values, cached.values);
    case label_operator::not_exists:
    case label_operator::greater_than:
    case label_operator::less_than: return false;
    }
    return false;
}

KCONTROL_DECL bool implies(const label_selector& asked, const label_selector& cached) {
    return std::all_of(cached.requirements().begin(), cached.requirements().end(), [&](const auto& wanted) {
        return std::any_of(asked.requirements().begin(), asked.requirements().end(),
                           [&](const auto& term) { return term_implies(term, wanted); });
    });
}

inline bool term_implies(const field_requirement& asked, const field_requirement& cached) {
    if (asked == cached) return true;
    return asked.field == cached.field && asked.equals && !cached.equals && asked.value != cached.value;
}

KCONTROL_DECL bool implies(const field_selector& asked, const field_selector& cached) {
    return std::all_of(cached.requirements().begin(), cached.requirements().end(), [&](const auto& wanted) {
        return std::any_of(asked.requirements().begin(), asked.requirements().end(),
                           [&](const auto& term) { return term_implies(term, wanted); });
    });
}

inline std::string describe_scopes(const std::vector<cached_scope>& scopes) {
    std::string out;
    for (const cached_scope& one : scopes) {
        out += out.empty() ? "" : " and ";
        out += one.in_namespace.empty() ? "objects" : "objects of the namespace " + one.in_namespace;
        if (!one.labels.empty()) out += " with the label selector \"" + one.labels.to_string() + "\"";
        if (!one.fields.empty()) out += " with the field selector \"" + one.fields.to_string() + "\"";
        if (!one.part.empty()) out += " with the shard selector \"" + one.part.to_string() + "\"";
    }
    return out;
}

// Of a namespace: whether its objects are in a part at all, and whether all of them are. Of uids nothing is known.
inline bool may_hold(const shard_selector& part, std::string_view ns) {
    return part.what() == shard_selector::by::uid || part.selects_value(ns);
}
inline bool holds_all(const shard_selector& part, std::string_view ns) {
    return part.empty() || (part.what() != shard_selector::by::uid && part.selects_value(ns));
}

KCONTROL_DECL read_plan plan_get(const namespaced_name& key, const std::vector<cached_scope>& scopes) {
    const field_selector known(
        {field_requirement("metadata.name", key.name), field_requirement("metadata.namespace", key.namespace_)});
    read_plan out;
    for (std::size_t i = 0; i < scopes.size(); ++i) {
        const cached_scope& one = scopes[i];
        if (!one.in_namespace.empty() && one.in_namespace != key.namespace_) continue;
        if (!may_hold(one.part, key.namespace_)) continue;
        if (one.labels.empty() && implies(known, one.fields) && holds_all(one.part, key.namespace_)) {
            out.from = {i};
            out.whole = true;
            return out;
        }
        out.from.push_back(i);
    }
    out.refusal = describe_scopes(scopes);
    return out;
}

KCONTROL_DECL read_plan plan_list(const cached_scope& wanted, const std::vector<cached_scope>& scopes) {
    auto known = wanted.fields.requirements();
    if (!wanted.in_namespace.empty()) known.emplace_back("metadata.namespace", wanted.in_namespace);
    const field_selector fields(std::move(known));
    read_plan out;
    for (std::size_t i = 0; i < scopes.size(); ++i) {
        const cached_scope& one = scopes[i];
        if (!one.in_namespace.empty() && one.in_namespace != wanted.in_namespace) continue;
        if (!implies(wanted.labels, one.labels) || !implies(fields, one.fields)) continue;
        const bool named = !wanted.in_namespace.empty() && holds_all(one.part, wanted.in_namespace);
        if (!one.part.empty() && one.part != wanted.part && !named) continue;
        out.from = {i};
        out.whole = true;
        return out;
    }
    out.refusal = describe_scopes(scopes);
    return out;
}

}  // namespace kcontrol::detail
