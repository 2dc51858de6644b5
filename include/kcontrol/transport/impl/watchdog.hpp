// Ends socket operations that take too long or are no longer wanted, and remembers which of the two it was.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/timer.hpp>
#include <kcontrol/transport/impl/byte_stream.hpp>

#include <boost/asio/post.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace kcontrol::inline v0_1::http::detail {

enum class cut_cause { none, timeout, stopped };

/// Closes a socket when a deadline passes or a stop token is triggered. The operation in progress then fails with
/// operation_aborted, and cause() gives the reason.
///
/// A deadline that moves away costs nothing: the timer in progress goes on, finds that it came too early, and is
/// set again. So a stream may move its idle deadline with every read.
///
/// Thread-safety: touched on its executor only; the stop callback, which may run on any thread, just posts.
class watchdog : public std::enable_shared_from_this<watchdog> {
public:
    watchdog(environment& env, executor ex) : env_(env), ex_(std::move(ex)) {}

    /// What to close; null: nothing. The socket outlives its watch.
    void watch(tcp::socket* socket) noexcept { socket_ = socket; }

    void deadline(std::optional<time_point> when) {
        deadline_ = when;
        if (!when || (armed_ && *armed_ <= *when)) return;
        arm(*when);
    }

    void follow(const std::stop_token& token) {
        if (on_stop_ && token == token_) return;
        on_stop_.reset();
        token_ = token;
        if (!token.stop_possible()) return;
        on_stop_.emplace(token, [weak = weak_from_this(), ex = ex_] {
            boost::asio::post(ex, [weak] {
                if (const auto self = weak.lock()) self->cut(cut_cause::stopped);
            });
        });
    }

    /// Cuts nothing from here on.
    void release() {
        socket_ = nullptr;
        deadline_.reset();
        on_stop_.reset();
        if (armed_) timer_->cancel();
        armed_.reset();
        ++round_;
    }

    cut_cause cause() const noexcept { return cause_; }

private:
    void arm(time_point when) {
        if (!timer_) timer_ = env_.make_timer(ex_);
        if (armed_) timer_->cancel();
        armed_ = when;
        timer_->async_wait(when, [weak = weak_from_this(), round = ++round_](bool expired) {
            const auto self = weak.lock();
            if (self && expired && self->round_ == round) self->expired();
        });
    }

    void expired() {
        armed_.reset();
        if (!deadline_) return;
        if (env_.now() >= *deadline_) {
            cut(cut_cause::timeout);
        } else {
            arm(*deadline_);
        }
    }

    void cut(cut_cause why) {
        if (cause_ != cut_cause::none || !socket_) return;
        cause_ = why;
        error_code ignored;
        socket_->close(ignored);
    }

    environment& env_;
    executor ex_;
    tcp::socket* socket_ = nullptr;
    std::unique_ptr<timer> timer_;
    std::optional<time_point> armed_;
    std::optional<time_point> deadline_;
    std::uint64_t round_ = 0;  // distinguishes the wait in progress from those before it
    std::stop_token token_;
    std::optional<std::stop_callback<std::function<void()>>> on_stop_;
    cut_cause cause_ = cut_cause::none;
};

}  // namespace kcontrol::http::detail
