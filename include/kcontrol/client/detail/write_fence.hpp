// Writes that ask before they go out: each try of one, and each message of a WebSocket.
#pragma once

#include <kcontrol/client/write_guard.hpp>
#include <kcontrol/http/exchange_options.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/http/websocket.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// The same WebSocket, where nobody guards it.
inline std::unique_ptr<http::websocket> fence_websocket(std::unique_ptr<http::websocket> below,
                                                        const std::vector<write_guard>& guards) {
    for (auto one = guards.rbegin(); one != guards.rend(); ++one) {
        below = guard_websocket(std::move(below), *one);
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
