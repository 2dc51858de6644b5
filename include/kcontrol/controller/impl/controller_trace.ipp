// What a controller tells of where its time goes.
#pragma once

#include <kcontrol/controller/impl/controller_impl.hpp>
#include <kcontrol/controller/impl/reconcile_end.hpp>

#include <utility>

namespace kcontrol {

// What the log says of the request, whatever type that has.
inline std::vector<log_field> any_controller::impl::span_fields(const detail::work_item& item) {
    std::vector<log_field> out;
    const logger asked([&out](const log_record& record) { out = record.fields; });
    calls.call("add_log_fields()", [&] { item.name_in(asked.with("controller", name)).info("asked"); });
    return out;
}

inline void any_controller::impl::trace_wait(const detail::work_item& item, const std::string& id) {
    trace_span span("queue", env.wall_now() - item.waited(), item.waited());
    span.parent = id;
    span.fields = span_fields(item);
    span.fields.push_back({"priority", std::to_string(item.priority())});
    trace(span);
}

inline void any_controller::impl::trace_reconcile(const detail::work_item& item, const std::string& id,
                                                  const detail::reconcile_end& end, duration took) {
    trace_span span("reconcile", env.wall_now() - took, took);
    span.id = id;
    span.fields = span_fields(item);
    span.fields.push_back({"retries", std::to_string(item.retries())});
    if (!item.causes().empty()) span.fields.push_back({"cause", to_string(item.causes())});
    if (!end.outcome) span.error = end.outcome.error().what();
    trace(span);
}

}  // namespace kcontrol
