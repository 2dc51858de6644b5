// A transport that sends no write which its guard refuses.
#pragma once

#include <kcontrol/client/write_guard.hpp>
#include <kcontrol/http/transport.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace kcontrol::detail {

/// Below the client's retries, so that each try is asked about.
class fenced_transport final : public http::transport {
public:
    fenced_transport(std::shared_ptr<http::transport> below, write_guard guard)
        : below_(std::move(below)), guard_(std::move(guard)) {}

    awaitable<result<http::response>> round_trip(http::request req, http::exchange_options options) override {
        const auto by = below_;
        if (req.method != "GET" && req.method != "HEAD") {
            const result<duration> left = guard_();
            if (!left) co_return left.error();
            options.deadline(std::min(options.deadline(), *left));
        }
        auto answer = co_await by->round_trip(std::move(req), std::move(options));
        co_return answer;
    }

    /// Watches and lists only, which write nothing.
    awaitable<result<http::streamed_response>> open_stream(http::request req, http::exchange_options options) override {
        return below_->open_stream(std::move(req), std::move(options));
    }

    /// A command in a container, whatever its method: a write.
    awaitable<result<http::opened_websocket>> open_websocket(http::request req,
                                                             http::exchange_options options) override {
        const auto by = below_;
        const result<duration> left = guard_();
        if (!left) co_return left.error();
        options.deadline(std::min(options.deadline(), *left));
        auto opened = co_await by->open_websocket(std::move(req), std::move(options));
        co_return std::move(opened);
    }

    void close() override { below_->close(); }

private:
    std::shared_ptr<http::transport> below_;
    write_guard guard_;
};

}  // namespace kcontrol::detail
