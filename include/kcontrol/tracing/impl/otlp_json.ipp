#pragma once

#include <kcontrol/json/members.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/tracing/otlp_json.hpp>
#include <kcontrol/version.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace kcontrol::inline v0_1 {
namespace detail {

// https://opentelemetry.io/docs/specs/semconv/http/http-spans/
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 4> otlp_names{
    {{"method", "http.request.method"},
     {"path", "url.path"},
     {"host", "server.address"},
     {"code", "http.response.status_code"}}};

inline std::string_view otlp_name(std::string_view field) {
    const auto found =
        std::find_if(otlp_names.begin(), otlp_names.end(), [&](const auto& one) { return one.first == field; });
    return found == otlp_names.end() ? field : found->second;
}

inline void write_otlp_attribute(json::writer& out, std::string_view name, std::string_view value, bool is_number) {
    out.begin_object();
    out.member("key", name);
    begin_object(out, "value");
    out.member(is_number ? "intValue" : "stringValue", value);  // a 64-bit number is a string here
    out.end_object();
    out.end_object();
}

inline std::string otlp_time(wall_time at) {
    return std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count());
}

inline void write_otlp_span(json::writer& out, const trace_span& span) {
    constexpr int internal = 1, client = 3, failed = 2;
    const bool request = span.name == "request";
    out.begin_object();
    out.member("traceId", span.context.trace_id_text());
    out.member("spanId", span.context.span_id_text());
    if (span.under.is_valid()) out.member("parentSpanId", span.under.span_id_text());
    out.member("flags", span.context.sampled ? 1 : 0);
    out.member("name", span.name);
    out.member("kind", request ? client : internal);
    out.member("startTimeUnixNano", otlp_time(span.begun));
    out.member("endTimeUnixNano", otlp_time(span.begun + span.took));
    begin_array(out, "attributes");
    for (const log_field& field : span.fields) {
        const std::string_view name = request ? otlp_name(field.name) : std::string_view(field.name);
        write_otlp_attribute(out, name, field.value, request && std::string_view(field.name) == "code");
    }
    out.end_array();
    if (!span.error.empty()) {
        begin_object(out, "status");
        out.member("code", failed);
        out.member("message", span.error);
        out.end_object();
    }
    out.end_object();
}

}  // namespace detail

KCONTROL_DECL std::string otlp_span(const trace_span& span) {
    json::writer out;
    detail::write_otlp_span(out, span);
    return out.take();
}

KCONTROL_DECL std::string otlp_request(std::span<const std::pair<std::string, std::string>> resource,
                                       std::span<const std::string> spans) {
    json::writer out;
    out.begin_object();
    begin_array(out, "resourceSpans");
    out.begin_object();
    begin_object(out, "resource");
    begin_array(out, "attributes");
    for (const auto& [name, value] : resource) detail::write_otlp_attribute(out, name, value, false);
    out.end_array();
    out.end_object();
    begin_array(out, "scopeSpans");
    out.begin_object();
    begin_object(out, "scope");
    out.member("name", "kcontrol");
    out.member("version", std::string_view(library_version));
    out.end_object();
    begin_array(out, "spans");
    for (const std::string& span : spans) out.raw(span);
    out.end_array();
    out.end_object();
    out.end_array();
    out.end_object();
    out.end_array();
    out.end_object();
    return out.take();
}

KCONTROL_DECL otlp_partial_success read_otlp_answer(std::string_view body) {
    otlp_partial_success out;
    json::document document;
    const auto root = document.parse(body);
    if (!root || !root->is_object()) return out;
    const json::node partial = (*root)["partialSuccess"];
    if (!partial.is_object()) return out;
    const json::node rejected = partial["rejectedSpans"];  // of a careless one: a number
    std::int64_t number = 0;
    if (rejected.is_string()) {
        const std::string_view text = rejected.as_string();
        std::from_chars(text.data(), text.data() + text.size(), number);
    } else {
        static_cast<void>(rejected.get_int64(number));
    }
    out.rejected = number > 0 ? static_cast<std::uint64_t>(number) : 0;
    if (partial["errorMessage"].is_string()) out.message = partial["errorMessage"].as_string();
    return out;
}

}  // namespace kcontrol
