// A JSONPath after it was read: nodes that are evaluated one after the other.
#pragma once

#include <kcontrol/documents/json_path.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

class json_path_node;
using json_path_list = std::vector<json_path_node>;

class json_path_node {
public:
    enum class kind {
        field,      // text: the member
        elements,   // of a list: from, to, step
        members,    // of an object, or all elements
        recursive,  // everything below
        filter,     // lists: left, right; text: the operator, empty where existence counts
        either,     // lists: one after the other
        text,       // literal, once
        literal,    // literal, for each value
        unknown     // text: a word that has no meaning
    };

    json_path_node(kind w, std::string t = {}) : what(w), text(std::move(t)) {}  // NOLINT: meant to convert

    kind what;
    std::string text;
    json::value literal;
    std::vector<json_path_list> lists;
    std::optional<std::int64_t> from, to, step;
    bool one = false;  // [N]: `to` is N + 1, which is the end where N is -1
};

class json_path_program {
public:
    json_path_list nodes;
};

// Numbers as Go's decoder has them: whole ones that fit are integers, however they are written.
inline std::optional<std::int64_t> whole_number(const json::value& v) {
    if (v.is_int64()) return v.get_int64();
    if (v.is_uint64()) {
        constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
        return v.get_uint64() <= most ? std::optional(static_cast<std::int64_t>(v.get_uint64())) : std::nullopt;
    }
    if (!v.is_double()) return std::nullopt;
    const double number = v.get_double();
    constexpr double beyond = 9223372036854775808.0;
    if (!(number >= -beyond && number < beyond)) return std::nullopt;
    const auto whole = static_cast<std::int64_t>(number);
    if (static_cast<double>(whole) != number) return std::nullopt;
    return whole;
}

}  // namespace kcontrol::detail
