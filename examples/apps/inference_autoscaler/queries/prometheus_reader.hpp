// Asks Prometheus servers, each equal query once.
#pragma once

#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "queries/query.hpp"

#include <memory>
#include <stop_token>
#include <string>

namespace inference_autoscaler {

/// A server, and how it is asked.
class metric_server {
public:
    metric_server() = default;
    explicit metric_server(std::string address) : url(std::move(address)) {}

    std::string url;                   ///< "https://host[:port][/prefix]"
    kcontrol::secret_string token;     ///< sent as a bearer token; empty: none
    std::string ca_pem;                ///< the only authorities that are trusted; empty: the system's
    std::chrono::seconds max_age{60};  ///< of samples
};

/// Equal queries to one server, with the same login, share a request: those that come while it runs, or within 1 s of
/// its beginning, get the same reading. At most 8 requests to a server run at a time; one has 5 s, with the wait for
/// its turn, and 1 MiB at most. Redirects are not followed.
///
/// A query that gives nothing is looked into once a minute: if the server has none of that name, nor had one before,
/// the reason is never_seen, with near names.
///
/// Thread-safety: shared objects unsafe; use it on the executor given.
/// Object lifetime: the environment outlives the executor's work. Its destruction stops what runs.
class prometheus_reader {
public:
    prometheus_reader(kcontrol::environment& env, kcontrol::executor ex, kcontrol::http::transport_factory connect);
    ~prometheus_reader();
    prometheus_reader(const prometheus_reader&) = delete;
    prometheus_reader& operator=(const prometheus_reader&) = delete;

    /// The value of `query`, whose words are filled in. It has an outcome for every failure, also for `stop`
    /// (no_answer); the request itself goes on then, for those that share it.
    kcontrol::awaitable<reading> ask(metric_server where, std::string query, std::stop_token stop);

private:
    struct shared;
    std::shared_ptr<shared> shared_;
};

}  // namespace inference_autoscaler
