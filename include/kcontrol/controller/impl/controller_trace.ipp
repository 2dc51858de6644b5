// What a controller tells of where its time goes.
#pragma once

#include <kcontrol/controller/impl/controller_impl.hpp>
#include <kcontrol/controller/impl/reconcile_end.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

// What the log says of the request, whatever type that has.
inline std::vector<log_field> any_controller::impl::span_fields(const detail::work_item& item) {
    std::vector<log_field> out;
    const logger asked([&out](const log_record& record) { out = record.fields; });
    calls.call("add_log_fields()", [&] { item.name_in(asked.with("controller", name)).info("asked"); });
    return out;
}

// What somebody else has put on the object.
inline trace_context any_controller::impl::span_above(const detail::work_item& item) {
    trace_context out;
    if (options.trace_annotation().empty()) return out;
    calls.call("the source of the primary objects", [&] {
        const any_object object = item.object();
        if (!object) return;
        const auto& annotations = object.meta().annotations;
        const auto found = annotations.find(options.trace_annotation());
        if (found == annotations.end()) return;
        out = parse_traceparent(found->second).value_or(trace_context());
    });
    return out;
}

inline trace_parent any_controller::impl::begin_trace(const std::string& id, const trace_context& under) {
    trace_parent out(trace, id);
    out.context = under.child(env);
    if (options.sample_traces()) {
        calls.call("sample_traces()", [&] { out.context.sampled = options.sample_traces()(out.context, under); });
    }
    return out;
}

inline void any_controller::impl::trace_wait(const detail::work_item& item, const trace_parent& of) {
    trace_span span("queue", env.wall_now() - item.waited(), item.waited());
    span.parent = of.id;
    span.under = of.context;
    span.context = of.context.child(env);
    span.fields = span_fields(item);
    span.fields.push_back({"priority", std::to_string(item.priority())});
    trace(span);
}

inline void any_controller::impl::trace_reconcile(const detail::work_item& item, const trace_parent& of,
                                                  const trace_context& under, const detail::reconcile_end& end,
                                                  duration took) {
    trace_span span("reconcile", env.wall_now() - took, took);
    span.id = of.id;
    span.context = of.context;
    span.under = under;
    span.fields = span_fields(item);
    span.fields.push_back({"retries", std::to_string(item.retries())});
    if (!item.causes().empty()) span.fields.push_back({"cause", to_string(item.causes())});
    if (!end.outcome) span.error = end.outcome.error().what();
    trace(span);
}

}  // namespace kcontrol
