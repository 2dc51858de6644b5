// Answers with the headers that every answer of an example has.
#pragma once

#include <kcontrol/http/message.hpp>

#include <string>
#include <string_view>

namespace examples {

/// No other site may read, frame or guess at an answer; there are no CORS headers for the same reason.
void protect(kcontrol::http::fields& headers, std::string_view policy = "default-src 'none'; frame-ancestors 'none'");

kcontrol::http::response text_response(int status, std::string text);
kcontrol::http::response json_response(int status, std::string text);

/// `{"error":message}`
kcontrol::http::response error_response(int status, std::string_view message);

}  // namespace examples
