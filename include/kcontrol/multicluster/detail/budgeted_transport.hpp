// A transport to a cluster with a budget: so many requests at a time, and none to a server that does not answer.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/multicluster/cluster_budget.hpp>
#include <kcontrol/multicluster/detail/circuit_breaker.hpp>
#include <kcontrol/runtime/failure_log.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// Lets so many in at a time, the others in the order in which they came.
///
/// Thread-safety: shared objects unsafe.
class request_turns {
public:
    explicit request_turns(std::size_t most) : most_(most) {}

    /// Errors: timeout, stopped.
    KCONTROL_DECL static awaitable<result<void>> enter(std::shared_ptr<request_turns> self, environment& env,
                                                       std::stop_token stop, time_point deadline);
    /// After each enter() that succeeded.
    KCONTROL_DECL void leave();

    std::size_t waiting() const noexcept { return waiting_; }

private:
    std::size_t most_, inside_ = 0, waiting_ = 0;
    async_event left_;
};

/// What the transports to one cluster count, for its metrics. Of a rotation the new transport's breaker and turns are
/// looked at, and both count.
///
/// Thread-safety: shared objects unsafe.
class budget_counts {
public:
    std::uint64_t refused = 0;  ///< requests that the breaker refused
    std::uint64_t trips = 0;    ///< times it shut

    bool shut() const {
        const auto newest = breaker.lock();
        return newest && newest->shut();
    }
    std::size_t waiting() const {
        const auto newest = turns.lock();
        return newest ? newest->waiting() : 0;
    }

    std::weak_ptr<const circuit_breaker> breaker;
    std::weak_ptr<const request_turns> turns;
};

/// Below the client's retries, so that each try is asked about.
///
/// Thread-safety: as http::transport.
class budgeted_transport final : public http::transport {
public:
    KCONTROL_DECL budgeted_transport(environment& env, std::shared_ptr<http::transport> below,
                                     const cluster_budget& budget, std::shared_ptr<budget_counts> counts, logger log);

    KCONTROL_DECL awaitable<result<http::response>> round_trip(http::request req,
                                                               http::exchange_options options) override;
    KCONTROL_DECL awaitable<result<http::streamed_response>> open_stream(http::request req,
                                                                         http::exchange_options options) override;
    KCONTROL_DECL awaitable<result<http::opened_websocket>> open_websocket(http::request req,
                                                                           http::exchange_options options) override;
    void close() override { below_->close(); }

private:
    // What outlasts the transport, for requests that are under way.
    struct shared {
        shared(environment& e, const cluster_budget& b, std::shared_ptr<budget_counts> c, logger l)
            : env(e),
              breaker(b.max_consecutive_failures(), b.breaker_pause()),
              counts(std::move(c)),
              log(std::move(l)) {}
        KCONTROL_DECL void note(const error* failure, bool probe);

        environment& env;
        circuit_breaker breaker;
        std::shared_ptr<budget_counts> counts;
        logger log;
        failure_log<error_code> journal;
        std::shared_ptr<request_turns> turns;  // null: no limit
    };
    KCONTROL_DECL static awaitable<result<http::response>> send(std::shared_ptr<shared> state,
                                                                std::shared_ptr<http::transport> below,
                                                                http::request req, http::exchange_options options);
    KCONTROL_DECL static awaitable<result<http::response>> send_in_turn(std::shared_ptr<shared> state,
                                                                        std::shared_ptr<http::transport> below,
                                                                        http::request req,
                                                                        http::exchange_options options);
    KCONTROL_DECL static awaitable<result<http::streamed_response>> stream(std::shared_ptr<shared> state,
                                                                           std::shared_ptr<http::transport> below,
                                                                           http::request req,
                                                                           http::exchange_options options);

    std::shared_ptr<http::transport> below_;
    std::shared_ptr<shared> state_;
};

/// What makes such transports of those that another factory makes; that factory itself where nothing is bounded.
KCONTROL_DECL http::transport_factory budgeted_transports(environment& env, http::transport_factory below,
                                                          const cluster_budget& budget,
                                                          std::shared_ptr<budget_counts> counts, logger log);

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/budgeted_transport.ipp>
#endif
