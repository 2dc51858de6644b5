#pragma once

#include <kcontrol/transport/impl/responder.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

inline const char* reason_phrase(int status) noexcept {
    switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    default: return "";
    }
}

// IMF-fixdate, RFC 9110 §5.6.7.
inline std::string http_date(wall_time now) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

inline bool has_no_body(int status) noexcept { return status < 200 || status == 204 || status == 304; }

inline std::string server_responder::head_text(const response_head& head, const char* framing, std::size_t length) {
    if (iequals(head.headers.get("Connection"), "close")) keep_alive_ = false;
    std::string text = fmt::format("HTTP/1.1 {} {}\r\n", head.status, reason_phrase(head.status));
    for (const auto& field : head.headers) {
        const bool ours = iequals(field.name, "Connection") || iequals(field.name, "Content-Length") ||
                          iequals(field.name, "Transfer-Encoding") || iequals(field.name, "Date");
        if (!ours) text.append(field.name).append(": ").append(field.value).append("\r\n");
    }
    text.append("Date: ").append(http_date(owner_.shared_->env.wall_now())).append("\r\n");
    if (*framing == '#') {
        text.append("Content-Length: ").append(std::to_string(length)).append("\r\n");
    } else {
        text.append(framing);
    }
    if (!keep_alive_) text.append("Connection: close\r\n");
    return text.append("\r\n");
}

inline result<void> server_responder::check(const response_head& head) const {
    if (state_ == state::broken) return error(errc::connection_lost, "the connection has ended");
    if (state_ != state::fresh) return error(errc::invalid_argument, "the request has been answered already");
    if (head.status < 200 || head.status > 599) return error(errc::invalid_argument, "no such status");
    for (const auto& field : head.headers) {
        if (!is_valid_field(field.name, field.value)) {
            return error(errc::invalid_argument, "a header field holds characters HTTP does not allow");
        }
    }
    return {};
}

inline result<void> server_responder::note(result<void> written) {
    if (!written) state_ = state::broken;
    return written;
}

inline awaitable<result<void>> server_responder::send(response answer) {
    const auto allowed = check(answer);
    if (!allowed) co_return allowed.error();
    state_ = state::sent;
    if (owner_.gone_.stop_requested() || owner_.drained_) keep_alive_ = false;
    const bool bare = has_no_body(answer.status);
    const std::string head = head_text(answer, bare ? "" : "#", answer.body.size());
    const std::string_view body = bare || is_head_ ? std::string_view() : std::string_view(answer.body);
    write_buffers out{boost::asio::buffer(head), boost::asio::buffer(body), boost::asio::const_buffer()};
    co_return note(co_await owner_.write_out(out));
}

inline awaitable<result<void>> server_responder::start(response_head head) {
    const auto allowed = check(head);
    if (!allowed) co_return allowed.error();
    if (has_no_body(head.status)) co_return error(errc::invalid_argument, "a response of this status has no body");
    state_ = state::streaming;
    if (!http11_ || owner_.drained_) keep_alive_ = false;  // without chunks the end of the connection ends the body
    const std::string text = head_text(head, http11_ ? "Transfer-Encoding: chunked\r\n" : "", 0);
    write_buffers out{boost::asio::buffer(text), boost::asio::const_buffer(), boost::asio::const_buffer()};
    auto written = note(co_await owner_.write_out(out));
    if (written) co_await owner_.take_turn();  // what follows is large, and its handler has work with it
    co_return written;
}

inline awaitable<result<void>> server_responder::write(std::string piece) {
    if (state_ == state::broken) co_return error(errc::connection_lost, "the connection has ended");
    if (state_ != state::streaming) co_return error(errc::invalid_argument, "write() needs a start() before it");
    if (piece.empty() || is_head_) co_return result<void>();  // an empty chunk would end the body
    const std::string size = http11_ ? fmt::format("{:x}\r\n", piece.size()) : std::string();
    const std::string_view end = http11_ ? "\r\n" : "";
    write_buffers out{boost::asio::buffer(size), boost::asio::buffer(piece), boost::asio::buffer(end)};
    co_return note(co_await owner_.write_out(out));
}

inline void server_responder::abort() {
    state_ = state::broken;
    owner_.reset();
}

inline bool server_responder::holds(std::size_t bytes) {
    const std::size_t before = std::exchange(owner_.kept_, bytes);
    if (owner_.has_room()) return true;
    owner_.kept_ = std::min(before, bytes);
    owner_.account();
    owner_.shared_->ledger.was_refused(shed_reason::bytes);
    owner_.shared_->tell_refused(shed_reason::bytes);
    return false;
}

inline std::stop_token server_responder::disconnected() const { return owner_.gone_.get_token(); }

inline awaitable<bool> server_responder::finish(bool handler_failed) {
    if (state_ == state::streaming && handler_failed) {
        // The head is out: a broken connection is the only way left to say that the body is not whole.
        abort();
    } else if (state_ == state::streaming) {
        state_ = state::sent;
        if (http11_ && !is_head_) {
            write_buffers out{boost::asio::buffer("0\r\n\r\n", 5), boost::asio::const_buffer(),
                              boost::asio::const_buffer()};
            auto written = co_await owner_.write_out(out);
            static_cast<void>(note(std::move(written)));
        }
    } else if (state_ == state::fresh) {
        response answer(500, "text/plain; charset=utf-8", "internal server error\n");
        const auto sent = co_await send(std::move(answer));
        static_cast<void>(sent);  // send() noted the failure
    }
    co_return state_ == state::sent&& keep_alive_;
}

}  // namespace kcontrol::http::detail
