// Transports to the server that a cluster is at present: when the cluster has moved, an answer of that server is none.
#pragma once

#include <kcontrol/client/wrap_transports.hpp>
#include <kcontrol/http/transport.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <utility>

namespace kcontrol::inline v0_1::detail {

inline error moved_meanwhile(errc code) { return error(code, "the cluster has moved to another server meanwhile"); }

/// A body that ends with an error when the cluster moves: the rest of a list would pass for the present server's.
class present_body final : public http::body_stream {
public:
    present_body(std::unique_ptr<http::body_stream> below, std::shared_ptr<const bool> moved)
        : below_(std::move(below)), moved_(std::move(moved)) {}

    awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) override {
        auto count = co_await below_->read_some(into, idle, std::move(stop));
        if (count && *moved_) co_return moved_meanwhile(errc::connection_lost);
        co_return count;
    }

private:
    std::unique_ptr<http::body_stream> below_;
    std::shared_ptr<const bool> moved_;
};

/// What is under way as the cluster moves to another server ends with an error, whatever the former server says: a
/// reconcile that was told of a success there would never see that the present server knows nothing of it. A WebSocket
/// that is open stays so: what it does is done by a pod of the former server.
inline awaitable<result<http::opened_exchange>> open_at_present(std::shared_ptr<http::transport> below,
                                                                std::shared_ptr<const bool> moved, http::request req,
                                                                http::exchange_options options) {
    const bool repeatable = req.method == "GET" && options.form() != http::exchange_form::websocket;
    const errc failure = repeatable ? errc::connection_lost : errc::unknown_outcome;
    auto opened = co_await below->open(std::move(req), std::move(options));
    if (*moved) co_return moved_meanwhile(failure);
    if (opened && opened->stream) {
        opened->stream = std::make_unique<present_body>(std::move(opened->stream), std::move(moved));
    }
    co_return opened;
}

inline http::transport_factory present_transports(http::transport_factory below, std::shared_ptr<const bool> moved) {
    return wrap_transports(std::move(below),
                           [moved = std::move(moved)](std::shared_ptr<http::transport> to, http::request req,
                                                      http::exchange_options options) {
                               return open_at_present(std::move(to), moved, std::move(req), std::move(options));
                           });
}

}  // namespace kcontrol::detail
