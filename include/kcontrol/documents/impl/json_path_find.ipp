// Evaluation of a JSONPath: what client-go's evaluator finds (util/jsonpath/jsonpath.go) where keys may be missing.
#pragma once

#include <kcontrol/documents/impl/json_path_program.hpp>

#include <algorithm>
#include <array>
#include <compare>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

using json_path_values = std::vector<const json::value*>;

// Go takes the elements of a string for its bytes.
inline const json::value& json_path_byte(char c) {
    static const std::array<json::value, 256> all = [] {
        std::array<json::value, 256> out;
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint64_t>(i);
        return out;
    }();
    return all[static_cast<unsigned char>(c)];
}

// The members of an object by name, the elements of a list, the bytes of a text; nothing of all else.
inline void append_children(const json::value& of, json_path_values& out) {
    if (of.is_object()) {
        const std::size_t first = out.size();
        std::vector<std::pair<std::string_view, const json::value*>> sorted;
        for (const auto& member : of.get_object()) sorted.emplace_back(member.key(), &member.value());
        std::sort(sorted.begin(), sorted.end());
        out.resize(first + sorted.size());
        std::transform(sorted.begin(), sorted.end(), out.begin() + static_cast<std::ptrdiff_t>(first),
                       [](const auto& one) { return one.second; });
    } else if (of.is_array()) {
        for (const auto& element : of.get_array()) out.push_back(&element);
    } else if (of.is_string()) {
        for (const char c : of.get_string()) out.push_back(&json_path_byte(c));
    }
}

/// Values that are found, or why not. client-go's functions return both, and a filter for existence uses both.
class json_path_found {
public:
    json_path_values values;
    std::string problem;  // empty: none
};

class json_path_evaluator {
public:
    static constexpr std::size_t most_values = 100'000;

    json_path_found list(json_path_values from, const json_path_list& nodes) {
        json_path_found out{std::move(from), {}};
        for (const auto& node : nodes) {
            out = one(out.values, node);
            if (out.values.size() > most_values) exceeded_ = true;
            if (exceeded_) out.problem = "it selects more than 100000 values";
            if (!out.problem.empty()) break;
        }
        return out;
    }
    bool exceeded() const { return exceeded_; }

private:
    using kind = json_path_node::kind;

    json_path_found one(const json_path_values& from, const json_path_node& node) {
        json_path_found out;
        switch (node.what) {
        case kind::field:
            for (const auto* v : from) {
                const auto* found = v->is_object() ? v->get_object().if_contains(node.text) : nullptr;
                if (found != nullptr) out.values.push_back(found);
            }
            return out;
        case kind::elements: return elements(from, node);
        case kind::members:
            for (const auto* v : from) append_children(*v, out.values);
            return out;
        case kind::recursive:
            for (const auto* v : from) append_all(*v, out.values);
            return out;
        case kind::filter: return filter(from, node);
        case kind::either:
            for (const auto& part : node.lists) {
                const auto found = list(from, part);
                if (!found.problem.empty()) return {from, found.problem};
                out.values.insert(out.values.end(), found.values.begin(), found.values.end());
            }
            return out;
        case kind::text: return {{&node.literal}, {}};
        case kind::literal: return {json_path_values(from.size(), &node.literal), {}};
        case kind::unknown: break;
        }
        return {from, "\"" + node.text + "\" has no meaning; a text needs quotes"};
    }

    // A value comes before what is in it; those without anything in them do not come.
    void append_all(const json::value& of, json_path_values& out) {
        if (of.is_string() && !of.get_string().empty()) return out.push_back(&of);
        json_path_values below;
        append_children(of, below);
        if (below.empty() || exceeded_) return;
        if (out.size() > most_values) exceeded_ = true;
        out.push_back(&of);
        for (const auto* v : below) append_all(*v, out);
    }

    json_path_found elements(const json_path_values& from, const json_path_node& node) {
        json_path_found out;
        for (const auto* v : from) {
            if (v->is_null()) continue;
            if (!v->is_array()) return {from, "an index where there is no list"};
            const auto& all = v->get_array();
            const auto size = static_cast<std::int64_t>(all.size());
            std::int64_t first = node.from.value_or(0), end = node.to.value_or(size);
            if (first < 0) first += size;
            if (end < 0 || (end == 0 && node.one)) end += size;
            if (first == end) return out;  // client-go leaves out the other lists then, too
            if (first < 0 || first >= size || end < 0 || end > size || first > end) {
                return {from, "an index is beyond the list, which has " + std::to_string(size) + " elements"};
            }
            const std::int64_t step = node.step.value_or(1);
            if (step <= 0) return {from, "the step of a slice is not above 0"};
            for (; first < end; first += std::min(step, size))
                out.values.push_back(&all[static_cast<std::size_t>(first)]);
        }
        return out;
    }

    json_path_found filter(const json_path_values& from, const json_path_node& node) {
        json_path_found out;
        for (const auto* v : from) {
            if (!v->is_array()) return {from, "a filter where there is no list"};
            for (const auto& element : v->get_array()) {
                const auto left = list({&element}, node.lists[0]);
                if (node.text.empty()) {
                    if (!left.values.empty()) out.values.push_back(&element);
                    continue;
                }
                if (!left.problem.empty()) return {from, left.problem};
                if (left.values.empty()) continue;
                if (left.values.size() > 1) return {from, "a filter compares several values with one"};
                const auto right = list({&element}, node.lists[1]);
                if (!right.problem.empty()) return {from, right.problem};
                if (right.values.empty()) continue;
                if (right.values.size() > 1) return {from, "a filter compares one value with several"};
                const operand a{left.values[0], node.lists[0]}, b{right.values[0], node.lists[1]};
                const auto passes = compare(a, b, node.text);
                if (!passes) return {out.values, "a filter compares what can't be compared, by " + node.text};
                if (*passes) out.values.push_back(&element);
            }
        }
        return out;
    }

    // One side of a comparison.
    class operand {
    public:
        operand(const json::value* v, const json_path_list& by)
            : value(*v), real_(!by.empty() && v == &by.back().literal) {}

        // A number that the path writes with a dot stays a float64; whole ones of documents are integers.
        std::optional<std::int64_t> whole() const {
            return real_ && value.is_double() ? std::nullopt : whole_number(value);
        }
        const json::value& value;

    private:
        bool real_;
    };

    // Nothing where the types differ, or have no such order.
    static std::optional<bool> compare(const operand& a, const operand& b, std::string_view by) {
        const auto order = order_of(a, b);
        if (!order) return std::nullopt;
        if (by == "==") return *order == 0;
        if (by == "!=") return *order != 0;
        if (a.value.is_bool()) return std::nullopt;
        // Go has > as "not <=" and >= as "not <".
        if (by == "<") return *order < 0;
        if (by == "<=") return *order < 0 || *order == 0;
        if (by == ">") return !(*order < 0 || *order == 0);
        if (by == ">=") return !(*order < 0);
        return std::nullopt;
    }

    static std::optional<std::partial_ordering> order_of(const operand& left, const operand& right) {
        const json::value &a = left.value, &b = right.value;
        if (a.is_string() && b.is_string()) {
            return std::string_view(a.get_string()) <=> std::string_view(b.get_string());
        }
        if (a.is_bool() && b.is_bool()) return a.get_bool() <=> b.get_bool();
        if (!a.is_number() || !b.is_number()) return std::nullopt;
        const auto x = left.whole(), y = right.whole();
        if (x.has_value() != y.has_value()) return std::nullopt;
        if (x) return *x <=> *y;
        return a.to_number<double>() <=> b.to_number<double>();
    }

    bool exceeded_ = false;
};

}  // namespace detail

KCONTROL_DECL result<std::vector<const json::value*>> json_path::find(const json::value& root) const {
    detail::json_path_evaluator evaluator;
    auto found = evaluator.list({&root}, program_->nodes);
    if (found.problem.empty()) return std::move(found.values);
    return error(evaluator.exceeded() ? errc::limit_exceeded : errc::invalid_argument,
                 "the JSONPath \"" + escape_control(text_) + "\": " + escape_control(found.problem));
}

}  // namespace kcontrol
