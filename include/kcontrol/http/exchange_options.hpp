// What bounds one exchange of request and answer.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <functional>
#include <stop_token>
#include <utility>

namespace kcontrol::inline v0_1::http {

/// What bounds one exchange.
class exchange_options {
public:
    static constexpr duration default_deadline = std::chrono::seconds(30);   ///< of deadline()
    static constexpr std::size_t default_max_body = std::size_t{256} << 20;  ///< 256 MiB, of max_body()

    /// From the call until the whole answer (or, of a stream, its head) is there.
    exchange_options& deadline(duration d) { return deadline_ = d, *this; }
    /// The largest body accepted, in bytes; too_large beyond it. Streams have no limit of their own.
    exchange_options& max_body(std::size_t bytes) { return max_body_ = bytes, *this; }
    /// Ends the exchange with errc::stopped.
    exchange_options& stop(std::stop_token token) { return stop_ = std::move(token), *this; }

    /// Is told, on the transport's executor, how long the look-up of the host's name took, where it was looked up for
    /// this exchange. For metrics; it must not throw.
    exchange_options& on_lookup(std::function<void(duration)> f) { return on_lookup_ = std::move(f), *this; }

    duration deadline() const noexcept { return deadline_; }
    std::size_t max_body() const noexcept { return max_body_; }
    const std::stop_token& stop() const noexcept { return stop_; }
    const std::function<void(duration)>& on_lookup() const noexcept { return on_lookup_; }  ///< empty: nobody is told

private:
    duration deadline_ = default_deadline;
    std::size_t max_body_ = default_max_body;
    std::stop_token stop_;
    std::function<void(duration)> on_lookup_;
};

}  // namespace kcontrol::http
