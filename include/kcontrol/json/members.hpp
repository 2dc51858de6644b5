// Members of a JSON object: objects, lists, and what is null where there is nothing to say.
#pragma once

#include <kcontrol/json/writer.hpp>

#include <optional>
#include <string_view>

namespace kcontrol::inline v0_1::json {

/// `name` with an object, whose members and end_object() come next.
inline void begin_object(writer& out, std::string_view name) {
    out.key(name);
    out.begin_object();
}

/// `name` with a list, whose values and end_array() come next.
inline void begin_array(writer& out, std::string_view name) {
    out.key(name);
    out.begin_array();
}

/// `name` with a list of values.
template <class Range>
void write_values(writer& out, std::string_view name, const Range& values) {
    begin_array(out, name);
    for (const auto& one : values) out.value(one);
    out.end_array();
}

/// `name` with the value, or with null where there is none.
template <class T>
void write_or_null(writer& out, std::string_view name, const std::optional<T>& shown) {
    out.key(name);
    if (shown) {
        out.value(*shown);
    } else {
        out.null();
    }
}

/// `name` with the text, or with null for an empty one.
inline void write_text_or_null(writer& out, std::string_view name, std::string_view text) {
    write_or_null(out, name, text.empty() ? std::nullopt : std::optional(text));
}

}  // namespace kcontrol::json
