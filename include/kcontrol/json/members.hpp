// Members of a JSON object that are null where there is nothing to say.
#pragma once

#include <kcontrol/json/writer.hpp>

#include <optional>
#include <string_view>

namespace kcontrol::inline v0_1::json {

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
