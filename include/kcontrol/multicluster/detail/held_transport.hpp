// A transport to a cluster that is this replica's for a while: it sends nothing before or after.
#pragma once

#include <kcontrol/client/wrap_transports.hpp>
#include <kcontrol/client/write_guard.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/http/websocket.hpp>
#include <kcontrol/runtime/make_ready.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// Below the client's retries, so that each try is asked about. Reads are, too: of a cluster that is another's this
/// replica has nothing to know. A watch that was begun goes on until its cluster disengages.
class held_transport final : public http::transport {
public:
    held_transport(std::shared_ptr<http::transport> below, write_guard held)
        : below_(std::move(below)), held_(std::move(held)) {}

    awaitable<result<http::response>> round_trip(http::request req, http::exchange_options options) override {
        const result<duration> left = held_();
        if (!left) return make_ready<result<http::response>>(left.error());
        options.deadline(std::min(options.deadline(), *left));
        return below_->round_trip(std::move(req), std::move(options));
    }

    awaitable<result<http::streamed_response>> open_stream(http::request req, http::exchange_options options) override {
        const result<duration> left = held_();
        if (!left) return make_ready<result<http::streamed_response>>(left.error());
        return below_->open_stream(std::move(req), std::move(options));
    }

    awaitable<result<http::opened_websocket>> open_websocket(http::request req,
                                                             http::exchange_options options) override {
        const result<duration> left = held_();
        if (!left) return make_ready<result<http::opened_websocket>>(left.error());
        return below_->open_websocket(std::move(req), std::move(options));
    }

    void close() override { below_->close(); }

private:
    std::shared_ptr<http::transport> below_;
    write_guard held_;
};

/// What makes such transports of those that another factory makes.
inline http::transport_factory held_transports(http::transport_factory below, write_guard held) {
    return wrap_transports(std::move(below), [held = std::move(held)](std::shared_ptr<http::transport> one) {
        return std::make_shared<held_transport>(std::move(one), held);
    });
}

}  // namespace kcontrol::detail
