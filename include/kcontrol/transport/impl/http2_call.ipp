#pragma once

#include <kcontrol/transport/http2_call.hpp>
#include <kcontrol/transport/impl/http2_session.hpp>

#include <limits>
#include <span>
#include <utility>

namespace kcontrol::inline v0_1::http {

struct http2_call::state {
    state(std::string authority, request asked, std::size_t max_body)
        : session(std::move(authority), "http"), stream(std::move(asked), true, max_body) {
        stream.keeps_trailers = true;
        session.open(stream);
    }

    // What has come of it.
    void look() {
        if (outcome) return;
        if (stream.failure) {
            outcome.emplace(*stream.failure);
        } else if (stream.ended) {
            http2_answer answer;
            answer.status = stream.head.status;
            answer.headers = std::move(stream.head.headers);
            answer.body = std::move(stream.body);
            answer.trailers = std::move(stream.trailers);
            outcome.emplace(std::move(answer));
        } else if (session.is_over()) {
            fail("the server ended the conversation without an answer" + session.farewell());
        }
    }
    void fail(const std::string& what) {
        session.fail(error(errc::connection_lost, what), error(errc::truncated, what));
        if (!outcome && stream.failure) outcome.emplace(*stream.failure);
    }
    void take(const result<void>& done) {
        if (!done && !outcome) outcome.emplace(done.error());
        look();
    }

    detail::http2_session session;
    detail::http2_stream stream;
    std::optional<result<http2_answer>> outcome;
};

KCONTROL_DECL http2_call::http2_call(std::string authority, request asked, std::size_t max_body)
    : state_(new state(std::move(authority), std::move(asked), max_body)) {}

KCONTROL_DECL http2_call::~http2_call() = default;

KCONTROL_DECL std::string http2_call::send() {
    std::string out;
    state_->take(state_->session.take_output(out, std::numeric_limits<std::size_t>::max()));
    return out;
}

KCONTROL_DECL void http2_call::receive(std::string_view bytes) {
    if (!state_->outcome) state_->take(state_->session.receive(std::span<const char>(bytes.data(), bytes.size())));
}

KCONTROL_DECL void http2_call::closed() { state_->fail("the server closed the connection"); }

KCONTROL_DECL const std::optional<result<http2_answer>>& http2_call::outcome() const noexcept {
    return state_->outcome;
}

}  // namespace kcontrol::http
