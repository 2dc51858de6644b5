// Transports to a cluster with a budget: so many requests at a time, and none to a server that does not answer.
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

/// What the exchanges over one transport share.
///
/// Thread-safety: shared objects unsafe. Object lifetime: shared by the exchanges that are under way.
class request_budget {
public:
    KCONTROL_DECL request_budget(environment& env, const cluster_budget& budget, std::shared_ptr<budget_counts> counts,
                                 logger log);

    /// Asks the breaker. Errors: unavailable.
    KCONTROL_DECL result<circuit_breaker::verdict> ask();
    /// A request that was let through has ended; `failure` is null where an answer came.
    KCONTROL_DECL void note(const error* failure, bool probe);

    environment& env;
    circuit_breaker breaker;
    const std::shared_ptr<request_turns> turns;  // null: no limit

private:
    std::shared_ptr<budget_counts> counts_;
    duration longest_pause_;
    logger log_;
    failure_log<error_code> journal_;
};

/// Below the client's retries, so that each try is asked about. Every exchange takes a turn until it is opened, and
/// asks the breaker: a watch and a WebSocket, too. What goes on after that is in nobody's way.
KCONTROL_DECL awaitable<result<http::opened_exchange>> open_budgeted(std::shared_ptr<request_budget> budget,
                                                                     std::shared_ptr<http::transport> below,
                                                                     http::request req, http::exchange_options options);

/// What makes transports with a budget of those that another factory makes; that factory itself where nothing is
/// bounded.
KCONTROL_DECL http::transport_factory budgeted_transports(environment& env, http::transport_factory below,
                                                          const cluster_budget& budget,
                                                          std::shared_ptr<budget_counts> counts, logger log);

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/budgeted_transport.ipp>
#endif
