// The transport of a client whose certificates may change while it runs.
#pragma once

#include <kcontrol/client/detail/guarded_transport.hpp>
#include <kcontrol/client/detail/moving_watch.hpp>
#include <kcontrol/http/gunzip.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/http/websocket.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

inline bool asks_for_watch(const http::request& req) {
    if (req.method != "GET") return false;
    const std::string_view query = http::split_target(req.target).second;
    return query == "watch=true" || query.starts_with("watch=true&") || query.find("&watch=true") != std::string::npos;
}

/// Makes a new transport where TLS settings change: what begins from then on goes over new connections. Watches on the
/// old ones end between two events, as if the server had ended them, and their readers resume on the new ones; what
/// can't be resumed, such as a log that is followed, goes on over the old one until it ends by itself.
///
/// Thread-safety: shared objects unsafe; use it on its executor.
class renewed_transport final : public http::transport, public std::enable_shared_from_this<renewed_transport> {
public:
    renewed_transport(executor ex, http::endpoint to, http::tls_options tls, http::transport_factory make,
                      std::shared_ptr<http::transport> first)
        : ex_(std::move(ex)),
          to_(std::move(to)),
          tls_(std::move(tls)),
          make_(std::move(make)),
          current_(std::move(first)) {}

    /// Calls `check` every minute while watches go on: it may find new settings, and call renew(). Without it nobody
    /// looks until a request begins.
    void check_while_watching(environment& env, std::function<void()> check) {
        env_ = &env;
        check_ = std::move(check);
    }

    /// What was settled last, and its number.
    const http::tls_options& tls() const noexcept { return tls_; }
    std::uint64_t version() const noexcept { return version_; }

    /// Errors: those of the factory; what was there before stays then, and that number counts as settled.
    result<void> renew(const http::tls_options& tls, std::uint64_t version) {
        version_ = version;
        if (closed_) return {};
        auto next = make_guarded(make_, ex_, to_, tls);
        if (!next) return next.error();
        tls_ = tls;
        const auto old = std::exchange(current_, std::move(*next));
        old->close();
        const auto moves = std::exchange(moves_, {});
        for (const auto& watch : moves) {
            if (const auto one = watch.lock()) one->move_on();
        }
        return {};
    }

    awaitable<result<http::opened_exchange>> open(http::request req, http::exchange_options options) override {
        return open_kept(shared_from_this(), current_, std::move(req), std::move(options));
    }

    void close() override {
        closed_ = true;
        current_->close();
        if (timer_) timer_->cancel();
    }

private:
    // Keeps its transport as long as the body lives.
    class kept_body final : public http::body_stream {
    public:
        kept_body(std::shared_ptr<http::transport> by, std::unique_ptr<http::body_stream> body)
            : by_(std::move(by)), body_(std::move(body)) {}
        awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) override {
            return body_->read_some(into, idle, std::move(stop));
        }

    private:
        std::shared_ptr<http::transport> by_;
        std::unique_ptr<http::body_stream> body_;
    };

    // Likewise.
    class kept_websocket final : public http::websocket {
    public:
        kept_websocket(std::shared_ptr<http::transport> by, std::unique_ptr<http::websocket> socket)
            : by_(std::move(by)), socket_(std::move(socket)) {}
        awaitable<result<http::websocket_piece>> read_some(std::span<char> into, duration idle,
                                                           std::stop_token stop) override {
            return socket_->read_some(into, idle, std::move(stop));
        }
        awaitable<result<void>> write(std::string_view head, std::string_view content, duration time,
                                      std::stop_token stop) override {
            return socket_->write(head, content, time, std::move(stop));
        }
        awaitable<void> close(duration time) override { return socket_->close(time); }

    private:
        std::shared_ptr<http::transport> by_;
        std::unique_ptr<http::websocket> socket_;
    };

    static awaitable<result<http::opened_exchange>> open_kept(std::shared_ptr<renewed_transport> self,
                                                              std::shared_ptr<http::transport> by, http::request req,
                                                              http::exchange_options options) {
        const bool is_watch = asks_for_watch(req);
        auto opened = co_await by->open(std::move(req), std::move(options));
        if (!opened) co_return opened.error();
        if (opened->socket) opened->socket = std::make_unique<kept_websocket>(by, std::move(opened->socket));
        if (!opened->stream) co_return opened;
        opened->stream = std::make_unique<kept_body>(by, std::move(opened->stream));
        // Compressed bytes do not show where an event ends.
        if (is_watch && opened->status == 200 && !http::is_gzip(*opened)) self->let_move(by, opened->stream);
        co_return opened;
    }

    void let_move(const std::shared_ptr<http::transport>& by, std::unique_ptr<http::body_stream>& body) {
        // Behind the last watch nothing is looked after: a timer would keep the context running.
        const auto gone = [weak = weak_from_this()](watch_move* one) {
            delete one;
            if (const auto self = weak.lock()) self->stop_checking();
        };
        const std::shared_ptr<watch_move> move(new watch_move, gone);
        body = std::make_unique<moving_watch>(std::move(body), move);
        if (by != current_) return move->move_on();  // they changed while it began
        moves_.push_back(move);
        check_later();
    }

    void stop_checking() {
        std::erase_if(moves_, [](const auto& one) { return one.expired(); });
        if (moves_.empty() && timer_) timer_->cancel();
    }

    void check_later() {
        if (checking_ || !check_) return;
        if (!timer_) timer_ = env_->make_timer(ex_);
        checking_ = true;
        timer_->async_wait(env_->now() + check_period, [weak = weak_from_this()](bool expired) {
            const auto self = weak.lock();
            if (!self) return;
            self->checking_ = false;
            if (self->closed_ || self->moves_.empty()) return;
            self->check_later();
            if (expired) self->check_();
        });
    }

    static constexpr duration check_period = std::chrono::minutes(1);

    executor ex_;
    http::endpoint to_;
    http::tls_options tls_;
    http::transport_factory make_;
    std::shared_ptr<http::transport> current_;
    std::uint64_t version_ = 0;
    bool closed_ = false;
    std::vector<std::weak_ptr<watch_move>> moves_;  // of the watches over current_
    environment* env_ = nullptr;
    std::function<void()> check_;
    std::unique_ptr<timer> timer_;
    bool checking_ = false;
};

}  // namespace kcontrol::detail
