// Transports to a cluster that is this replica's for a while: they send nothing before or after.
#pragma once

#include <kcontrol/client/wrap_transports.hpp>
#include <kcontrol/client/write_guard.hpp>
#include <kcontrol/http/transport.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// Below the client's retries, so that each try is asked about. Reads are, too: of a cluster that is another's this
/// replica has nothing to know. A watch that was begun goes on until its cluster disengages; what is written to a
/// WebSocket is asked about message by message.
inline awaitable<result<http::opened_exchange>> open_held(std::shared_ptr<http::transport> below, write_guard held,
                                                          http::request req, http::exchange_options options) {
    const result<duration> left = held();
    if (!left) co_return left.error();
    options.deadline(std::min(options.deadline(), *left));
    auto opened = co_await below->open(std::move(req), std::move(options));
    if (opened && opened->socket) opened->socket = guard_websocket(std::move(opened->socket), std::move(held));
    co_return opened;
}

inline http::transport_factory held_transports(http::transport_factory below, write_guard held) {
    return wrap_transports(std::move(below),
                           [held = std::move(held)](std::shared_ptr<http::transport> to, http::request req,
                                                    http::exchange_options options) {
                               return open_held(std::move(to), held, std::move(req), std::move(options));
                           });
}

}  // namespace kcontrol::detail
