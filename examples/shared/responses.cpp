#include "shared/responses.hpp"

#include <kcontrol/json/writer.hpp>

namespace examples {

namespace http = kcontrol::http;

void protect(http::fields& headers, std::string_view policy) {
    headers.set("Content-Security-Policy", std::string(policy));
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("X-Frame-Options", "DENY");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
    headers.set("Cache-Control", "no-store");
}

http::response text_response(int status, std::string text) {
    http::response out(status, "text/plain; charset=utf-8", std::move(text));
    protect(out.headers);
    return out;
}

http::response json_response(int status, std::string text) {
    http::response out(status, "application/json", std::move(text));
    protect(out.headers);
    return out;
}

http::response error_response(int status, std::string_view message) {
    kcontrol::json::writer out;
    out.begin_object();
    out.member("error", message);
    out.end_object();
    return json_response(status, out.take() + "\n");
}

}  // namespace examples
