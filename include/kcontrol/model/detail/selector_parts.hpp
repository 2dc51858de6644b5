// Reading the parts of a selector out of an object's members, whatever their types are called.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

// The value in a boxed, an optional or a pointer, or null if there is none; anything else is there.
template <class T>
constexpr auto* present_part(const T& from) {
    if constexpr (requires {
                      *from;
                      static_cast<bool>(from);
                  }) {
        return static_cast<bool>(from) ? std::addressof(*from) : nullptr;
    } else {
        return std::addressof(from);
    }
}

// What a boxed, an optional or a pointer holds; anything else is itself.
template <class T>
using part_type = std::remove_cvref_t<decltype(*present_part(std::declval<const T&>()))>;

template <class Map>
std::map<std::string, std::string> copy_labels(const Map& from) {
    std::map<std::string, std::string> out;
    for (const auto& [key, value] : from) {
        out.emplace(static_cast<std::string>(key), static_cast<std::string>(value));
    }
    return out;
}

template <class T>
concept has_label_selector_parts = requires(const T& from) {
    from.match_labels;
    from.match_expressions;
};

template <class T>
concept has_node_term_parts = requires(const T& from) {
    from.match_expressions;
    from.match_fields;
};

template <class T>
concept has_node_selector_parts = requires(const T& from) {
    from.node_selector_terms;
};

// Expression is label_expression, which is declared after this.
template <class Expression, class List>
std::vector<Expression> copy_expressions(const List& from) {
    std::vector<Expression> out;
    for (const auto& one : from) {
        Expression made;
        made.key = static_cast<std::string>(one.key);
        if constexpr (requires { one.operator_; }) {
            made.op = static_cast<std::string>(one.operator_);
        } else {
            made.op = static_cast<std::string>(one.op);
        }
        for (const auto& value : one.values) made.values.push_back(static_cast<std::string>(value));
        out.push_back(std::move(made));
    }
    return out;
}

}  // namespace kcontrol::detail
