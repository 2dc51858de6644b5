// Small parts that the client's verbs share.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/executor.hpp>

namespace kcontrol::detail {

template <class Options>
http::exchange_options exchange_options_of(const Options& options) {
    http::exchange_options out;
    out.deadline(options.deadline()).max_body(options.max_body()).stop(options.stop());
    return out;
}

// A call that ends before it begins.
template <class T>
awaitable<result<T>> refused(error reason) {
    co_return reason;
}

}  // namespace kcontrol::detail
