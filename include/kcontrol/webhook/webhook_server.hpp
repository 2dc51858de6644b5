// The server that API servers ask: admission and conversion over TLS, ready when it can answer, and gone only when
// nobody asks any more.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/http/handler.hpp>
#include <kcontrol/metrics/metrics_writer.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/webhook/admission_handler.hpp>
#include <kcontrol/webhook/kind_conversion.hpp>
#include <kcontrol/webhook/webhook_configuration.hpp>
#include <kcontrol/webhook/webhook_server_options.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

/// A request to a path, for functions that answer with what they like.
class webhook_call {
public:
    http::server_request request;  ///< a POST of application/json, not larger than may be
    std::stop_token stop;          ///< triggered when nobody waits for the answer any more
    time_point deadline;           ///< when the API server gets 504 in place of an answer
};

/// Answers with a whole response. What it throws is 500.
using webhook_handler = std::function<awaitable<http::response>(webhook_call)>;

/// Serves webhooks. A request has to be a POST of application/json of at most 7 MiB; else it gets 405, 415 or 413. One
/// that is no review gets 400 with the path of the member that is wrong. Who does not get an answer in the time that
/// the API server gives gets 504, or 503 where it waited all that time for its turn (max_concurrent_requests()), and
/// the failure policy decides.
///
/// At a stop it is not ready at once, goes on serving for shutdown_delay() with the word to each client that its
/// connection is at its end, then listens no more and lets requests in flight end: an API server that follows endpoints
/// loses none.
///
/// Thread-safety: shared objects unsafe; everything belongs to the executor, a strand or a single-threaded context, and
/// functions run there. Object lifetime: the environment outlives it; what still runs keeps the shared part alive.
class webhook_server {
public:
    /// `ex`: where functions run. It listens in run() only.
    KCONTROL_DECL webhook_server(environment& env, executor ex, webhook_server_options options = {}, logger log = {});
    KCONTROL_DECL ~webhook_server();
    webhook_server(const webhook_server&) = delete;
    webhook_server& operator=(const webhook_server&) = delete;

    /// Serves a path; also while it runs. Errors: invalid_argument (it does not begin with "/", or is taken).
    KCONTROL_DECL result<void> add_admission(webhook_registration what, admission_handler handler);
    /// Serves a path by a function that answers what it likes; webhooks() does not tell of it. Errors: as
    /// add_admission().
    KCONTROL_DECL result<void> add(std::string path, webhook_handler handler);
    /// Converts the versions of a kind at "/convert". Errors: invalid_argument (the kind has a conversion already, or
    /// another webhook has that path).
    KCONTROL_DECL result<void> add_conversion(kind_conversion of);

    /// What an API server has to know of them, in the order of the paths: webhook_configurations() makes objects of it.
    /// Of conversions one a kind, named as its definition; without those of add(path, …), of which it knows nothing.
    KCONTROL_DECL std::vector<webhook_registration> webhooks() const;

    /// Answers requests without listening, for tests and for servers of one's own. Valid also when this has gone: 503.
    KCONTROL_DECL http::handler handler() const;

    /// Waits for a certificate, listens and serves until `stop` is triggered; returns when it has drained. It may be
    /// called again then. Errors: address_in_use and invalid_argument, of the address; unavailable (it runs already).
    KCONTROL_DECL awaitable<result<void>> run(std::stop_token stop);

    /// For /readyz: nothing, or what is in the way: it has not been started, has no certificate yet, waits for what
    /// ready_when() asks for, or is being stopped.
    KCONTROL_DECL result<void> ready() const;
    /// The port bound, or 0.
    KCONTROL_DECL std::uint16_t local_port() const noexcept;

    /// controller_runtime_webhook_requests_total, …_latency_seconds, …_requests_in_flight (by `webhook`, the path),
    /// controller_runtime_webhook_panics_total, controller_runtime_conversion_webhook_panics_total, and the server's.
    KCONTROL_DECL void write_metrics(metrics_writer& out) const;

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/webhook_server.ipp>
#endif
