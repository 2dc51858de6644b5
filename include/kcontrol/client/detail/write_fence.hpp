// Writes that ask before they go out: each try of one, and each message of a WebSocket.
#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/client/write_guard.hpp>
#include <kcontrol/http/exchange_options.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/http/websocket.hpp>
#include <kcontrol/runtime/make_ready.hpp>

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// How long a write may take. Errors: the guard's, callback_failed.
inline result<duration> ask_guard(const write_guard& guard) {
    try {
        return guard();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        return error_of_thrown("the write guard");
    }
}

/// A WebSocket each of whose messages is asked about: what a command is told after its leader has lost is a write, too.
class fenced_websocket final : public http::websocket {
public:
    fenced_websocket(std::unique_ptr<http::websocket> below, write_guard guard)
        : below_(std::move(below)), guard_(std::move(guard)) {}

    awaitable<result<http::websocket_piece>> read_some(std::span<char> into, duration idle,
                                                       std::stop_token stop) override {
        return below_->read_some(into, idle, std::move(stop));
    }

    awaitable<result<void>> write(std::string_view head, std::string_view content, duration time,
                                  std::stop_token stop) override {
        const result<duration> left = ask_guard(guard_);
        if (!left) return make_ready<result<void>>(left.error());
        // Nothing of it means forever.
        const duration most = time == duration::zero() ? *left : std::min(time, *left);
        return below_->write(head, content, most, std::move(stop));
    }

    awaitable<void> close(duration time) override { return below_->close(time); }

private:
    std::unique_ptr<http::websocket> below_;
    write_guard guard_;
};

/// The same WebSocket, where nobody guards it.
inline std::unique_ptr<http::websocket> fence_websocket(std::unique_ptr<http::websocket> below,
                                                        const std::vector<write_guard>& guards) {
    for (auto one = guards.rbegin(); one != guards.rend(); ++one) {
        below = std::make_unique<fenced_websocket>(std::move(below), *one);
    }
    return below;
}

/// Lists, watches and logs write nothing. What asks for another protocol may do anything.
inline bool may_write(const http::request& req) {
    return (req.method != "GET" && req.method != "HEAD") || req.headers.contains("Upgrade");
}

/// Asks all of them; what passes has no more time than they give. Errors: the guard's, callback_failed.
inline result<void> ask_guards(const std::vector<write_guard>& guards, http::exchange_options& options) {
    for (const auto& guard : guards) {
        const result<duration> left = ask_guard(guard);
        if (!left) return left.error();
        options.deadline(std::min(options.deadline(), *left));
    }
    return {};
}

}  // namespace kcontrol::detail
