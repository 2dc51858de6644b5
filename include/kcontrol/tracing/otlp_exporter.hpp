// Sends spans to a collector of OpenTelemetry's: OTLP over HTTP, as JSON.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/metrics/metrics_writer.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/trace.hpp>
#include <kcontrol/tracing/otlp_options.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>

namespace kcontrol::inline v0_1 {

/// What became of spans.
class otlp_stats {
public:
    std::uint64_t exported = 0;   ///< the collector took them
    std::uint64_t dropped = 0;    ///< there was no room in the queue, or no time left at the end
    std::uint64_t rejected = 0;   ///< the collector did not take them
    std::uint64_t failed = 0;     ///< nobody took them within the time for repetitions
    std::uint64_t unsampled = 0;  ///< of traces that are not recorded
    std::uint64_t retries = 0;    ///< requests that were sent again
    std::size_t queued = 0;       ///< that wait now
};

/// Takes spans at once, and sends them in batches: when one is full, or after the schedule delay. A batch that the
/// collector does not take now (429, 502, 503, 504, or no answer) is sent again with backoff, or when Retry-After says
/// so; any other refusal loses it. Meanwhile spans wait, and what the queue has no room for is dropped and counted. No
/// reconcile waits for any of that.
///
/// Thread-safety: what sink() returns may be called on any thread, and stats() too; the rest belongs to the executor, a
/// strand or a single-threaded context.
/// Cancellation: see stop(). Object lifetime: destruction ends it without a drain; a sink that outlives it takes
/// nothing. The environment outlives all of it.
class otlp_exporter {
public:
    /// Errors: invalid_config (unusable TLS material).
    static KCONTROL_DECL result<std::unique_ptr<otlp_exporter>> create(environment& env, executor ex,
                                                                       otlp_options options,
                                                                       const http::transport_factory& make_transport,
                                                                       logger log = {});
    KCONTROL_DECL ~otlp_exporter();
    otlp_exporter(const otlp_exporter&) = delete;
    otlp_exporter& operator=(const otlp_exporter&) = delete;

    /// For controller_options::trace() and trace_parent.
    KCONTROL_DECL trace_sink sink() const;
    /// For controller_options::sample_traces().
    KCONTROL_DECL const trace_sampler& sampler() const noexcept;

    /// Begins to send. Before that spans are kept. Idempotent; after a stop() it begins again.
    KCONTROL_DECL void start();
    /// Sends what waits, each batch with the tries that `drain` leaves time for, and returns. True if nothing was left
    /// over; what was is dropped. Spans that come afterwards wait for the next start(). Idempotent.
    KCONTROL_DECL awaitable<bool> stop(duration drain = std::chrono::seconds(5));

    KCONTROL_DECL otlp_stats stats() const;  ///< so far, and how many wait now

private:
    struct impl;
    explicit otlp_exporter(std::shared_ptr<impl> i);
    std::shared_ptr<impl> impl_;
};

/// kcontrol_trace_spans_total{outcome}, kcontrol_trace_spans_queued and kcontrol_trace_export_retries_total.
KCONTROL_DECL void write_trace_metrics(metrics_writer& out, const otlp_stats& of);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/tracing/impl/otlp_exporter.ipp>
#endif
