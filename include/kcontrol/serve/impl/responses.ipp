#pragma once

#include <kcontrol/json/writer.hpp>
#include <kcontrol/serve/responses.hpp>

namespace kcontrol::inline v0_1::http {

KCONTROL_DECL void protect(fields& headers, std::string_view policy) {
    headers.set("Content-Security-Policy", std::string(policy));
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("X-Frame-Options", "DENY");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
    headers.set("Cache-Control", "no-store");
}

KCONTROL_DECL response text_response(int status, std::string text) {
    response out(status, "text/plain; charset=utf-8", std::move(text));
    protect(out.headers);
    return out;
}

KCONTROL_DECL response json_response(int status, std::string text) {
    response out(status, "application/json", std::move(text));
    protect(out.headers);
    return out;
}

KCONTROL_DECL response error_response(int status, std::string_view message) {
    json::writer out;
    out.begin_object();
    out.member("error", message);
    out.end_object();
    return json_response(status, out.take() + "\n");
}

KCONTROL_DECL response try_again_response(int seconds, std::string_view message) {
    auto out = error_response(503, message);
    out.headers.set("Retry-After", std::to_string(seconds));
    return out;
}

KCONTROL_DECL response method_not_allowed(std::string_view allow) {
    // "GET, HEAD" reads "GET and HEAD".
    std::string methods(allow);
    const auto last = methods.rfind(", ");
    const bool several = last != std::string::npos;
    if (several) methods.replace(last, 2, " and ");
    auto out = error_response(405, "only " + methods + (several ? " are" : " is") + " served here");
    out.headers.set("Allow", std::string(allow));
    return out;
}

}  // namespace kcontrol::http
