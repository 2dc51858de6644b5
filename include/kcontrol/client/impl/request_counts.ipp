#pragma once

#include <kcontrol/client/request_counts.hpp>

#include <array>

namespace kcontrol::inline v0_1 {
namespace detail {

// k8s.io/component-base, metrics/prometheus/restclient.
inline constexpr std::array request_time_bounds{0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0};
// 64 bytes to 16 MiB.
inline constexpr std::array size_bounds{64.0,    256.0,    512.0,     1024.0,    4096.0,    16384.0,
                                        65536.0, 262144.0, 1048576.0, 4194304.0, 16777216.0};

inline std::string code_label(int code) { return code == 0 ? request_counts::no_response : std::to_string(code); }

}  // namespace detail

KCONTROL_DECL void request_counts::count(const std::string& method, int code, duration took) {
    ++requests[{method, detail::code_label(code)}];
    durations.try_emplace(method, detail::request_time_bounds).first->second.observe(took);
}

KCONTROL_DECL void request_counts::count_retry(const std::string& method, int code) {
    ++retries[{method, detail::code_label(code)}];
}

KCONTROL_DECL void request_counts::count_request_size(const std::string& method, std::uint64_t bytes) {
    request_sizes.try_emplace(method, detail::size_bounds).first->second.observe(static_cast<double>(bytes));
}

KCONTROL_DECL void request_counts::count_response_size(const std::string& method, std::uint64_t bytes) {
    response_sizes.try_emplace(method, detail::size_bounds).first->second.observe(static_cast<double>(bytes));
}

KCONTROL_DECL void request_counts::count_lookup(duration took) {
    if (!lookups) lookups.emplace(detail::request_time_bounds);
    lookups->observe(took);
}

KCONTROL_DECL void request_counts::count_turn(const std::string& method, duration waited) {
    turns.try_emplace(method, detail::request_time_bounds).first->second.observe(waited);
}

KCONTROL_DECL void request_counts::count_hot_object(const std::string& kind) {
    constexpr std::size_t most_kinds = 200;
    const bool fits = hot_objects.size() < most_kinds || hot_objects.contains(kind);
    ++hot_objects[fits ? kind : "other"];
}

KCONTROL_DECL void write_request_metrics(metrics_writer& out, const request_counts& of, const metric_labels& more) {
    const auto with = [&](metric_labels labels) {
        labels.insert(more.begin(), more.end());
        return labels;
    };
    for (const auto& [what, times] : of.requests) {
        out.counter(
            "rest_client_requests_total", "Number of HTTP requests, partitioned by status code, method, and host.",
            with({{"method", what.first}, {"code", what.second}, {"host", of.host}}), static_cast<double>(times));
    }
    for (const auto& [what, times] : of.retries) {
        out.counter("rest_client_request_retries_total",
                    "Number of request retries, partitioned by status code, verb, and host.",
                    with({{"verb", what.first}, {"code", what.second}, {"host", of.host}}), static_cast<double>(times));
    }
    for (const auto& [method, times] : of.durations) {
        out.histogram("rest_client_request_duration_seconds",
                      "Request latency in seconds. Broken down by verb, and host.",
                      with({{"verb", method}, {"host", of.host}}), times.bounds(), times.counts(), times.sum());
    }
    for (const auto& [method, sizes] : of.request_sizes) {
        out.histogram("rest_client_request_size_bytes", "Request size in bytes. Broken down by verb and host.",
                      with({{"verb", method}, {"host", of.host}}), sizes.bounds(), sizes.counts(), sizes.sum());
    }
    for (const auto& [method, sizes] : of.response_sizes) {
        out.histogram("rest_client_response_size_bytes", "Response size in bytes. Broken down by verb and host.",
                      with({{"verb", method}, {"host", of.host}}), sizes.bounds(), sizes.counts(), sizes.sum());
    }
    for (const auto& [method, times] : of.turns) {
        out.histogram("rest_client_rate_limiter_duration_seconds",
                      "Client side rate limiter latency in seconds. Broken down by verb, and host.",
                      with({{"verb", method}, {"host", of.host}}), times.bounds(), times.counts(), times.sum());
    }
    for (const auto& [kind, times] : of.hot_objects) {
        out.counter("kcontrol_client_hot_objects_total",
                    "Objects that were written more often than the client's limit for hot loops, by kind.",
                    with({{"kind", kind}, {"host", of.host}}), static_cast<double>(times));
    }
    if (of.lookups) {
        out.histogram("rest_client_dns_resolution_duration_seconds",
                      "DNS resolver latency in seconds. Broken down by host.", with({{"host", of.host}}),
                      of.lookups->bounds(), of.lookups->counts(), of.lookups->sum());
    }
}

}  // namespace kcontrol
