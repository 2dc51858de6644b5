#pragma once

#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/client_state.hpp>
#include <kcontrol/client/detail/guarded_transport.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/version.hpp>

#include <algorithm>
#include <array>

namespace kcontrol::detail {

// "Retry-After: 0" is taken at its word once: a server that always says so would get all tries at once.
inline constexpr duration retry_pace = std::chrono::seconds(1);

KCONTROL_DECL std::optional<duration> call_budget::retry_delay(const http::response_head& answer,
                                                               auth::token_source& tokens, time_point now) {
    if (answer.status == 401) {
        if (refreshed_ || !tokens.invalidate()) return std::nullopt;
        refreshed_ = true;
        return duration::zero();
    }
    if (answer.status != 429 && answer.status < 500) return std::nullopt;
    const auto after = retry_after_of(answer.headers);
    if (!after || retries_left_ == 0) return std::nullopt;
    const duration delay = retries_left_ == most_retries ? *after : std::max<duration>(*after, retry_pace);
    if (now + delay >= deadline_) return std::nullopt;
    --retries_left_;
    return delay;
}

// The request as it goes out now: a token may have changed since the last try.
inline result<http::request> with_credentials(client_state& state, const http::request& req) {
    http::request out = req;
    out.headers.set("User-Agent", std::string("kcontrol/") + std::string(library_version));
    if (!out.headers.contains("Accept")) out.headers.set("Accept", "application/json");
    if (out.headers.contains("Authorization")) return out;
    const auto token = state.tokens->token();
    if (!token) return token.error();
    if (!token->empty()) out.headers.set("Authorization", "Bearer " + std::string(token->reveal()));
    return out;
}

KCONTROL_DECL error explain_budget(const error& why) {
    if (why != errc::too_large) return why;
    return error(errc::too_large, why.message() + "; ask for less (namespace, selector, limit) or raise max_body");
}

KCONTROL_DECL error body_too_large(std::size_t budget) {
    return error(errc::too_large, "the body exceeds " + std::to_string(budget) + " bytes");
}

// What stands in the way of another try, if anything.
inline std::optional<error> out_of_budget(const call_budget& budget, time_point now, const http::request& req) {
    if (budget.stop().stop_requested()) return error(errc::stopped);
    if (now < budget.deadline()) return std::nullopt;
    return error(errc::timeout,
                 req.method + " " + std::string(http::split_target(req.target).first) + ": the deadline passed");
}

inline awaitable<std::optional<error>> wait_for_retry(shared_client_state state, duration delay, std::stop_token stop) {
    if (delay > duration::zero()) {
        const wake why = co_await sleep_for(*state->env, delay, std::move(stop));
        if (why == wake::stopped) co_return error(errc::stopped);
    }
    co_return std::nullopt;
}

inline void trace_request(const client_state& state, const http::request& req, int status, std::string failure,
                          time_point sent) {
    if (!state.trace.sink) return;
    const duration took = state.env->now() - sent;
    trace_span span("request", state.env->wall_now() - took, took);
    span.parent = state.trace.id;
    span.error = std::move(failure);
    span.fields = {{"method", req.method},
                   {"path", std::string(http::split_target(req.target).first)},
                   {"host", state.requests->host}};
    if (status != 0) span.fields.push_back({"code", std::to_string(status)});
    state.trace.sink(span);
}

// A try without an answer. What the fence refused was not sent.
inline void count_failure(client_state& state, const http::request& req, const error& why, time_point sent) {
    if (why == errc::not_leading) return;
    state.requests->count(req.method, 0, state.env->now() - sent);
    trace_request(state, req, 0, why.what(), sent);
}

// An answer that came, to a request that was sent at that time.
inline void count_answer(client_state& state, const http::request& req, int status, time_point sent) {
    const bool is_write = req.method != "GET" && req.method != "HEAD";
    state.requests->count(req.method, status, state.env->now() - sent);
    trace_request(state, req, status, status < 400 ? "" : "HTTP " + std::to_string(status), sent);
    if (status == 429) ++state.load->throttled;
    if (!is_write) return;
    ++state.load->writes;
    state.load->write_time += state.env->now() - sent;
}

KCONTROL_DECL awaitable<result<http::response>> exchange(shared_client_state state, http::request req,
                                                         http::exchange_options options) {
    call_budget budget(state->env->now() + options.deadline(), options.stop());
    for (;;) {
        const time_point now = state->env->now();
        if (auto over = out_of_budget(budget, now, req)) co_return *over;
        auto attempt = with_credentials(*state, req);
        if (!attempt) co_return attempt.error();
        options.deadline(budget.deadline() - now);
        auto answer = co_await round_trip_guarded(state->transport, std::move(*attempt), options);
        if (!answer) {
            count_failure(*state, req, answer.error(), now);
            co_return explain_budget(answer.error());
        }
        count_answer(*state, req, answer->status, now);
        if (is_success(answer->status)) co_return std::move(*answer);
        const auto delay = budget.retry_delay(*answer, *state->tokens, state->env->now());
        if (!delay) co_return answer_error(*answer);
        state->requests->count_retry(req.method, answer->status);
        auto stopped = co_await wait_for_retry(state, *delay, budget.stop());
        if (stopped) co_return *stopped;
    }
}

// Reads what a refused stream says, as far as a message needs it.
inline awaitable<http::response> refused_stream(http::streamed_response opened, duration time, std::stop_token stop) {
    constexpr std::size_t most = std::size_t{64} << 10;
    http::response whole(opened.head.status);
    whole.headers = opened.head.headers;
    std::array<char, 4096> chunk{};
    while (whole.body.size() < most) {
        const auto n = co_await read_some_guarded(*opened.body, std::span<char>(chunk), time, stop);
        if (!n || *n == 0) break;
        whole.body.append(chunk.data(), *n);
    }
    co_return whole;
}

KCONTROL_DECL awaitable<result<http::streamed_response>> open_exchange(shared_client_state state, http::request req,
                                                                       http::exchange_options options) {
    call_budget budget(state->env->now() + options.deadline(), options.stop());
    for (;;) {
        const time_point now = state->env->now();
        if (auto over = out_of_budget(budget, now, req)) co_return *over;
        auto attempt = with_credentials(*state, req);
        if (!attempt) co_return attempt.error();
        options.deadline(budget.deadline() - now);
        auto opened = co_await open_stream_guarded(state->transport, std::move(*attempt), options);
        if (!opened) {
            count_failure(*state, req, opened.error(), now);
            co_return opened.error();
        }
        count_answer(*state, req, opened->head.status, now);
        if (is_success(opened->head.status)) co_return std::move(*opened);
        const duration left = budget.deadline() - state->env->now();
        const auto refused = co_await refused_stream(std::move(*opened), left, budget.stop());
        const auto delay = budget.retry_delay(refused, *state->tokens, state->env->now());
        if (!delay) co_return answer_error(refused);
        state->requests->count_retry(req.method, refused.status);
        auto stopped = co_await wait_for_retry(state, *delay, budget.stop());
        if (stopped) co_return *stopped;
    }
}

}  // namespace kcontrol::detail
