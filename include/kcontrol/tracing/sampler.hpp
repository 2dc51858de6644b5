// Which traces are recorded: OpenTelemetry's samplers by their names.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/trace.hpp>

#include <string_view>

namespace kcontrol::inline v0_1 {

/// A sampler of OTEL_TRACES_SAMPLER: always_on, always_off, traceidratio, and each of them with "parentbased_" before
/// its name: then what is under a span is recorded if that is. `ratio`, from 0 to 1, is the share of traces for the two
/// of traceidratio; which those are follows from the trace's id alone, so that all programs choose the same ones.
/// Source: https://opentelemetry.io/docs/specs/otel/trace/sdk/#sampling
/// Errors: invalid_argument.
KCONTROL_DECL result<trace_sampler> sampler_of(std::string_view name, double ratio = 1.0);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/tracing/impl/sampler.ipp>
#endif
