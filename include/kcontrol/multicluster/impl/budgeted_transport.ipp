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

// Who ends by its own stop says nothing of the server.
KCONTROL_DECL void budgeted_transport::shared::note(const error* failure, bool probe) {
    if (failure == nullptr) {
        if (!breaker.answered()) return;
        const auto entry = journal.recovered(env.now());
        if (!entry) return;
        std::vector<log_field> fields;
        append_recovery_field(fields, *entry);
        log.info("the cluster answers again: requests to it are sent", std::move(fields));
        return;
    }
    const bool silent = *failure == condition::unreachable || *failure == errc::unknown_outcome;
    if (!silent) {
        if (probe) breaker.given_up();
        return;
    }
    if (!breaker.unanswered(env.now(), random_unit(env), probe)) return;
    ++counts->trips;
    const auto entry = journal.failed(failure->code(), env.now());
    if (!entry) return;
    log.warning("the cluster does not answer: requests to it are refused at once",
                failure_fields("reason", failure->what(), *entry));
}

KCONTROL_DECL budgeted_transport::budgeted_transport(environment& env, std::shared_ptr<http::transport> below,
                                                     const cluster_budget& budget,
                                                     std::shared_ptr<budget_counts> counts, logger log)
    : below_(std::move(below)), state_(std::make_shared<shared>(env, budget, std::move(counts), std::move(log))) {
    if (budget.max_concurrent_requests() != 0)
        state_->turns = std::make_shared<request_turns>(budget.max_concurrent_requests());
    state_->counts->breaker = std::shared_ptr<const circuit_breaker>(state_, &state_->breaker);
    state_->counts->turns = state_->turns;
}

KCONTROL_DECL awaitable<result<http::response>> budgeted_transport::send(std::shared_ptr<shared> state,
                                                                         std::shared_ptr<http::transport> below,
                                                                         http::request req,
                                                                         http::exchange_options options) {
    const auto verdict = state->breaker.ask(state->env.now());
    if (verdict == circuit_breaker::verdict::refuse) {
        ++state->counts->refused;
        const auto left = std::max<duration>(state->breaker.until() - state->env.now(), duration::zero());
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(left).count();
        error refused(errc::unavailable,
                      "the cluster has not answered several requests in a row; it is asked again in " +
                          std::to_string(seconds) + " s");
        co_return refused;
    }
    const bool probe = verdict == circuit_breaker::verdict::probe;
    probe_held asked(state->breaker, probe);
    result<http::response> answer = co_await below->round_trip(std::move(req), std::move(options));
    asked.decided();
    state->note(answer ? nullptr : &answer.error(), probe);
    co_return answer;
}

// Whoever waited long enough for the breaker to shut is refused before it is sent.
KCONTROL_DECL awaitable<result<http::response>> budgeted_transport::send_in_turn(std::shared_ptr<shared> state,
                                                                                 std::shared_ptr<http::transport> below,
                                                                                 http::request req,
                                                                                 http::exchange_options options) {
    const time_point begun = state->env.now();
    const time_point deadline = begun + options.deadline();
    const auto turns = state->turns;
    const result<void> entered = co_await request_turns::enter(turns, state->env, options.stop(), deadline);
    if (!entered) co_return entered.error();
    const turn_held inside(turns);
    options.deadline(std::max<duration>(deadline - state->env.now(), duration::zero()));
    result<http::response> answer = co_await send(state, std::move(below), std::move(req), std::move(options));
    co_return answer;
}

KCONTROL_DECL awaitable<result<http::streamed_response>> budgeted_transport::stream(
    std::shared_ptr<shared> state, std::shared_ptr<http::transport> below, http::request req,
    http::exchange_options options) {
    result<http::streamed_response> opened = co_await below->open_stream(std::move(req), std::move(options));
    state->note(opened ? nullptr : &opened.error(), false);
    co_return opened;
}

KCONTROL_DECL awaitable<result<http::response>> budgeted_transport::round_trip(http::request req,
                                                                               http::exchange_options options) {
    if (state_->turns) return send_in_turn(state_, below_, std::move(req), std::move(options));
    return send(state_, below_, std::move(req), std::move(options));
}

KCONTROL_DECL awaitable<result<http::streamed_response>> budgeted_transport::open_stream(
    http::request req, http::exchange_options options) {
    return stream(state_, below_, std::move(req), std::move(options));
}

KCONTROL_DECL awaitable<result<http::opened_websocket>> budgeted_transport::open_websocket(
    http::request req, http::exchange_options options) {
    return below_->open_websocket(std::move(req), std::move(options));
}

KCONTROL_DECL http::transport_factory budgeted_transports(environment& env, http::transport_factory below,
                                                          const cluster_budget& budget,
                                                          std::shared_ptr<budget_counts> counts, logger log) {
    if (budget.max_concurrent_requests() == 0 && budget.max_consecutive_failures() == 0) return below;
    return wrap_transports(std::move(below), [&env, budget, counts = std::move(counts),
                                              log = std::move(log)](std::shared_ptr<http::transport> one) {
        return std::make_shared<budgeted_transport>(env, std::move(one), budget, counts, log);
    });
}

}  // namespace kcontrol::detail
