// What a handler writes its answer to: framing, and the rules of which answer may follow which.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/http/websocket_acceptor.hpp>
#include <kcontrol/transport/impl/server_connection.hpp>

#include <memory>
#include <string>

namespace kcontrol::inline v0_1::http::detail {

/// Lives in the connection's coroutine for one request.
class server_responder final : public responder, public websocket_acceptor {
public:
    server_responder(server_connection& owner, bool is_head, bool http11, bool keep_alive)
        : owner_(owner), is_head_(is_head), http11_(http11), keep_alive_(keep_alive) {}

    awaitable<result<void>> send(response answer) override;
    awaitable<result<void>> start(response_head head) override;
    awaitable<result<void>> write(std::string piece) override;
    void abort() override;
    std::stop_token disconnected() const override;
    void admit() override { owner_.admit(); }
    bool holds(std::size_t bytes) override;
    awaitable<result<std::unique_ptr<websocket>>> accept_websocket(const request& asked,
                                                                   std::string subprotocol) override;

    /// After the handler: ends a stream, or answers 500 for a handler that did not. True: another request may follow.
    awaitable<bool> finish(bool handler_failed);

private:
    enum class state { fresh, streaming, sent, upgraded, broken };
    std::string head_text(const response_head& head, const char* framing, std::size_t length);
    result<void> check(const response_head& head) const;
    result<void> note(result<void> written);

    server_connection& owner_;
    bool is_head_;
    bool http11_;
    bool keep_alive_;
    state state_ = state::fresh;
};

}  // namespace kcontrol::http::detail
