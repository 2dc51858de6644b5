// A transport is often the program's own: what it throws is the error of the request that it was asked for.
#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/http/transport.hpp>

#include <memory>
#include <new>
#include <span>
#include <stop_token>
#include <utility>

namespace kcontrol::inline v0_1::detail {

// Errors, besides the transport's: callback_failed. Where memory is short, that is thrown on: who asked knows what to
// let go.

inline result<std::shared_ptr<http::transport>> make_guarded(const http::transport_factory& make, executor ex,
                                                             const http::endpoint& to, const http::tls_options& tls) {
    try {
        return make(std::move(ex), to, tls);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        return error_of_thrown("the transport factory");
    }
}

inline awaitable<result<std::size_t>> read_some_guarded(http::body_stream& from, std::span<char> into, duration idle,
                                                        std::stop_token stop) {
    try {
        const auto count = co_await from.read_some(into, idle, std::move(stop));
        co_return count;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        co_return error_of_thrown("the body of the transport's answer");
    }
}

}  // namespace kcontrol::detail
