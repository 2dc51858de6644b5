// A transport to the server that a cluster is at present: when the cluster has moved, an answer of that server is none.
#pragma once

#include <kcontrol/client/wrap_transports.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/http/websocket.hpp>

#include <memory>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// What is under way as the cluster moves to another server ends with an error, whatever the former server says: a
/// reconcile that was told of a success there would never see that the present server knows nothing of it. Streams are
/// their readers' matter: informers begin anew.
class present_transport final : public http::transport {
public:
    present_transport(std::shared_ptr<http::transport> below, std::shared_ptr<const bool> moved)
        : below_(std::move(below)), moved_(std::move(moved)) {}

    awaitable<result<http::response>> round_trip(http::request req, http::exchange_options options) override {
        return send(below_, moved_, std::move(req), std::move(options));
    }
    awaitable<result<http::streamed_response>> open_stream(http::request req, http::exchange_options options) override {
        return below_->open_stream(std::move(req), std::move(options));
    }
    awaitable<result<http::opened_websocket>> open_websocket(http::request req,
                                                             http::exchange_options options) override {
        return below_->open_websocket(std::move(req), std::move(options));
    }
    void close() override { below_->close(); }

private:
    static awaitable<result<http::response>> send(std::shared_ptr<http::transport> below,
                                                  std::shared_ptr<const bool> moved, http::request req,
                                                  http::exchange_options options) {
        const errc failure = req.method == "GET" ? errc::connection_lost : errc::unknown_outcome;
        auto answer = co_await below->round_trip(std::move(req), std::move(options));
        if (*moved) co_return error(failure, "the cluster has moved to another server meanwhile");
        co_return answer;
    }

    std::shared_ptr<http::transport> below_;
    std::shared_ptr<const bool> moved_;
};

/// What makes such transports of those that another factory makes.
inline http::transport_factory present_transports(http::transport_factory below, std::shared_ptr<const bool> moved) {
    return wrap_transports(std::move(below), [moved = std::move(moved)](std::shared_ptr<http::transport> one) {
        return std::make_shared<present_transport>(std::move(one), moved);
    });
}

}  // namespace kcontrol::detail
