// What a program is told of where its time goes: a span for each request's wait in the queue, each reconcile, and each
// request to a server. For a tracing system of the program's choice; the library knows none.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/runtime/trace_context.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Something that took time and is over. What it was is in the fields, as in a record of the log; never a secret.
class trace_span {
public:
    /// Its name, which is not copied, when it began, and how long it took.
    trace_span(std::string_view n, wall_time b, duration t) : name(n), begun(b), took(t) {}

    std::string_view name;          ///< "queue", "reconcile" or "request"
    std::string id;                 ///< of a reconcile its reconcileID; empty of those that nothing is under
    std::string parent;             ///< the id of the span that it is under, which ends after it; empty: none
    trace_context context;          ///< its own place
    trace_context under;            ///< that of the span that it is under, here or in another program; not valid: none
    wall_time begun;                ///< in civil time: when it ended, less `took`
    duration took;                  ///< in monotonic time
    std::vector<log_field> fields;  ///< of a request its method, path, host and code
    std::string error;              ///< what it failed with; empty if it did not
};

/// Takes spans as they end, on the executor of what they are about. What it throws is told and ends nothing.
using trace_sink = std::function<void(const trace_span&)>;

/// Whether a reconcile and what is under it is recorded: asked at its begin, with its own place and that of what it is
/// under, which is not valid if it is under nothing.
using trace_sampler = std::function<bool(const trace_context& of, const trace_context& under)>;

/// Where the spans of something go, and under which they are. Without a sink nothing is traced.
class trace_parent {
public:
    trace_parent() = default;
    /// The sink, and the id of the span that those are under; empty: they are under none.
    explicit trace_parent(trace_sink s, std::string i = {}) : sink(std::move(s)), id(std::move(i)) {}

    /// The same, for a client whose requests tell the server of it: the header "traceparent".
    trace_parent propagated() const {
        trace_parent out = *this;
        out.propagates = true;
        return out;
    }

    trace_sink sink;          ///< null: nothing is traced
    std::string id;           ///< of the span that they are under, for trace_span::parent; empty: none
    trace_context context;    ///< the place of that span; not valid: each begins a trace of its own
    bool propagates = false;  ///< whether requests tell the server of it, see propagated()
};

/// The same sink; what it throws is told once a minute and counted nowhere. Null for null. The environment outlives it.
KCONTROL_DECL trace_sink guarded_sink(environment& env, logger log, trace_sink sink);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/trace.ipp>
#endif
