// A frame is what is around the objects of a list or of a watch event. It is read at a cursor, with its members in any
// order and white space wherever JSON allows it.
#pragma once

#include <kcontrol/json/cursor_strings.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

/// Takes a string, without its escapes.
inline bool take_text(json::cursor& in, std::string& to) {
    std::string_view content;
    bool escaped = false;
    if (!in.take_string(content, escaped)) return false;
    if (escaped) return json::cursor::unescape(content, to);
    to = content;
    return true;
}

/// Passes over a value, whose text this is; empty if it has no end.
inline std::string_view take_value(json::cursor& in) noexcept {
    const char* const first = in.at();
    if (!in.skip_value(json::any_depth)) return {};
    return {first, static_cast<std::size_t>(in.at() - first)};
}

/// Takes a value, of which only a string counts.
inline bool take_text_or_other(json::cursor& in, std::string& to) {
    return in.front() == '"' ? take_text(in, to) : !take_value(in).empty();
}

/// Reads an object. `read` is called with each name, at the value, which it takes; it returns false to give up.
template <class Read>
bool read_members(json::cursor& in, Read read) {
    if (!in.take('{')) return false;
    in.skip_space();
    if (in.take('}')) return true;
    std::string name;
    do {
        in.skip_space();
        if (!take_text(in, name)) return false;
        in.skip_space();
        if (!in.take(':')) return false;
        in.skip_space();
        if (!read(std::string_view(name))) return false;
        in.skip_space();
    } while (in.take(','));
    return in.take('}');
}

/// Reads a list. `read` is called at each element, which it takes; it returns false to give up.
template <class Read>
bool read_elements(json::cursor& in, Read read) {
    if (!in.take('[')) return false;
    in.skip_space();
    if (in.take(']')) return true;
    do {
        in.skip_space();
        if (!read()) return false;
        in.skip_space();
    } while (in.take(','));
    return in.take(']');
}

/// Whether there is nothing but white space up to the end.
inline bool is_at_end(json::cursor& in) noexcept {
    in.skip_space();
    return in.left() == 0;
}

}  // namespace kcontrol::detail
