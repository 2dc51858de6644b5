// Replicas that serve one queue, first come first served, each one request at a time; in simulated seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace inference_autoscaler {

/// What arrives: so many requests, evenly in that second, each served in so long.
struct load_row {
    std::int64_t second = 0;
    std::int64_t requests = 0;
    double service_ms = 0;
};

class fleet {
public:
    fleet(std::vector<load_row> load, double start_seconds);

    /// Serves until then. Replicas are as they are now.
    void advance(double until);
    /// Asks for so many: new ones are warm later; those that are not warm go first, then the idlest. One that goes
    /// finishes its request.
    void resize(std::int32_t replicas, double now);

    std::int32_t size() const { return static_cast<std::int32_t>(replicas_.size()); }
    std::int32_t warm(double now) const;
    std::int64_t waiting() const { return static_cast<std::int64_t>(queue_.size()); }
    bool is_busy(double now) const;
    bool is_done() const { return next_ == load_.size() && queue_.empty(); }
    /// The 95th percentile in seconds of what was answered in the last minute; 0 if nothing was.
    double p95(double now);
    /// In milliseconds, of all.
    const std::vector<double>& latencies() const { return latencies_; }

private:
    struct request {
        double arrival, service;
    };
    struct replica {
        double warm_at, free_at;
    };
    struct answer {
        double at, latency;
    };
    void arrive(double until);

    std::vector<load_row> load_;
    double start_seconds_;
    std::size_t next_ = 0;      // of load_
    std::int64_t arrived_ = 0;  // of that row
    std::deque<request> queue_;
    std::vector<replica> replicas_;
    std::vector<double> latencies_;
    std::deque<answer> answers_;  // of the last minute, and those to come
};

}  // namespace inference_autoscaler
