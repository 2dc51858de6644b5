// What the requests of a client were and what became of them, for metrics.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/metrics/histogram.hpp>
#include <kcontrol/metrics/metrics_writer.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Counted since the client was made, over all of its copies, guarded ones included: each request as it was sent, one
/// that was sent again as often as it was. What was refused before it was sent is none.
class request_counts {
public:
    /// The code of requests without a response.
    static constexpr const char* no_response = "<error>";

    std::string host;  ///< "10.0.0.1:6443"
    /// By the method and the code of the answer.
    std::map<std::pair<std::string, std::string>, std::uint64_t> requests;
    /// Of those, how many were sent again because of such an answer.
    std::map<std::pair<std::string, std::string>, std::uint64_t> retries;
    /// From the sending to the answer, by method; of a watch, and of what is read piece by piece, to the answer's head.
    std::map<std::string, duration_histogram> durations;
    /// Bytes of the bodies that were sent, by method; a request without a body counts as 0.
    std::map<std::string, value_histogram> request_sizes;
    /// Bytes of the bodies that came whole, decompressed, by method; a watch has none.
    std::map<std::string, value_histogram> response_sizes;
    /// How long requests waited for the look-up of the host's name; of a host that is an address there are none.
    std::optional<duration_histogram> lookups;
    /// How long requests waited for their turn, by method, where the client has a limit of its own.
    std::map<std::string, duration_histogram> turns;
    /// How many objects were written too often (client_options::hot_loop_limit), by kind; each once for each time that
    /// it became so.
    std::map<std::string, std::uint64_t> hot_objects;

    /// A request was sent; `code` is 0 where no answer came.
    KCONTROL_DECL void count(const std::string& method, int code, duration took);
    /// A request is sent again because of an answer with that code.
    KCONTROL_DECL void count_retry(const std::string& method, int code);
    /// A request was sent with so many bytes of body; 0 counts, too.
    KCONTROL_DECL void count_request_size(const std::string& method, std::uint64_t bytes);
    /// An answer came whole, with so many bytes of body after decompression.
    KCONTROL_DECL void count_response_size(const std::string& method, std::uint64_t bytes);
    /// The look-up of the host's name took so long.
    KCONTROL_DECL void count_lookup(duration took);
    /// A request has to wait so long for the client's own limit; 0 counts, too.
    KCONTROL_DECL void count_turn(const std::string& method, duration waited);
    /// An object of that kind is written too often. Kinds beyond the first two hundred count as "other".
    KCONTROL_DECL void count_hot_object(const std::string& kind);
};

/// rest_client_requests_total{code,method,host}, rest_client_request_retries_total{code,verb,host},
/// rest_client_request_duration_seconds, rest_client_request_size_bytes, rest_client_response_size_bytes and
/// rest_client_rate_limiter_duration_seconds{verb,host}, and rest_client_dns_resolution_duration_seconds{host}, as
/// client-go names them, and kcontrol_client_hot_objects_total{kind,host}, with `more` labels on each.
KCONTROL_DECL void write_request_metrics(metrics_writer& out, const request_counts& of, const metric_labels& more = {});

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/request_counts.ipp>
#endif
