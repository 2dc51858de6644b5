#pragma once

#include <kcontrol/json/cursor.hpp>
#include <kcontrol/json/cursor_strings.hpp>
#include <kcontrol/json/impl/scalars.hpp>
#include <kcontrol/json/impl/skip_brackets.hpp>

#include <string>

namespace kcontrol::inline v0_1::json {
namespace detail {

/// The same choice as simdjson's own, made once.
inline bool skips_by_blocks() noexcept {
#ifdef KCONTROL_JSON_AVX2
    static const bool can = [] {
        const std::string name = simdjson::get_active_implementation()->name();
        return name == "haswell" || name == "icelake";
    }();
    return can;
#else
    return false;
#endif
}

inline const char* skip_brackets(const char* at, const char* end, std::size_t deepest) noexcept {
#ifdef KCONTROL_JSON_AVX2
    if (skips_by_blocks()) return skip_brackets_by_blocks(at, end, deepest);
#endif
    return skip_brackets_by_bytes(at, end, deepest);
}

inline bool ends_scalar(char letter) noexcept {
    switch (letter) {
    case '{':
    case '}':
    case '[':
    case ']':
    case ',':
    case ':':
    case '"':
    case '\\': return true;
    default: return static_cast<unsigned char>(letter) <= ' ';
    }
}

}  // namespace detail

KCONTROL_DECL bool cursor::is_utf8(std::string_view text) noexcept {
    return simdjson::validate_utf8(text.data(), text.size());
}

KCONTROL_DECL bool cursor::unescape(std::string_view content, std::string& out) {
    out.clear();
    out.reserve(content.size());
    return detail::visit_unescaped(content, [&](std::string_view piece) { out += piece; });
}

KCONTROL_DECL bool cursor::skip_scalar() noexcept {
    const char* const first = at_;
    while (at_ != end_ && !detail::ends_scalar(*at_)) ++at_;
    return at_ != first;
}

KCONTROL_DECL bool cursor::skip_brackets(std::size_t deepest) noexcept {
    const char opening = *at_;
    at_ = detail::skip_brackets(at_, end_, deepest);
    return at_ != nullptr && at_[-1] == opening + 2;
}

KCONTROL_DECL bool cursor::check_value(std::size_t deepest) {
    switch (front()) {
    case '{': return deepest > 0 && check_members(deepest - 1);
    case '[': return deepest > 0 && check_elements(deepest - 1);
    case '"': return check_string();
    case 't': return take("true");
    case 'f': return take("false");
    case 'n': return take("null");
    default: return check_scalar();
    }
}

inline bool cursor::check_members(std::size_t deepest) {
    ++at_;
    if (take('}')) return true;
    do {
        if (front() != '"' || !check_string() || !take(':') || !check_value(deepest)) return false;
    } while (take(','));
    return take('}');
}

inline bool cursor::check_elements(std::size_t deepest) {
    ++at_;
    if (take(']')) return true;
    do {
        if (!check_value(deepest)) return false;
    } while (take(','));
    return take(']');
}

inline bool cursor::check_string() {
    std::string_view content;
    bool escaped = false;
    return take_string(content, escaped) && (!escaped || detail::has_good_escapes(content));
}

// A number, as it must be.
inline bool cursor::check_scalar() {
    const char* const first = at_;
    skip_scalar();
    return detail::is_number({first, static_cast<std::size_t>(at_ - first)});
}

}  // namespace kcontrol::json
