// A transport around another one: a function that acts before and after each exchange.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace kcontrol::inline v0_1::http {

/// Opens an exchange over `below`, whatever its form: it may change the request and its options, call below->open(),
/// and look at what came of it; or return an error instead. What goes on after an exchange was opened, a stream or a
/// WebSocket, it follows by putting its own around that one.
/// It lives as long as the transport that it makes, and so until the opening has ended.
using open_function =
    std::function<awaitable<result<opened_exchange>>(std::shared_ptr<transport> below, request, exchange_options)>;

/// A transport that opens all its exchanges so. wrap_transports() (client/wrap_transports.hpp) makes them for a client.
///
/// Thread-safety and object lifetime: as transport.
class wrapped_transport final : public transport {
public:
    wrapped_transport(std::shared_ptr<transport> below, open_function around)
        : below_(std::move(below)), around_(std::move(around)) {}  ///< neither is empty

    awaitable<result<opened_exchange>> open(request req, exchange_options options) override {
        return around_(below_, std::move(req), std::move(options));
    }
    void close() override { below_->close(); }  ///< closes the one below

private:
    std::shared_ptr<transport> below_;
    open_function around_;
};

}  // namespace kcontrol::http
