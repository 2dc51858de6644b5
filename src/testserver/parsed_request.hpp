// A request, as those parts of the server see it that answer it.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/testing/request_info.hpp>

#include "testserver/rendering.hpp"
#include "testserver/role_rules.hpp"

#include <string>

namespace kcontrol::inline v0_1::testing::detail {

/// A request after its message was taken apart and its user was identified.
class parsed_request {
public:
    /// `m`: the message, `i`: what it is about, `u`: its user. All three outlive it.
    parsed_request(const http::server_request& m, const request_info& i, const requester& u)
        : message(m), info(i), user(u) {}

    const http::server_request& message;  ///< as it came, but for Protocol Buffers, which are JSON by now
    const request_info& info;             ///< the message's target, taken apart
    const requester& user;                ///< after impersonation
    shape form = shape::object;           ///< of the response, by the Accept header
    std::string replica;                  ///< whose cache answers, if a fault says so; else empty
};

}  // namespace kcontrol::testing::detail
