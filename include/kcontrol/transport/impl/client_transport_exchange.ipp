#pragma once

#include <kcontrol/transport/impl/client_transport.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

inline client_exchange::client_exchange(std::shared_ptr<client_transport> owner, const request& req,
                                        std::size_t max_body)
    : transport(std::move(owner)),
      dog(std::make_shared<watchdog>(transport->env, transport->ex)),
      safe(req.method == "GET" || req.method == "HEAD"),
      is_head(req.method == "HEAD"),
      max_body_(max_body) {
    transport->begin_exchange();
}

inline client_exchange::~client_exchange() {
    dog->release();
    end();
}

inline void client_exchange::end() {
    if (!std::exchange(ended_, true)) transport->end_exchange();
}

inline void client_exchange::use(std::unique_ptr<connection> c) {
    link = std::move(c);
    reused = std::exchange(link->used, true);
    dog->watch(&link->stream->socket());
}

inline awaitable<void> client_exchange::send(std::string_view head, std::string_view content) {
    write_buffers out{boost::asio::buffer(head), boost::asio::buffer(content), boost::asio::const_buffer()};
    const io_outcome sent = co_await write(*link->stream, out);
    unsent = static_cast<bool>(sent.failure);
}

// What a failed read means. The cause of a cut goes before what the cut socket says.
inline error client_exchange::describe(const error_code& failure) {
    if (dog->cause() == cut_cause::stopped) return error(errc::stopped);
    if (dog->cause() == cut_cause::timeout) return error(errc::timeout, "no answer came in time");
    // In TLS 1.3 a server may look at the client's certificate when the client has begun to send.
    refused = !reused && !answered && is_refusal(failure);
    if (refused) return handshake_error(link->stream->tls(), failure, transport->peer_name);
    if (is_tls_error(failure)) return error(errc::connection_lost, "TLS broke off: " + tls_failure_text(failure));
    if (!answered) return error(errc::connection_lost, "the server closed the connection without an answer");
    if (failure == boost::asio::error::eof || is_unclean_end(failure)) {
        return error(errc::truncated, "the server closed the connection inside its answer");
    }
    return error(errc::connection_lost, "the connection broke: " + failure.message());
}

inline awaitable<result<void>> client_exchange::read_more() {
    auto& input = link->input;
    const bool streams = max_body_ == message_parser<false>::unlimited && parser->head_done();
    const boost::asio::mutable_buffer room = link->prepare(streams);
    const io_outcome got = co_await read(*link->stream, room);
    input.commit(got.bytes);
    link->drained = got.bytes < room.size();
    if (got.bytes != 0) answered = true;
    if (got.bytes == link->read_size) link->read_size = std::min(link->read_size * 2, most_read_size);
    if (got.failure) {
        // TLS that was not ended properly may have lost its tail to an attacker, so it is no end of a body.
        if (got.failure == boost::asio::error::eof && dog->cause() == cut_cause::none && parser->end_of_input()) {
            link->stream->close();
            co_return result<void>();
        }
        co_return describe(got.failure);
    }
    co_return parser->parse(input);
}

inline awaitable<result<void>> client_exchange::read_head() {
    constexpr int max_interim = 8;
    for (int interim = 0; interim <= max_interim; ++interim) {
        parser.emplace(max_body_);
        parser->skip(is_head);
        auto parsed = parser->parse(link->input);  // what came with an interim response
        while (parsed && !parser->head_done()) parsed = co_await read_more();
        if (!parsed) co_return parsed.error();
        if (parser->status == 101) co_return error(errc::protocol_error, "the server switched protocols unasked");
        if (parser->status < 200 && parser->status >= 100) continue;
        if (parser->status < 100 || parser->status > 599) {
            co_return error(errc::protocol_error, "the status " + std::to_string(parser->status) + " does not exist");
        }
        co_return result<void>();
    }
    co_return error(errc::protocol_error, "the server sends interim responses without end");
}

inline void client_exchange::finish() {
    const bool fit = parser->keep_alive() && !unsent && dog->cause() == cut_cause::none;
    dog->release();
    if (fit) transport->give_back(std::move(link));
    link.reset();
    end();
}

}  // namespace kcontrol::http::detail
