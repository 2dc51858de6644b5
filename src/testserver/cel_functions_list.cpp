#include "testserver/cel_functions.hpp"

#include <algorithm>
#include <numeric>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

cel_result sum_of(const cel_list& list, const std::vector<cel_value>& all) {
    if (all.empty()) {
        const std::string_view kind = list.item_kind();
        if (kind == "duration") return cel_value(cel_duration{});
        if (kind == "number") return cel_value(0.0);
        return cel_value(std::int64_t(0));
    }
    cel_value sum = all.front();
    const bool sums = sum.is_number() || sum.get<cel_duration>() != nullptr;
    if (!sums) return cel_no_overload();
    for (auto one = all.begin() + 1; one != all.end(); ++one) {
        auto added = compute_cel('+', sum, *one);
        if (!added) return added;
        sum = std::move(*added);
    }
    return sum;
}

// min, max, isSorted
cel_result compared_items(std::string_view name, const std::vector<cel_value>& all) {
    const bool sorted = name == "isSorted";
    if (all.empty()) {
        if (sorted) return cel_value(true);
        return cel_error(std::string(name) + " called on empty list");
    }
    const cel_value* best = &all.front();
    for (const auto& one : all) {
        const auto order = cel_value::compare(one, *best);
        if (!order) return cel_no_overload();
        if (sorted && *order < 0) return cel_value(false);
        if (sorted || (name == "min" ? *order < 0 : *order > 0)) best = &one;
    }
    return sorted ? cel_value(true) : *best;
}

result<bool> has_item(const std::vector<cel_value>& all, const cel_value& wanted) {
    for (const auto& one : all) {
        const auto same = cel_value::equal(one, wanted);
        if (!same || *same) return same;
    }
    return false;
}

cel_result distinct_items(const std::vector<cel_value>& all) {
    std::vector<cel_value> out;
    for (const auto& one : all) {
        const auto has = has_item(out, one);
        if (!has) return has.error();
        if (!*has) out.push_back(one);
    }
    return cel_value(cel_list(std::move(out)));
}

cel_result index_in(const std::vector<cel_value>& all, const cel_value& wanted, bool last) {
    std::int64_t found = -1;
    for (std::size_t i = 0; i < all.size() && (last || found < 0); ++i) {
        const auto same = cel_value::equal(all[i], wanted);
        if (!same) return same.error();
        if (*same) found = static_cast<std::int64_t>(i);
    }
    return cel_value(found);
}

result<void> flatten_into(std::vector<cel_value>& out, const std::vector<cel_value>& all, std::int64_t depth) {
    for (const auto& one : all) {
        const auto* list = one.get<cel_list>();
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

cel_result slice_of(const std::vector<cel_value>& all, std::int64_t from, std::int64_t to) {
    const std::string place = "cannot slice(" + std::to_string(from) + ", " + std::to_string(to) + "), ";
    if (from < 0 || to < 0) return cel_error(place + "negative indexes not supported");
    if (from > to) return cel_error(place + "start index must be less than or equal to end index");
    if (to > static_cast<std::int64_t>(all.size())) {
        return cel_error(place + "list is length " + std::to_string(all.size()));
    }
    return cel_value(cel_list(std::vector<cel_value>(all.begin() + from, all.begin() + to)));
}

cel_result joined_texts(const std::vector<cel_value>& all, const std::string& between) {
    std::string out;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto* text = all[i].get<std::string>();
        if (text == nullptr) return cel_error("join: invalid input: " + json::serialize(all[i].to_json()));
        out += (i == 0 ? "" : between) + *text;
    }
    return cel_value(std::move(out));
}

cel_answer call_without_arguments(std::string_view name, const cel_list& list, std::vector<cel_value> all) {
    if (name == "sum") return sum_of(list, all);
    if (name == "isSorted" || name == "min" || name == "max") return compared_items(name, all);
    if (name == "sort") return sort_cel_list(all, all);
    if (name == "distinct") return distinct_items(all);
    if (name == "join") return joined_texts(all, "");
    if (name == "first" || name == "last") {
        if (all.empty()) return cel_value(cel_optional());
        return cel_value(cel_optional{std::make_shared<const cel_value>(name == "first" ? all.front() : all.back())});
    }
    if (name == "reverse") {
        std::reverse(all.begin(), all.end());
        return cel_value(cel_list(std::move(all)));
    }
    if (name != "flatten") return std::nullopt;
    std::vector<cel_value> out;
    if (auto done = flatten_into(out, all, 1); !done) return done.error();
    return cel_value(cel_list(std::move(out)));
}

}  // namespace

cel_result sort_cel_list(const std::vector<cel_value>& items, const std::vector<cel_value>& keys) {
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    for (const auto& key : keys) {
        if (!cel_value::compare(key, key)) return cel_error("list elements must be comparable");
        if (key.held().index() != keys.front().held().index())
            return cel_error("list elements must have the same type");
    }
    std::stable_sort(order.begin(), order.end(),
                     [&keys](std::size_t a, std::size_t b) { return *cel_value::compare(keys[a], keys[b]) < 0; });
    std::vector<cel_value> out;
    for (const std::size_t at : order) out.push_back(items[at]);
    return cel_value(cel_list(std::move(out)));
}

cel_answer call_cel_of_list(std::string_view name, const cel_arguments& arguments) {
    const auto* list = arguments[0].get<cel_list>();
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
    if (name == "indexOf" || name == "lastIndexOf") return index_in(*all, arguments[1], name == "lastIndexOf");
    if (const auto* between = arguments[1].get<std::string>(); between != nullptr && name == "join") {
        return joined_texts(*all, *between);
    }
    const auto* depth = arguments[1].get<std::int64_t>();
    if (name != "flatten" || depth == nullptr) return std::nullopt;
    if (*depth < 0) return cel_error("level must be non-negative");
    std::vector<cel_value> out;
    if (auto done = flatten_into(out, *all, *depth); !done) return done.error();
    return cel_value(cel_list(std::move(out)));
}

cel_answer call_cel_of_sets(std::string_view name, const cel_arguments& arguments) {
    if (name == "lists.range") {
        const auto* count = arguments[0].get<std::int64_t>();
        if (count == nullptr) return cel_no_overload();
        if (*count > 1'000'000) return cel_error("lists.range() of more than a million: the rule costs too much");
        std::vector<cel_value> out;
        for (std::int64_t i = 0; i < *count; ++i) out.emplace_back(i);
        return cel_value(cel_list(std::move(out)));
    }
    if (!name.starts_with("sets.")) return std::nullopt;
    const auto *a = arguments[0].get<cel_list>(), *b = arguments[1].get<cel_list>();
    if (a == nullptr || b == nullptr) return cel_no_overload();
    const auto x = a->items(), y = b->items();
    if (!x) return x.error();
    if (!y) return y.error();
    const auto covers = [](const std::vector<cel_value>& all, const std::vector<cel_value>& wanted,
                           bool any) -> result<bool> {
        for (const auto& one : wanted) {
            const auto has = has_item(all, one);
            if (!has) return has;
            if (*has == any) return any;
        }
        return !any;
    };
    auto held = covers(*x, *y, name == "sets.intersects");
    if (held && *held && name == "sets.equivalent") held = covers(*y, *x, false);
    if (!held) return held.error();
    return cel_value(*held);
}

}  // namespace kcontrol::testing::detail
