// Decoding the objects of a list or watch one by one, so that a bad one spoils no other.
#pragma once

#include <kcontrol/client/detail/object_head.hpp>
#include <kcontrol/codec/guarded_decode.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

/// The kind that the text of an object names, if it does where servers do: first, or behind apiVersion. The elements of
/// most lists name none.
inline std::string_view leading_kind(json::cursor text) noexcept {
    std::string_view content;
    bool escaped = false;
    if (!text.take('{')) return {};
    if (text.take("\"apiVersion\":") && !(text.take_string(content, escaped) && text.take(','))) return {};
    if (!text.take("\"kind\":") || !text.take_string(content, escaped) || escaped) return {};
    return content;
}

inline bool is_other_kind(std::string_view kind, const resource_info& info) noexcept {
    return !kind.empty() && kind != info.gvk.kind && !(info.metadata_only && kind == "PartialObjectMetadata");
}

inline error other_kind(std::string_view kind, const resource_info& info) {
    return error(errc::decode_failed, "kind: expected " + info.gvk.kind + ", got \"" + server_text(kind, 64) + "\"");
}

/// The object at the cursor, if it is written as servers write and is what it must be; the cursor is anywhere else.
inline any_object decode_usual(json::cursor& in, const resource_info& info, share_pool* pool) {
    if (is_other_kind(leading_kind(in), info)) return {};
    return decode_guarded(info, in, pool);
}

/// An object however it is written, or what is wrong with it.
inline result<any_object> decode_unusual(const resource_info& info, std::string_view text, const object_head& head,
                                         share_pool* pool) {
    if (!text.starts_with('{')) return error(errc::decode_failed, "it is not a JSON object");
    if (is_other_kind(head.kind, info)) return other_kind(head.kind, info);
    return decode_guarded(info, text, pool);
}

}  // namespace kcontrol::detail
