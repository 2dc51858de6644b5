// How one exchange of request and answer goes, and what bounds it.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <utility>

namespace kcontrol::inline v0_1::http {

/// How the response to a request is read.
enum class exchange_form : std::uint8_t {
    whole,      ///< head and body, before the exchange counts as opened
    streamed,   ///< the head; the body is read as it arrives
    websocket,  ///< messages both ways, if the server switches protocols; else as `whole`
};

/// What is asked of one exchange, and what bounds it.
class exchange_options {
public:
    static constexpr duration default_deadline = std::chrono::seconds(30);   ///< of deadline()
    static constexpr std::size_t default_max_body = std::size_t{256} << 20;  ///< 256 MiB, of max_body()

    /// How the response is read. The verbs of http::transport and of the client set it; default: whole.
    exchange_options& form(exchange_form f) { return form_ = f, *this; }
    /// From the call until the whole answer (or, of a stream, its head) is there.
    exchange_options& deadline(duration d) { return deadline_ = d, *this; }
    /// The largest body accepted, in bytes; too_large beyond it. Streams have no limit of their own.
    exchange_options& max_body(std::size_t bytes) { return max_body_ = bytes, *this; }
    /// Ends the exchange with errc::stopped.
    exchange_options& stop(std::stop_token token) { return stop_ = std::move(token), *this; }

    /// Is told, on the transport's executor, how long the look-up of the host's name took, where it was looked up for
    /// this exchange. For metrics; it must not throw.
    exchange_options& on_lookup(std::function<void(duration)> f) { return on_lookup_ = std::move(f), *this; }

    exchange_form form() const noexcept { return form_; }
    duration deadline() const noexcept { return deadline_; }
    std::size_t max_body() const noexcept { return max_body_; }
    const std::stop_token& stop() const noexcept { return stop_; }
    const std::function<void(duration)>& on_lookup() const noexcept { return on_lookup_; }  ///< empty: nobody is told

private:
    duration deadline_ = default_deadline;
    std::size_t max_body_ = default_max_body;
    std::stop_token stop_;
    std::function<void(duration)> on_lookup_;
    exchange_form form_ = exchange_form::whole;
};

}  // namespace kcontrol::http
