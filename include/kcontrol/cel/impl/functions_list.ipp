#pragma once

#include <kcontrol/cel/impl/functions.hpp>

#include <algorithm>
#include <numeric>

namespace kcontrol::inline v0_1::cel::detail {
inline value_result sum_of(const list_value& list, const std::vector<value>& all) {
    if (all.empty()) {
        const std::string_view kind = list.item_kind();
        if (kind == "duration") return value(duration_value{});
        if (kind == "number") return value(0.0);
        return value(std::int64_t(0));
    }
    value sum = all.front();
    const bool sums = sum.is_number() || sum.get<duration_value>() != nullptr;
    if (!sums) return no_overload();
    for (auto one = all.begin() + 1; one != all.end(); ++one) {
        auto added = compute('+', sum, *one);
        if (!added) return added;
        sum = std::move(*added);
    }
    return sum;
}

// min, max, isSorted
inline value_result compared_items(std::string_view name, const std::vector<value>& all) {
    const bool sorted = name == "isSorted";
    if (all.empty()) {
        if (sorted) return value(true);
        return evaluation_error(std::string(name) + " called on empty list");
    }
    const value* best = &all.front();
    for (const auto& one : all) {
        const auto order = value::compare(one, *best);
        if (!order) return no_overload();
        if (sorted && *order < 0) return value(false);
        if (sorted || (name == "min" ? *order < 0 : *order > 0)) best = &one;
    }
    return sorted ? value(true) : *best;
}

inline result<bool> has_item(const std::vector<value>& all, const value& wanted) {
    for (const auto& one : all) {
        const auto same = value::equal(one, wanted);
        if (!same || *same) return same;
    }
    return false;
}

inline value_result held_bool(const result<bool>& held) {
    if (!held) return held.error();
    return value(*held);
}

inline value_result distinct_items(const std::vector<value>& all) {
    std::vector<value> out;
    for (const auto& one : all) {
        const auto has = has_item(out, one);
        if (!has) return has.error();
        if (!*has) out.push_back(one);
    }
    return value(list_value(std::move(out)));
}

inline value_result index_in(const std::vector<value>& all, const value& wanted, bool last) {
    std::int64_t found = -1;
    for (std::size_t i = 0; i < all.size() && (last || found < 0); ++i) {
        const auto same = value::equal(all[i], wanted);
        if (!same) return same.error();
        if (*same) found = static_cast<std::int64_t>(i);
    }
    return value(found);
}

inline result<void> flatten_into(std::vector<value>& out, const std::vector<value>& all, std::int64_t depth) {
    for (const auto& one : all) {
        const auto* list = one.get<list_value>();
        if (list == nullptr || depth == 0) {
            out.push_back(one);
            continue;
        }
        const auto below = list->items();
        if (!below) return below.error();
        if (auto done = flatten_into(out, *below, depth - 1); !done) return done;
    }
    return {};
}

inline value_result slice_of(const std::vector<value>& all, std::int64_t from, std::int64_t to) {
    const std::string place = "cannot slice(" + std::to_string(from) + ", " + std::to_string(to) + "), ";
    if (from < 0 || to < 0) return evaluation_error(place + "negative indexes not supported");
    if (from > to) return evaluation_error(place + "start index must be less than or equal to end index");
    if (to > static_cast<std::int64_t>(all.size())) {
        return evaluation_error(place + "list is length " + std::to_string(all.size()));
    }
    return value(list_value(std::vector<value>(all.begin() + from, all.begin() + to)));
}

inline value_result joined_texts(const std::vector<value>& all, const std::string& between) {
    std::string out;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto* text = all[i].get<std::string>();
        if (text == nullptr) return evaluation_error("join: invalid input: " + json::serialize(all[i].to_json()));
        out += (i == 0 ? "" : between) + *text;
    }
    return value(std::move(out));
}

inline function_answer call_without_arguments(std::string_view name, const list_value& list, std::vector<value> all) {
    if (name == "sum") return sum_of(list, all);
    if (name == "isSorted" || name == "min" || name == "max") return compared_items(name, all);
    if (name == "sort") return sort_list(all, all);
    if (name == "distinct") return distinct_items(all);
    if (name == "join") return joined_texts(all, "");
    if (name == "first" || name == "last") {
        if (all.empty()) return value(optional_value());
        return value(optional_value{std::make_shared<const value>(name == "first" ? all.front() : all.back())});
    }
    if (name == "reverse") {
        std::reverse(all.begin(), all.end());
        return value(list_value(std::move(all)));
    }
    if (name != "flatten") return std::nullopt;
    std::vector<value> out;
    if (auto done = flatten_into(out, all, 1); !done) return done.error();
    return value(list_value(std::move(out)));
}

KCONTROL_DECL value_result sort_list(const std::vector<value>& items, const std::vector<value>& keys) {
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    for (const auto& key : keys) {
        if (!value::compare(key, key)) return evaluation_error("list elements must be comparable");
        if (key.held().index() != keys.front().held().index())
            return evaluation_error("list elements must have the same type");
    }
    std::stable_sort(order.begin(), order.end(),
                     [&keys](std::size_t a, std::size_t b) { return *value::compare(keys[a], keys[b]) < 0; });
    std::vector<value> out;
    for (const std::size_t at : order) out.push_back(items[at]);
    return value(list_value(std::move(out)));
}

KCONTROL_DECL function_answer call_list_function(std::string_view name, const function_arguments& arguments) {
    if (name == "includes" && arguments[0].get<list_value>() == nullptr)
        return held_bool(value::equal(arguments[0], arguments[1]));
    const auto* list = arguments[0].get<list_value>();
    if (list == nullptr) return std::nullopt;
    auto all = list->items();
    if (!all) return all.error();
    if (arguments.size() == 1) return call_without_arguments(name, *list, std::move(*all));
    if (name == "slice") {
        const auto *from = arguments[1].get<std::int64_t>(), *to = arguments[2].get<std::int64_t>();
        if (from != nullptr && to != nullptr) return slice_of(*all, *from, *to);
        return std::nullopt;
    }
    if (arguments.size() != 2) return std::nullopt;
    if (name == "includes") return held_bool(has_item(*all, arguments[1]));
    if (name == "indexOf" || name == "lastIndexOf") return index_in(*all, arguments[1], name == "lastIndexOf");
    if (const auto* between = arguments[1].get<std::string>(); between != nullptr && name == "join") {
        return joined_texts(*all, *between);
    }
    const auto* depth = arguments[1].get<std::int64_t>();
    if (name != "flatten" || depth == nullptr) return std::nullopt;
    if (*depth < 0) return evaluation_error("level must be non-negative");
    std::vector<value> out;
    if (auto done = flatten_into(out, *all, *depth); !done) return done.error();
    return value(list_value(std::move(out)));
}

KCONTROL_DECL function_answer call_set_function(std::string_view name, const function_arguments& arguments) {
    if (name == "lists.range") {
        const auto* count = arguments[0].get<std::int64_t>();
        if (count == nullptr) return no_overload();
        if (*count > 1'000'000)
            return evaluation_error("lists.range() of more than a million: the rule costs too much");
        std::vector<value> out;
        for (std::int64_t i = 0; i < *count; ++i) out.emplace_back(i);
        return value(list_value(std::move(out)));
    }
    if (!name.starts_with("sets.")) return std::nullopt;
    const auto *a = arguments[0].get<list_value>(), *b = arguments[1].get<list_value>();
    if (a == nullptr || b == nullptr) return no_overload();
    const auto x = a->items(), y = b->items();
    if (!x) return x.error();
    if (!y) return y.error();
    const auto covers = [](const std::vector<value>& all, const std::vector<value>& wanted, bool any) -> result<bool> {
        for (const auto& one : wanted) {
            const auto has = has_item(all, one);
            if (!has) return has;
            if (*has == any) return any;
        }
        return !any;
    };
    auto held = covers(*x, *y, name == "sets.intersects");
    if (held && *held && name == "sets.equivalent") held = covers(*y, *x, false);
    return held_bool(held);
}

}  // namespace kcontrol::cel::detail
