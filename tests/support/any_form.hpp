// Exchanges of every form, for tests of what shall hold for each verb: a transport that notes what came, and calls.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/make_ready.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::test {

inline constexpr http::exchange_form all_forms[] = {http::exchange_form::whole, http::exchange_form::streamed,
                                                    http::exchange_form::websocket};

inline const char* to_string(http::exchange_form form) {
    switch (form) {
    case http::exchange_form::whole: return "whole";
    case http::exchange_form::streamed: return "streamed";
    case http::exchange_form::websocket: return "websocket";
    }
    return "?";
}

/// Answers each exchange in its form, with success unless `next` says otherwise. What it opened shares `lives`, and
/// ends with connection_lost when the transport is gone.
class any_form_transport final : public http::transport, public std::enable_shared_from_this<any_form_transport> {
public:
    class sent {
    public:
        http::request req;
        http::exchange_form form;
        duration deadline;
    };

    explicit any_form_transport(environment& env) : env_(env) {}

    http::transport_factory factory() {
        return [self = shared_from_this()](executor, const http::endpoint&, const http::tls_options&) {
            return result<std::shared_ptr<http::transport>>(self);
        };
    }

    awaitable<result<http::opened_exchange>> open(http::request req, http::exchange_options options) override {
        all.push_back(sent{std::move(req), options.form(), options.deadline()});
        const auto deadline = env_.now() + options.deadline();
        if (meanwhile) meanwhile();
        while (silent) {
            const wake why = co_await changed.wait(env_, options.stop(), deadline);
            if (why != wake::notified) co_return error(why == wake::stopped ? errc::stopped : errc::timeout);
        }
        http::opened_exchange out(http::response(options.form() == http::exchange_form::websocket ? 101 : 200));
        if (!next.empty()) {
            const result<http::response> said = std::move(next.front());
            next.pop_front();
            if (!said) co_return said.error();
            out = http::opened_exchange(*said);
        }
        if (options.form() == http::exchange_form::streamed) {
            out.stream = std::make_unique<body>(weak_from_this(), std::exchange(out.body, {}));
        }
        if (out.status == 101) out.socket = std::make_unique<socket>(weak_from_this());
        co_return out;
    }
    void close() override { closed = true; }

    /// Answers those that wait for `silent`.
    void speak() {
        silent = false;
        changed.notify_all();
    }

    std::vector<sent> all;
    std::deque<result<http::response>> next;
    std::function<void()> meanwhile;  ///< runs once a request has come
    bool silent = false;
    bool closed = false;
    async_event changed;

private:
    class body final : public http::body_stream {
    public:
        body(std::weak_ptr<any_form_transport> by, std::string text) : by_(std::move(by)), text_(std::move(text)) {}
        awaitable<result<std::size_t>> read_some(std::span<char> into, duration, std::stop_token) override {
            if (by_.expired()) return make_ready<result<std::size_t>>(error(errc::connection_lost));
            const std::size_t count = std::min(into.size(), text_.size());
            std::copy_n(text_.begin(), count, into.begin());
            text_.erase(0, count);
            return make_ready(result<std::size_t>(count));
        }

    private:
        std::weak_ptr<any_form_transport> by_;
        std::string text_;
    };
    class socket final : public http::websocket {
    public:
        explicit socket(std::weak_ptr<any_form_transport> by) : by_(std::move(by)) {}
        awaitable<result<http::websocket_piece>> read_some(std::span<char>, duration, std::stop_token) override {
            http::websocket_piece end;
            end.closed = true;
            if (by_.expired()) return make_ready<result<http::websocket_piece>>(error(errc::connection_lost));
            return make_ready(result<http::websocket_piece>(end));
        }
        awaitable<result<void>> write(std::string_view, std::string_view, duration, std::stop_token) override {
            if (by_.expired()) return make_ready<result<void>>(error(errc::connection_lost));
            return make_ready(result<void>());
        }
        awaitable<void> close(duration) override { co_return; }

    private:
        std::weak_ptr<any_form_transport> by_;
    };

    environment& env_;
};

/// What a call of one verb opened. Of a stream `body` is what reads it, of a WebSocket `socket`.
class any_opened {
public:
    int status = 0;
    std::unique_ptr<http::body_stream> body;
    std::unique_ptr<http::websocket> socket;
};

// The three verbs of a transport and of a client, as one function.

template <class Whole, class Streamed, class Websocket>
awaitable<result<any_opened>> open_any(http::exchange_form form, Whole whole, Streamed streamed, Websocket websocket) {
    any_opened out;
    if (form == http::exchange_form::whole) {
        auto call = whole();
        const auto got = co_await std::move(call);
        if (!got) co_return got.error();
        out.status = got->status;
    } else if (form == http::exchange_form::streamed) {
        auto call = streamed();
        auto got = co_await std::move(call);
        if (!got) co_return got.error();
        out.status = got->head.status;
        out.body = std::move(got->body);
    } else {
        auto call = websocket();
        auto got = co_await std::move(call);
        if (!got) co_return got.error();
        out.status = got->answer.status;
        out.socket = std::move(got->socket);
    }
    co_return out;
}

inline awaitable<result<any_opened>> open_any(std::shared_ptr<http::transport> over, http::exchange_form form,
                                              http::request req, http::exchange_options options = {}) {
    const auto whole = [=] { return over->round_trip(req, options); };
    const auto streamed = [=] { return over->open_stream(req, options); };
    const auto websocket = [=] { return over->open_websocket(req, options); };
    return open_any(form, whole, streamed, websocket);
}

inline awaitable<result<any_opened>> open_any(client c, http::exchange_form form, http::request req,
                                              http::exchange_options options = {}) {
    const auto whole = [=]() mutable { return c.raw(req, options); };
    const auto streamed = [=]() mutable { return c.raw_stream(req, options); };
    const auto websocket = [=]() mutable { return c.raw_websocket(req, options); };
    return open_any(form, whole, streamed, websocket);
}

}  // namespace kcontrol::test
