// What the requests of a client were and what became of them, for metrics.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/metrics/histogram.hpp>
#include <kcontrol/metrics/metrics_writer.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace kcontrol {

/// Counted since the client was made, over all of its copies, guarded ones included: each request as it was sent, one
/// that was sent again as often as it was. What was refused before it was sent is none.
class request_counts {
public:
    /// The code of requests without an answer.
    static constexpr const char* no_answer = "<error>";

    std::string host;  ///< "10.0.0.1:6443"
    /// By the method and the code of the answer.
    std::map<std::pair<std::string, std::string>, std::uint64_t> requests;
    /// Of those, how many were sent again because of such an answer.
    std::map<std::pair<std::string, std::string>, std::uint64_t> retries;
    /// From the sending to the answer, by method; of a watch, and of what is read piece by piece, to the answer's head.
    std::map<std::string, duration_histogram> durations;

    /// A request was sent; `code` is 0 where no answer came.
    KCONTROL_DECL void count(const std::string& method, int code, duration took);
    KCONTROL_DECL void count_retry(const std::string& method, int code);
};

/// rest_client_requests_total{code,method,host}, rest_client_request_retries_total{code,verb,host} and
/// rest_client_request_duration_seconds{verb,host}, as client-go names them, with `more` labels on each.
KCONTROL_DECL void write_request_metrics(metrics_writer& out, const request_counts& of, const metric_labels& more = {});

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/request_counts.ipp>
#endif
