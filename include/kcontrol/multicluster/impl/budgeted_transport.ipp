#pragma once

#include <kcontrol/client/wrap_transports.hpp>
#include <kcontrol/multicluster/detail/budgeted_transport.hpp>
#include <kcontrol/runtime/make_ready.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::detail {

// However the request ends, an exception of the transport below included.
class turn_held {
public:
    explicit turn_held(std::shared_ptr<request_turns> of) : of_(std::move(of)) {}
    turn_held(const turn_held&) = delete;
    turn_held& operator=(const turn_held&) = delete;
    ~turn_held() { of_->leave(); }

private:
    std::shared_ptr<request_turns> of_;
};

// Likewise: a probe that ends without a verdict leaves the question to the next request.
class probe_held {
public:
    probe_held(circuit_breaker& of, bool probe) : of_(of), open_(probe) {}
    probe_held(const probe_held&) = delete;
    probe_held& operator=(const probe_held&) = delete;
    ~probe_held() {
        if (open_) of_.given_up();
    }
    void decided() noexcept { open_ = false; }

private:
    circuit_breaker& of_;
    bool open_;
};

KCONTROL_DECL awaitable<result<void>> request_turns::enter(std::shared_ptr<request_turns> self, environment& env,
                                                           std::stop_token stop, time_point deadline) {
    if (self->inside_ < self->most_) {
        ++self->inside_;
        co_return result<void>();
    }
    ++self->waiting_;
    const wake why = co_await self->left_.wait(env, stop, deadline);
    --self->waiting_;
    if (why == wake::notified) co_return result<void>();
    if (why == wake::stopped) co_return error(errc::stopped, "stopped while waiting for the cluster's budget");
    error late(errc::timeout, "the deadline passed while " + std::to_string(self->most_) +
                                  " other requests to the cluster were under way, which its budget allows");
    co_return late;
}

// A turn goes from hand to hand, so that nobody who comes later overtakes.
KCONTROL_DECL void request_turns::leave() {
    if (left_.has_waiters()) return left_.notify_one();
    --inside_;
}

inline duration longest_delay(const backoff_policy& policy) {
    return policy.cap() + std::chrono::duration_cast<duration>(policy.cap() * policy.jitter());
}

KCONTROL_DECL request_budget::request_budget(environment& e, const cluster_budget& budget,
                                             std::shared_ptr<budget_counts> counts, logger log)
    : env(e),
      breaker(budget.max_consecutive_failures(), budget.breaker_pause()),
      turns(budget.max_concurrent_requests() == 0 ? nullptr
                                                  : std::make_shared<request_turns>(budget.max_concurrent_requests())),
      counts_(std::move(counts)),
      longest_pause_(longest_delay(budget.breaker_pause())),
      log_(std::move(log)) {}

// How long it is shut yet is not said: caches show the reason of each try in their cluster's status, which would change
// every time.
KCONTROL_DECL result<circuit_breaker::verdict> request_budget::ask() {
    const auto verdict = breaker.ask(env.now());
    if (verdict != circuit_breaker::verdict::refuse) return verdict;
    ++counts_->refused;
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(longest_pause_).count();
    return error(errc::unavailable,
                 "the cluster has not answered several requests in a row; it is asked again in at most " +
                     std::to_string(seconds) + " s");
}

// Who ends by its own stop says nothing of the server.
KCONTROL_DECL void request_budget::note(const error* failure, bool probe) {
    if (failure == nullptr) {
        if (!breaker.answered()) return;
        const auto entry = journal_.recovered(env.now());
        if (!entry) return;
        std::vector<log_field> fields;
        append_recovery_field(fields, *entry);
        log_.info("the cluster answers again: requests to it are sent", std::move(fields));
        return;
    }
    const bool silent = *failure == condition::unreachable || *failure == errc::unknown_outcome;
    if (!silent) {
        if (probe) breaker.given_up();
        return;
    }
    if (!breaker.unanswered(env.now(), random_unit(env), probe)) return;
    ++counts_->trips;
    const auto entry = journal_.failed(failure->code(), env.now());
    if (!entry) return;
    log_.warning("the cluster does not answer: requests to it are refused at once",
                 failure_fields("reason", failure->what(), *entry));
}

// Whoever waited long enough for the breaker to shut is refused before it is sent.
KCONTROL_DECL awaitable<result<http::opened_exchange>> open_budgeted(std::shared_ptr<request_budget> budget,
                                                                     std::shared_ptr<http::transport> below,
                                                                     http::request req,
                                                                     http::exchange_options options) {
    std::optional<turn_held> turn;
    if (budget->turns) {
        const time_point deadline = budget->env.now() + options.deadline();
        const auto entered = co_await request_turns::enter(budget->turns, budget->env, options.stop(), deadline);
        if (!entered) co_return entered.error();
        turn.emplace(budget->turns);
        options.deadline(std::max<duration>(deadline - budget->env.now(), duration::zero()));
    }
    const auto verdict = budget->ask();
    if (!verdict) co_return verdict.error();
    const bool probe = *verdict == circuit_breaker::verdict::probe;
    probe_held asked(budget->breaker, probe);
    auto opened = co_await below->open(std::move(req), std::move(options));
    asked.decided();
    budget->note(opened ? nullptr : &opened.error(), probe);
    co_return opened;
}

KCONTROL_DECL http::transport_factory budgeted_transports(environment& env, http::transport_factory below,
                                                          const cluster_budget& budget,
                                                          std::shared_ptr<budget_counts> counts, logger log) {
    if (budget.max_concurrent_requests() == 0 && budget.max_consecutive_failures() == 0) return below;
    return wrap_transports(std::move(below), [&env, budget, counts = std::move(counts),
                                              log = std::move(log)](std::shared_ptr<http::transport> one) {
        const auto of_one = std::make_shared<request_budget>(env, budget, counts, log);
        counts->breaker = std::shared_ptr<const circuit_breaker>(of_one, &of_one->breaker);
        counts->turns = of_one->turns;
        const auto open = [of_one](std::shared_ptr<http::transport> to, http::request req, http::exchange_options o) {
            return open_budgeted(of_one, std::move(to), std::move(req), std::move(o));
        };
        return std::make_shared<http::wrapped_transport>(std::move(one), open);
    });
}

}  // namespace kcontrol::detail
