// Small parts that the client's verbs share.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/model/resource.hpp>
#include <kcontrol/runtime/make_ready.hpp>

#include <string>

namespace kcontrol::inline v0_1::detail {

template <class Options>
http::exchange_options exchange_options_of(const Options& options) {
    http::exchange_options out;
    out.deadline(options.deadline()).max_body(options.max_body()).stop(options.stop());
    return out;
}

/// Of 406 and 415, which say that the request was not looked at further.
inline bool refuses_encoding(const error& why) {
    return why.status() != nullptr && (why.status()->code == 406 || why.status()->code == 415);
}

}  // namespace kcontrol::detail
