// The usual answer to a get or a write: the object, as API servers write it.
#pragma once

#include <kcontrol/json/cursor_strings.hpp>
#include <kcontrol/model/resource.hpp>

#include <string_view>
#include <utility>

namespace kcontrol::detail {

/// The JSON of an answer's body, which Go ends with a line break.
inline json::cursor plain_body(std::string_view body) noexcept {
    if (!body.empty() && body.back() == '\n') body.remove_suffix(1);
    return json::cursor(body);
}

/// Whether the text begins as an object of the kind does, and not as a Status.
inline bool begins_with_kind(json::cursor text, std::string_view kind) noexcept {
    std::string_view content;
    bool escaped = false;
    if (!text.take('{')) return false;
    if (text.take("\"apiVersion\":") && !(text.take_string(content, escaped) && text.take(','))) return false;
    return text.take("\"kind\":") && text.take_string(content, escaped) && content == kind;
}

/// The object, or nothing: then the body is to be read in the general way, which says what is wrong with it.
inline any_object read_plain_object(std::string_view body, const resource_info& info) {
    json::cursor text = plain_body(body);
    if (info.gvk.kind == "Status" || !begins_with_kind(text, info.gvk.kind)) return {};
    any_object object = info.decode(text, nullptr);
    return text.left() == 0 ? std::move(object) : any_object();
}

}  // namespace kcontrol::detail
