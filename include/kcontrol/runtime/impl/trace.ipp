#pragma once

#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/trace.hpp>

#include <memory>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL trace_sink guarded_sink(environment& env, logger log, trace_sink sink) {
    if (!sink) return nullptr;
    const auto calls = std::make_shared<guarded_calls>(env, std::move(log));
    return [calls, sink = std::move(sink)](const trace_span& span) {
        calls->call(
            "the sink of spans", [&] { sink(span); }, [&] { return std::string(span.name); });
    };
}

}  // namespace kcontrol
