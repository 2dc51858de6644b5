#pragma once

#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/client_state.hpp>
#include <kcontrol/client/detail/guarded_transport.hpp>
#include <kcontrol/client/detail/write_fence.hpp>
#include <kcontrol/http/gunzip.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <algorithm>
#include <array>
#include <new>

namespace kcontrol::inline v0_1::detail {

// "Retry-After: 0" is taken at its word once: a server that always says so would get all tries at once.
inline constexpr duration retry_pace = std::chrono::seconds(1);

// Never earlier than the server says, and up to half as much later.
inline constexpr double retry_jitter = 0.5;

KCONTROL_DECL std::optional<duration> call_budget::retry_delay(const http::response_head& answer,
                                                               auth::credential_source& login, std::uint64_t serial,
                                                               time_point now, double unit) {
    if (answer.status == 401) {
        if (refreshed_ || !login.invalidate(serial)) return std::nullopt;
        refreshed_ = true;
        return duration::zero();
    }
    if (answer.status != 429 && answer.status < 500) return std::nullopt;
    const auto after = retry_after_of(answer.headers);
    if (!after || retries_left_ == 0) return std::nullopt;
    const duration least = retries_left_ == most_retries ? *after : std::max<duration>(*after, retry_pace);
    if (now + least >= deadline_) return std::nullopt;
    --retries_left_;
    const duration jitter = std::chrono::duration_cast<duration>(least * (retry_jitter * unit));
    // The jitter must not cost the try that there is time for.
    return std::min(least + jitter, std::max(least, (deadline_ - now) / 2));
}

// A certificate that can't be used must not end what works: files are read while others write them.
inline void follow_certificates(client_state& state) {
    if (!state.renewed || state.renewed->version() == state.login->tls_version()) return;
    const auto renewed = state.renewed->renew(state.login->tls(), state.login->tls_version());
    if (!renewed) state.login->reject_tls(state.renewed->tls(), renewed.error());
}

KCONTROL_DECL void check_certificates(client_state& state) {
    // Reads the files that are due. What has to be asked for, a plugin, is asked by the next request.
    const bool ready = state.login->ready();
    if (ready) follow_certificates(state);
}

// Who asks for a coding himself gets what comes. Messages have none.
inline bool asks_for_gzip(const client_state& state, const http::request& req, http::exchange_form form) {
    return state.takes_gzip && form != http::exchange_form::websocket && !req.headers.contains("Accept-Encoding");
}

// The request as it goes out now: a token may have changed since the last try.
inline result<http::request> with_credentials(client_state& state, const http::request& req, http::exchange_form form) {
    follow_certificates(state);
    http::request out = req;
    out.headers.set("User-Agent", state.manners->user_agent());
    // What comes over a WebSocket is no object, and a node on the way may know one kind of answer only.
    const bool objects = form != http::exchange_form::websocket;
    if (!out.headers.contains("Accept")) out.headers.set("Accept", objects ? "application/json" : "*/*");
    if (asks_for_gzip(state, req, form)) out.headers.set("Accept-Encoding", "gzip");
    const auto authorized = state.login->authorize(out.headers);
    if (!authorized) return authorized.error();
    return out;
}

// An answer whose body is decoded, if it came compressed as it was allowed to. Errors: those of the decoder.
inline result<void> unpack(bool asked, http::opened_exchange& answer, std::size_t most) {
    if (!asked || !http::is_gzip(answer)) return {};
    if (answer.stream) {
        answer.stream = http::make_gunzip_body(std::move(answer.stream));
    } else if (!answer.body.empty()) {
        auto body = http::gunzip_all(answer.body, most);
        if (!body) return body.error().with_context("the server's answer");
        answer.body = std::move(*body);
    }
    http::forget_coding(answer);
    return {};
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

// The place of a request that is about to be sent, which it tells the server of if it shall.
inline trace_context begin_request_span(client_state& state, http::request& attempt) {
    if (!state.trace.sink) return {};
    const trace_context out = state.trace.context.child(*state.env);
    if (state.trace.propagates) attempt.headers.set(traceparent_header, to_traceparent(out));
    return out;
}

inline void trace_request(const client_state& state, const http::request& req, const trace_context& place, int status,
                          std::string failure, time_point sent) {
    if (!state.trace.sink) return;
    const duration took = state.env->now() - sent;
    trace_span span("request", state.env->wall_now() - took, took);
    span.parent = state.trace.id;
    span.under = state.trace.context;
    span.context = place;
    span.error = std::move(failure);
    span.fields = {{"method", req.method},
                   {"path", std::string(http::split_target(req.target).first)},
                   {"host", state.requests->host}};
    if (status != 0) span.fields.push_back({"code", std::to_string(status)});
    state.trace.sink(span);
}

// Waits until the client's own limit lets the request through.
inline awaitable<result<void>> wait_for_turn(shared_client_state state, const http::request& req,
                                             const call_budget& budget) {
    const time_point now = state->env->now();
    const auto wait = state->manners->take_turn(now, budget.deadline() - now);
    if (!wait) {
        co_return error(errc::timeout, req.method + " " + std::string(http::split_target(req.target).first) +
                                           ": the client's own limit (client_options::rate_limit) lets nothing "
                                           "through before the deadline");
    }
    state->requests->count_turn(req.method, *wait);
    if (*wait > duration::zero()) {
        const wake why = co_await sleep_for(*state->env, *wait, budget.stop());
        if (why == wake::stopped) co_return error(errc::stopped);
    }
    co_return result<void>();
}

// One try of a request, from before it is sent.
class begun_try {
public:
    begun_try() = default;
    http::request attempt;
    http::exchange_options options;
    std::uint64_t serial = 0;  // of its credentials
    trace_context place;
    time_point sent;
};

// All that comes before a try is sent. Errors: why it is not.
inline awaitable<result<begun_try>> begin_try(shared_client_state state, const http::request& req,
                                              const call_budget& budget, const http::exchange_options& options) {
    if (!state->login->ready()) {
        const auto logged_in = co_await state->login->obtain(budget.deadline(), budget.stop());
        if (!logged_in) co_return logged_in.error();
    }
    if (state->manners->limits() && !asks_for_watch(req)) {
        const auto turn = co_await wait_for_turn(state, req, budget);
        if (!turn) co_return turn.error();
    }
    begun_try out;
    out.sent = state->env->now();
    if (auto over = out_of_budget(budget, out.sent, req)) co_return std::move(*over);
    auto attempt = with_credentials(*state, req, options.form());
    if (!attempt) co_return attempt.error();
    out.attempt = std::move(*attempt);
    out.serial = state->login->serial();
    out.place = begin_request_span(*state, out.attempt);
    const auto prepared = state->manners->prepare(out.attempt);
    if (!prepared) co_return prepared.error();
    out.options = options;
    out.options.deadline(budget.deadline() - out.sent);
    out.options.on_lookup([counts = state->requests](duration took) { counts->count_lookup(took); });
    co_return result<begun_try>(std::move(out));
}

// Whether a try that was begun may go out. What a guard refuses is not sent, and so counted as no
// request; its turn it has had. What asks for a WebSocket is a command in a container, whatever its method: a write.
inline result<void> pass_guards(const client_state& state, begun_try& one) {
    if (one.options.form() != http::exchange_form::websocket && !may_write(one.attempt)) return {};
    return ask_guards(state.guards, one.options);
}

// A try that went out and has no answer.
inline void count_failure(client_state& state, const http::request& req, const error& why, const begun_try& one) {
    state.requests->count(req.method, 0, state.env->now() - one.sent);
    state.requests->count_request_size(req.method, req.body.size());
    trace_request(state, req, one.place, 0, why.what(), one.sent);
    state.manners->hear_failure(req, why, state.env->now() - one.sent);
}

// An answer that came, to a request that was sent at that time.
inline void count_answer(client_state& state, const http::request& req, const http::response_head& answer,
                         const begun_try& one) {
    const int status = answer.status;
    const bool is_write = req.method != "GET" && req.method != "HEAD";
    state.requests->count(req.method, status, state.env->now() - one.sent);
    state.requests->count_request_size(req.method, req.body.size());
    trace_request(state, req, one.place, status, status < 400 ? "" : "HTTP " + std::to_string(status), one.sent);
    state.manners->hear(req, answer, state.env->now() - one.sent);
    if (status == 429) ++state.load->throttled;
    if (!is_write) return;
    ++state.load->writes;
    state.load->write_time += state.env->now() - one.sent;
}

// Whether the request goes out once more after such an answer, when the time for that has come.
inline awaitable<result<bool>> wait_for_retry(shared_client_state state, const http::request& req,
                                              const http::response_head& answer, std::uint64_t serial,
                                              call_budget& budget) {
    const auto delay = budget.retry_delay(answer, *state->login, serial, state->env->now(), random_unit(*state->env));
    if (!delay) co_return false;
    state->requests->count_retry(req.method, answer.status);
    if (*delay > duration::zero()) {
        const wake why = co_await sleep_for(*state->env, *delay, budget.stop());
        if (why == wake::stopped) co_return error(errc::stopped);
    }
    co_return true;
}

// Reads what a refused stream says, as far as a message needs it.
inline awaitable<void> read_refusal(http::opened_exchange& refused, duration time, std::stop_token stop) {
    constexpr std::size_t most = std::size_t{64} << 10;
    const auto from = std::move(refused.stream);
    std::array<char, 4096> chunk{};
    while (refused.body.size() < most) {
        const auto n = co_await read_some_guarded(*from, std::span<char>(chunk), time, stop);
        if (!n || *n == 0) break;
        refused.body.append(chunk.data(), *n);
    }
}

// Before API servers spoke WebSocket here, or behind a proxy that does not, the answer may even be 200.
inline error refusal_of(const http::response& answer) {
    if (!is_success(answer.status)) return answer_error(answer);
    return error(errc::protocol_error, "the server answered " + std::to_string(answer.status) +
                                           " instead of speaking WebSocket; is there a proxy that does not let it "
                                           "through?");
}

KCONTROL_DECL awaitable<result<http::opened_exchange>> exchange(shared_client_state state, http::request req,
                                                                http::exchange_options options, refusals how) {
    using http::exchange_form;
    const exchange_form form = options.form();
    const bool takes_gzip = asks_for_gzip(*state, req, form);
    call_budget budget(state->env->now() + options.deadline(), options.stop(), how);
    for (;;) {
        auto begun = co_await begin_try(state, req, budget, options);
        if (!begun) co_return begun.error();
        const auto may = pass_guards(*state, *begun);
        if (!may) co_return may.error();
        result<http::opened_exchange> opened;
        try {
            opened = co_await state->transport->open(std::move(begun->attempt), std::move(begun->options));
        } catch (const std::bad_alloc&) {
            throw;
        } catch (...) {
            opened = error_of_thrown("the transport");
        }
        const auto fits = opened ? http::fit_form(*opened, form) : result<void>();
        if (!fits) opened = fits.error();
        if (!opened) {
            count_failure(*state, req, opened.error(), *begun);
            co_return explain_budget(opened.error());
        }
        count_answer(*state, req, *opened, *begun);
        const auto unpacked = unpack(takes_gzip, *opened, options.max_body());
        if (form == exchange_form::whole) state->requests->count_response_size(req.method, opened->body.size());
        if (form == exchange_form::websocket ? opened->socket != nullptr : is_success(opened->status)) {
            if (!unpacked) co_return explain_budget(unpacked.error());
            if (opened->socket) opened->socket = fence_websocket(std::move(opened->socket), state->guards);
            co_return opened;
        }
        if (opened->stream) co_await read_refusal(*opened, budget.deadline() - state->env->now(), budget.stop());
        const auto again = co_await wait_for_retry(state, req, *opened, begun->serial, budget);
        if (!again) co_return again.error();
        if (*again) continue;
        state->agreed->make_readable(*opened);
        co_return refusal_of(*opened);
    }
}

}  // namespace kcontrol::detail
