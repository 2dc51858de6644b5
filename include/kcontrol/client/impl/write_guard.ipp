#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/client/write_guard.hpp>
#include <kcontrol/runtime/make_ready.hpp>

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

KCONTROL_DECL result<duration> ask_guard(const write_guard& guard) {
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

}  // namespace detail

KCONTROL_DECL std::unique_ptr<http::websocket> guard_websocket(std::unique_ptr<http::websocket> below,
                                                               write_guard guard) {
    return std::make_unique<detail::fenced_websocket>(std::move(below), std::move(guard));
}

}  // namespace kcontrol
