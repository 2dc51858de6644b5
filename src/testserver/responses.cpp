#include "testserver/responses.hpp"

namespace kcontrol::inline v0_1::testing::detail {

http::response status_response(const failure& f) {
    http::response response(f.code, json_media_type, json::serialize(f.status()));
    const json::value* retry = f.details ? f.details->if_contains("retryAfterSeconds") : nullptr;
    if (retry != nullptr && retry->is_int64()) {
        response.headers.set("Retry-After", std::to_string(retry->get_int64()));
    }
    return response;
}

http::response page_not_found() { return {404, "text/plain; charset=utf-8", "404 page not found\n"}; }

json::value success_status(int code) {
    json::object out;
    out["kind"] = "Status";
    out["apiVersion"] = "v1";
    out["metadata"] = json::object();
    out["status"] = "Success";
    out["code"] = code;
    return json::value(std::move(out));
}

http::response json_answer(int code, const json::value& document) {
    return {code, "application/json", json::serialize(document)};
}

void show_warnings(http::response& answer, const std::vector<std::string>& warnings) {
    for (const auto& warning : warnings) {
        answer.headers.add("Warning", "299 - " + json::serialize(json::value(warning)));
    }
}

}  // namespace kcontrol::testing::detail
