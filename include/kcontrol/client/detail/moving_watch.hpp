// A watch that may be asked to end between two events, so that its reader resumes it elsewhere.
#pragma once

#include <kcontrol/client/detail/guarded_transport.hpp>
#include <kcontrol/http/transport.hpp>

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// The wish that a watch ends. Thread-safety: shared objects unsafe.
class watch_move {
public:
    /// A read that waits between two events ends now; else the watch ends behind the event that is coming.
    void move_on() { wished_.request_stop(); }
    bool wished() const noexcept { return wished_.stop_requested(); }
    std::stop_token token() const noexcept { return wished_.get_token(); }

private:
    std::stop_source wished_;
};

/// The body of a watch, which ends as if the server had ended it once that is wished. An event is a line.
///
/// What the server sent and nobody read is lost with it, and comes again: a watch is resumed from the last event that
/// was read.
///
/// Thread-safety: shared objects unsafe.
class moving_watch final : public http::body_stream {
public:
    moving_watch(std::unique_ptr<http::body_stream> body, std::shared_ptr<watch_move> move)
        : body_(std::move(body)), move_(std::move(move)) {}

    awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) override {
        if (!between_) {
            const auto count = co_await read_some_guarded(*body_, into, idle, stop);
            look(count, into);
            co_return count;
        }
        if (move_->wished()) co_return std::size_t{0};
        std::stop_source either;
        const auto end = [&either] { either.request_stop(); };
        const std::stop_callback by_reader(stop, end), by_move(move_->token(), end);
        const auto count = co_await read_some_guarded(*body_, into, idle, either.get_token());
        look(count, into);
        const bool moved = !count && count.error() == errc::stopped && !stop.stop_requested() && move_->wished();
        if (moved) co_return std::size_t{0};
        co_return count;
    }

private:
    void look(const result<std::size_t>& count, std::span<const char> bytes) noexcept {
        if (count && *count != 0) between_ = bytes[*count - 1] == '\n';
    }

    std::unique_ptr<http::body_stream> body_;
    std::shared_ptr<watch_move> move_;
    bool between_ = true;  // two events
};

}  // namespace kcontrol::detail
