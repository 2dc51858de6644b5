// Spans as OTLP's JSON, and what a collector answers. No I/O.
#pragma once

#include <kcontrol/runtime/trace.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1 {

/// One span: names in lower camel case, ids as hexadecimal digits, 64-bit numbers as strings, enums as numbers. It is
/// CLIENT if it is a request to a server, and else INTERNAL; its fields are its attributes, those of requests by
/// OpenTelemetry's names for HTTP clients.
/// Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
KCONTROL_DECL std::string otlp_span(const trace_span& span);

/// An ExportTraceServiceRequest with such spans, all of them of one resource.
KCONTROL_DECL std::string otlp_request(std::span<const std::pair<std::string, std::string>> resource,
                                       std::span<const std::string> spans);

/// What a collector that answered 200 did not take after all, and why.
class otlp_partial_success {
public:
    std::uint64_t rejected = 0;  ///< how many spans; 0: it took all
    std::string message;         ///< the collector's words; they may warn though it took all
};

/// Reads an ExportTraceServiceResponse. What can't be read says nothing: the collector has taken all.
KCONTROL_DECL otlp_partial_success read_otlp_answer(std::string_view body);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/tracing/impl/otlp_json.ipp>
#endif
