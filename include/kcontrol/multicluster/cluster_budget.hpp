// What one cluster may cost the program: requests at a time, requests that nobody answers, objects.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/cluster/informer_report.hpp>
#include <kcontrol/runtime/backoff.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Bounds of one cluster, each cluster's own; see multicluster_options::budget(). Zero, the default of each, is no
/// bound. A limit of requests a second is one of client_options.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class cluster_budget {
public:
    /// Concurrent requests; over HTTP/1.1 that many connections, and one for each stream. Further ones wait their turn,
    /// in order, within their own deadline: `timeout` if it passes. A list, a watch, another stream and a WebSocket
    /// count until they are opened, that is until the head of the response has arrived.
    cluster_budget& max_concurrent_requests(std::size_t n) { return requests_ = n, *this; }

    /// A breaker: after so many requests in a row that no whole answer came to (condition::unreachable), further ones
    /// are refused at once, with `unavailable`, so that no reconcile waits for a cluster that is away. After the
    /// pause of breaker_pause() one of them is sent; an answer, whatever it says, lets all of them through again.
    /// Watches, other streams and WebSockets are requests like others until they are opened; caches that were refused
    /// try again with their own backoff.
    cluster_budget& max_consecutive_failures(std::uint32_t n) { return unanswered_ = n, *this; }
    /// Default: 1 s, doubled up to 30 s, with jitter.
    cluster_budget& breaker_pause(backoff_policy p) { return pause_ = p, *this; }

    /// Objects in the caches of the cluster, of all kinds.
    cluster_budget& objects(std::uint64_t n) { return objects_ = n, *this; }
    /// Bytes that the server sent in the last list of each kind, as they were decoded; caches take about as much.
    cluster_budget& list_bytes(std::uint64_t n) { return list_bytes_ = n, *this; }
    /// Objects that can't be decoded.
    cluster_budget& invalid_objects(std::uint64_t n) { return invalid_ = n, *this; }
    /// The backoff of a cluster that exceeded one of the three: its controllers and caches end, their memory is freed,
    /// and it has failed, with the reason. Then it is retried, and the next backoff is twice as long, up to an hour.
    /// Default 1 min.
    cluster_budget& retry_backoff(duration d) { return retry_backoff_ = d, *this; }

    std::size_t max_concurrent_requests() const noexcept { return requests_; }
    std::uint32_t max_consecutive_failures() const noexcept { return unanswered_; }
    const backoff_policy& breaker_pause() const noexcept { return pause_; }
    std::uint64_t objects() const noexcept { return objects_; }
    std::uint64_t list_bytes() const noexcept { return list_bytes_; }
    std::uint64_t invalid_objects() const noexcept { return invalid_; }
    duration retry_backoff() const noexcept { return retry_backoff_; }

    /// Whether anything is bounded that caches hold.
    bool bounds_caches() const noexcept { return objects_ != 0 || list_bytes_ != 0 || invalid_ != 0; }
    /// What is over its bound: limit_exceeded, naming the bound, the amount and the largest kind.
    KCONTROL_DECL std::optional<error> exceeded_by(const std::vector<informer_report>& caches) const;

private:
    std::size_t requests_ = 0;
    std::uint32_t unanswered_ = 0;
    backoff_policy pause_ = backoff_policy().initial(std::chrono::seconds(1)).jitter(0.2);
    std::uint64_t objects_ = 0, list_bytes_ = 0, invalid_ = 0;
    duration retry_backoff_ = std::chrono::minutes(1);
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/cluster_budget.ipp>
#endif
