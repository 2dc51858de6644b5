// The inline part of json::cursor: strings, and what is passed over.
#pragma once

#include <kcontrol/json/cursor.hpp>
#include <kcontrol/json/detail/find_quote.hpp>

namespace kcontrol::inline v0_1::json {

/// Deeper than what servers write; what goes deeper is left to json::document, which says so.
inline constexpr std::size_t usual_depth = 200;
/// For texts that are known to be JSON, or that somebody reads afterwards.
inline constexpr std::size_t any_depth = static_cast<std::size_t>(-1);

inline bool cursor::take_string(std::string_view& content, bool& escaped) noexcept {
    if (!take('"')) return false;
    detail::string_marks marks;
    const char* const behind = detail::end_of_string(at_, end_, marks);
    if (behind == nullptr || marks.control) return false;
    content = {at_, static_cast<std::size_t>(behind - 1 - at_)};
    escaped = marks.escaped;
    at_ = behind;
    return !marks.beyond_ascii || is_utf8(content);
}

inline bool cursor::skip_value(std::size_t deepest) noexcept {
    const char opening = front();
    if (opening == '{' || opening == '[') return skip_brackets(deepest);
    if (opening != '"') return skip_scalar();
    detail::string_marks marks;
    at_ = detail::end_of_string(at_ + 1, end_, marks);
    return at_ != nullptr;
}

}  // namespace kcontrol::json
