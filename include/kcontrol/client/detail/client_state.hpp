// What the copies of a client share, and the requests made with it: credentials, retries, deadlines.
#pragma once

#include <kcontrol/auth/credential_source.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client_load.hpp>
#include <kcontrol/client/detail/manners.hpp>
#include <kcontrol/client/detail/negotiation.hpp>
#include <kcontrol/client/detail/renewed_transport.hpp>
#include <kcontrol/client/request_counts.hpp>
#include <kcontrol/client/server_identity.hpp>
#include <kcontrol/client/write_guard.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/trace.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// The question which server answers, for all who ask it at the same time.
struct identity_question {
    time_point asked;
    std::optional<result<server_identity>> answer;
    async_event answered;
};

/// Shared by the copies of a client; touched on its executor only.
class client_state {
public:
    client_state(environment& e, executor x, const auth::cluster_config& config,
                 std::shared_ptr<auth::credential_source> who, std::shared_ptr<http::transport> t, logger l)
        : env(&e),
          ex(std::move(x)),
          login(std::move(who)),
          transport(std::move(t)),
          base_path(config.base_path()),
          default_namespace(config.default_namespace()),
          log(std::move(l)),
          takes_gzip(!config.disable_compression()),
          manners(std::make_shared<client_manners>(e, log, client_options())),
          agreed(std::make_shared<negotiation>(nullptr, log)) {
        requests->host = config.server().host + ":" + std::to_string(config.server().port);
    }

    environment* env;
    executor ex;
    std::shared_ptr<auth::credential_source> login;
    std::shared_ptr<renewed_transport> renewed;  // what `transport` ends in, where certificates may change
    std::shared_ptr<http::transport> transport;
    std::vector<write_guard> guards;  // of a guarded copy; that of the last guarded() is asked first
    std::string base_path;
    std::string default_namespace;
    logger log;
    bool takes_gzip;
    std::shared_ptr<client_manners> manners;
    std::shared_ptr<negotiation> agreed;
    std::shared_ptr<identity_question> identity;  // asked last
    bool told_identity_unknown = false;
    std::shared_ptr<client_load> load = std::make_shared<client_load>();
    trace_parent trace;
    std::shared_ptr<request_counts> requests = std::make_shared<request_counts>();  // of guarded copies, too
};

using shared_client_state = std::shared_ptr<client_state>;

/// Who waits after an answer 429 or 5xx with Retry-After.
enum class refusals {
    repeated,   ///< the call: it sends the request again
    handed_on,  ///< the caller, who has a backoff of its own that grows; the error has the time
};

/// What one call may still spend: time and tries. Decides what follows on an answer.
class call_budget {
public:
    call_budget(time_point d, std::stop_token s, refusals how = refusals::repeated)
        : deadline_(d), stop_(std::move(s)), retries_left_(how == refusals::repeated ? most_retries : 0) {}

    time_point deadline() const noexcept { return deadline_; }
    const std::stop_token& stop() const noexcept { return stop_; }

    /// How long to wait before the request is sent again, or nothing if the answer stands. It was sent with the
    /// credentials of that serial. `unit` is a random number in [0, 1): those whom a server sends away at the same time
    /// shall not come back at the same time.
    KCONTROL_DECL std::optional<duration> retry_delay(const http::response_head& answer, auth::credential_source& login,
                                                      std::uint64_t serial, time_point now, double unit);

private:
    time_point deadline_;
    std::stop_token stop_;
    static constexpr int most_retries = 10;
    int retries_left_;
    bool refreshed_ = false;
};

/// The budget of a body is the client's own, so the message says how to stay within it.
KCONTROL_DECL error explain_budget(const error& why);
KCONTROL_DECL error body_too_large(std::size_t budget);

/// Follows certificate files that have changed, between requests.
KCONTROL_DECL void check_certificates(client_state& state);

/// Opens an exchange with the cluster's credentials, and again until an answer stands. One beyond 2xx comes as error,
/// of a WebSocket one other than 101.
KCONTROL_DECL awaitable<result<http::opened_exchange>> exchange(shared_client_state state, http::request req,
                                                                http::exchange_options options,
                                                                refusals how = refusals::repeated);

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/client_state.ipp>
#endif
