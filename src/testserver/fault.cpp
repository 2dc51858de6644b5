#include <kcontrol/testing/fault.hpp>

namespace kcontrol::inline v0_1::testing {

fault& fault::status(int code, std::string_view reason, std::string message, int retry_after) {
    const failure said(code, reason, std::move(message));
    http::response response(code, "application/json", json::serialize(said.status()));
    if (retry_after >= 0) response.headers.set("Retry-After", std::to_string(retry_after));
    return answer(std::move(response));
}

fault& fault::html(int code, std::string page) {
    return answer(http::response(code, "text/html; charset=utf-8", std::move(page)));
}

fault& fault::redirect(int code, std::string location) {
    http::response response(code);
    response.headers.set("Location", std::move(location));
    return answer(std::move(response));
}

}  // namespace kcontrol::testing
