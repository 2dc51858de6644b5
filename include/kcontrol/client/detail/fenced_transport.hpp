// A transport that sends no write which its guard refuses.
#pragma once

#include <kcontrol/client/write_guard.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/http/websocket.hpp>
#include <kcontrol/runtime/decided.hpp>

#include <algorithm>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::detail {

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
        const result<duration> left = guard_();
        if (!left) return decided<result<void>>(left.error());
        // Nothing of it means forever.
        const duration most = time == duration::zero() ? *left : std::min(time, *left);
        return below_->write(head, content, most, std::move(stop));
    }

    awaitable<void> close(duration time) override { return below_->close(time); }

private:
    std::unique_ptr<http::websocket> below_;
    write_guard guard_;
};

/// Below the client's retries, so that each try is asked about.
class fenced_transport final : public http::transport {
public:
    fenced_transport(std::shared_ptr<http::transport> below, write_guard guard)
        : below_(std::move(below)), guard_(std::move(guard)) {}

    awaitable<result<http::response>> round_trip(http::request req, http::exchange_options options) override {
        const auto by = below_;
        const auto may = ask(req, options);
        if (!may) co_return may.error();
        auto answer = co_await by->round_trip(std::move(req), std::move(options));
        co_return answer;
    }

    awaitable<result<http::streamed_response>> open_stream(http::request req, http::exchange_options options) override {
        const auto may = ask(req, options);
        if (!may) return decided<result<http::streamed_response>>(may.error());
        return below_->open_stream(std::move(req), std::move(options));
    }

    /// A command in a container, whatever its method: a write.
    awaitable<result<http::opened_websocket>> open_websocket(http::request req,
                                                             http::exchange_options options) override {
        const auto by = below_;
        const write_guard guard = guard_;
        const auto may = ask_write(options);
        if (!may) co_return may.error();
        auto opened = co_await by->open_websocket(std::move(req), std::move(options));
        if (opened && opened->socket) {
            opened->socket = std::make_unique<fenced_websocket>(std::move(opened->socket), guard);
        }
        co_return std::move(opened);
    }

    void close() override { below_->close(); }

private:
    // Lists, watches and logs write nothing. What asks for another protocol may do anything.
    result<void> ask(const http::request& req, http::exchange_options& options) const {
        const bool reads = (req.method == "GET" || req.method == "HEAD") && !req.headers.contains("Upgrade");
        if (reads) return {};
        return ask_write(options);
    }

    result<void> ask_write(http::exchange_options& options) const {
        const result<duration> left = guard_();
        if (!left) return left.error();
        options.deadline(std::min(options.deadline(), *left));
        return {};
    }

    std::shared_ptr<http::transport> below_;
    write_guard guard_;
};

}  // namespace kcontrol::detail
