// A transport whose WebSockets a test feeds by hand.
#pragma once

#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

/// The test's end of a WebSocket.
class fake_end {
public:
    explicit fake_end(environment& e) : env(e) {}

    void push(std::string message) {
        messages.push_back(std::move(message));
        changed.notify_all();
    }
    void close() {
        closed = true;
        changed.notify_all();
    }
    void fail(errc code) {
        failure = code;
        changed.notify_all();
    }

    environment& env;
    std::deque<std::string> messages;
    std::size_t at = 0;  // of the first one, so much was read
    std::size_t slice = 1000;
    bool closed = false;
    std::optional<errc> failure;
    bool gone = false;   ///< the client has closed it
    bool stuck = false;  ///< writes wait
    std::vector<std::string> written;
    async_event changed;
};

class fake_socket final : public http::websocket {
public:
    explicit fake_socket(std::shared_ptr<fake_end> to) : to_(std::move(to)) {}
    ~fake_socket() override {
        to_->gone = true;
        to_->changed.notify_all();
    }

    awaitable<result<http::websocket_piece>> read_some(std::span<char> into, duration idle,
                                                       std::stop_token stop) override {
        return read(to_, into, idle, std::move(stop));
    }
    awaitable<result<void>> write(std::string_view head, std::string_view content, duration,
                                  std::stop_token stop) override {
        return send(to_, std::string(head) + std::string(content), std::move(stop));
    }
    awaitable<void> close(duration) override {
        to_->gone = true;
        co_return;
    }

private:
    static awaitable<result<http::websocket_piece>> read(std::shared_ptr<fake_end> to, std::span<char> into,
                                                         duration idle, std::stop_token stop) {
        std::optional<time_point> until;
        if (idle > duration::zero()) until = to->env.now() + idle;
        http::websocket_piece piece;
        while (to->messages.empty()) {
            if (to->gone) co_return error(errc::unavailable, "closed here");
            if (to->failure) co_return error(*to->failure);
            piece.closed = to->closed;
            if (piece.closed) co_return piece;
            const wake why = co_await to->changed.wait(to->env, stop, until);
            if (why == wake::stopped) co_return error(errc::stopped);
            if (why == wake::timeout) co_return error(errc::timeout);
        }
        const std::string& message = to->messages.front();
        piece.bytes = std::min({into.size(), message.size() - to->at, to->slice});
        std::copy_n(message.begin() + static_cast<std::ptrdiff_t>(to->at), piece.bytes, into.begin());
        to->at += piece.bytes;
        piece.last = to->at == message.size();
        if (piece.last) to->messages.pop_front(), to->at = 0;
        co_return piece;
    }

    static awaitable<result<void>> send(std::shared_ptr<fake_end> to, std::string message, std::stop_token stop) {
        while (to->stuck && !to->gone) {
            const wake why = co_await to->changed.wait(to->env, stop);
            if (why == wake::stopped) co_return error(errc::stopped);
        }
        if (to->gone) co_return error(errc::unavailable, "closed here");
        to->written.push_back(std::move(message));
        co_return result<void>();
    }

    std::shared_ptr<fake_end> to_;
};

/// Answers each WebSocket as it was told to, in order.
class fake_websockets final : public http::transport, public std::enable_shared_from_this<fake_websockets> {
public:
    explicit fake_websockets(environment& env) : env_(env) {}

    /// Switches with that subprotocol.
    std::shared_ptr<fake_end> accept(std::string protocol) {
        auto end = std::make_shared<fake_end>(env_);
        answers_.emplace_back(http::response(101), end);
        answers_.back().first.headers.set("Sec-WebSocket-Protocol", std::move(protocol));
        return end;
    }
    void refuse(http::response answer) { answers_.emplace_back(std::move(answer), nullptr); }

    const std::vector<http::request>& sent() const noexcept { return sent_; }

    http::transport_factory factory() {
        return [self = shared_from_this()](executor, const http::endpoint&, const http::tls_options&) {
            return result<std::shared_ptr<http::transport>>(self);
        };
    }

    awaitable<result<http::opened_exchange>> open(http::request req, http::exchange_options options) override {
        if (options.form() != http::exchange_form::websocket) co_return error(errc::unavailable, "only WebSockets");
        sent_.push_back(std::move(req));
        if (answers_.empty()) co_return error(errc::connection_refused, "no answer left");
        http::opened_exchange out(std::move(answers_.front().first));
        if (answers_.front().second) out.socket = std::make_unique<fake_socket>(answers_.front().second);
        answers_.pop_front();
        co_return out;
    }
    void close() override {}

private:
    environment& env_;
    std::deque<std::pair<http::response, std::shared_ptr<fake_end>>> answers_;
    std::vector<http::request> sent_;
};

}  // namespace kcontrol::test
