// Responses with the headers that keep other sites from reading, framing or guessing at them.
#pragma once

#include <kcontrol/http/message.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::http {

/// The Content-Security-Policy of what is no page: nothing may be loaded, and nobody may frame it.
inline constexpr std::string_view no_content_policy = "default-src 'none'; frame-ancestors 'none'";

/// No other site may read, frame or guess at the response, and nobody keeps it; there are no CORS headers for the same
/// reason. `policy` is the value of Content-Security-Policy.
KCONTROL_DECL void protect(fields& headers, std::string_view policy = no_content_policy);

/// Protected, as all of these.
KCONTROL_DECL response text_response(int status, std::string text);
KCONTROL_DECL response json_response(int status, std::string text);

/// `{"error":message}` and a line break.
KCONTROL_DECL response error_response(int status, std::string_view message);

/// 503 for what may be possible after so many seconds; they are the value of Retry-After.
KCONTROL_DECL response try_again_response(int seconds, std::string_view message);

/// 405 for a path that is served to other methods only. `allow` is the value of the Allow header, such as "GET, HEAD".
KCONTROL_DECL response method_not_allowed(std::string_view allow);

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/serve/impl/responses.ipp>
#endif
