// The answer to a get or a write: an object.
#pragma once

#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/frame.hpp>
#include <kcontrol/codec/guarded_decode.hpp>
#include <kcontrol/model/resource.hpp>

#include <string_view>

namespace kcontrol::inline v0_1::detail {

/// Whether the text begins as servers begin an object of the kind, and not a Status.
inline bool begins_with_kind(json::cursor text, std::string_view kind) noexcept {
    std::string_view content;
    bool escaped = false;
    if (!text.take('{')) return false;
    if (text.take("\"apiVersion\":") && !(text.take_string(content, escaped) && text.take(','))) return false;
    return text.take("\"kind\":") && text.take_string(content, escaped) && content == kind;
}

/// The object, if its kind comes first and it is written as servers write; else nothing.
inline any_object read_object_at(json::cursor text, const resource_info& info) {
    if (info.gvk.kind == "Status" || !begins_with_kind(text, info.gvk.kind)) return {};
    any_object object = decode_guarded(info, text, nullptr);
    return object && is_at_end(text) ? std::move(object) : any_object();
}

/// The object in the body of an answer of 2xx. Errors: those of refuse_body(), decode_failed.
inline result<any_object> read_object(const http::response& answer, const resource_info& info) {
    if (auto refused = refuse_answer(answer)) return std::move(*refused);
    if (any_object object = read_object_at(json::cursor(answer.body), info)) return object;
    if (auto refused = refuse_body(answer)) return std::move(*refused);
    auto object = decode_guarded(info, answer.body, nullptr);
    if (!object) return object.error().with_context("the server's answer");
    return object;
}

}  // namespace kcontrol::detail
