#include <kcontrol/client/detail/answer.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::detail;

namespace {

std::string status_json(int code, const std::string& reason, const std::string& message = "words") {
    return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" + message +
           R"(","reason":")" + reason + R"(","code":)" + std::to_string(code) + "}";
}

error of(int code, std::string body, std::string type = "application/json") {
    return answer_error(http::response(code, type, std::move(body)));
}

}  // namespace

TEST_CASE("each reason of a Status has its code") {
    struct row {
        int http;
        const char* reason;
        api_errc code;
    };
    const row table[] = {
        {400, "BadRequest", api_errc::bad_request},
        {401, "Unauthorized", api_errc::unauthorized},
        {403, "Forbidden", api_errc::forbidden},
        {404, "NotFound", api_errc::not_found},
        {405, "MethodNotAllowed", api_errc::method_not_allowed},
        {406, "NotAcceptable", api_errc::not_acceptable},
        {409, "Conflict", api_errc::conflict},
        {409, "AlreadyExists", api_errc::already_exists},
        {410, "Expired", api_errc::expired},
        {410, "Gone", api_errc::gone},
        {413, "RequestEntityTooLarge", api_errc::request_entity_too_large},
        {415, "UnsupportedMediaType", api_errc::unsupported_media_type},
        {422, "Invalid", api_errc::invalid},
        {429, "TooManyRequests", api_errc::too_many_requests},
        {500, "InternalError", api_errc::internal_error},
        {500, "ServerTimeout", api_errc::server_timeout},
        {503, "ServiceUnavailable", api_errc::service_unavailable},
        {504, "Timeout", api_errc::timeout},
        // The reason decides, and without a known one the code does.
        {409, "SomethingNew", api_errc::conflict},
        {418, "SomethingNew", api_errc::unknown},
        {502, "SomethingNew", api_errc::internal_error},
        {404, "", api_errc::not_found},
    };
    for (const auto& r : table) {
        CAPTURE(r.http);
        CAPTURE(r.reason);
        const error e = of(r.http, status_json(r.http, r.reason));
        CHECK(e == r.code);
        REQUIRE(e.status());
        CHECK(e.status()->code == r.http);
        CHECK(e.status()->reason == r.reason);
        CHECK(e.status()->message == "words");
    }
}

TEST_CASE("a Status' details") {
    const error e = of(422, R"({"kind":"Status","code":422,"reason":"Invalid","message":"m","details":{
        "retryAfterSeconds":7,"causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.x"},
        "odd", {"reason":1}]}})");
    REQUIRE(e.status());
    CHECK(e.status()->retry_after == std::chrono::seconds(7));
    REQUIRE(e.status()->causes.size() == 2);
    CHECK(e.status()->causes[0].reason == "FieldValueRequired");
    CHECK(e.status()->causes[0].field == "spec.x");
    CHECK(e.status()->causes[1].reason.empty());
}

TEST_CASE("the header Retry-After wins over the body's") {
    http::response answer(
        429, "application/json",
        R"({"kind":"Status","code":429,"reason":"TooManyRequests","details":{"retryAfterSeconds":7}})");
    answer.headers.set("Retry-After", "3");
    CHECK(answer_error(answer).status()->retry_after == std::chrono::seconds(3));
}

TEST_CASE("Retry-After is read strictly and capped") {
    struct row {
        const char* text;
        int seconds;  // -1: not understood
    };
    for (const auto& r : {row{"0", 0}, row{"1", 1}, row{"120", 120}, row{"121", 120}, row{"999999999", 120},
                          row{"9999999999", -1}, row{"", -1}, row{"-1", -1}, row{"1.5", -1}, row{" 1", -1},
                          row{"1s", -1}, row{"Wed, 21 Oct 2015 07:28:00 GMT", -1}}) {
        CAPTURE(r.text);
        http::fields headers;
        headers.set("Retry-After", r.text);
        const auto seconds = retry_after_of(headers);
        CHECK((seconds ? seconds->count() : -1) == r.seconds);
    }
    CHECK(!retry_after_of(http::fields()));
}

TEST_CASE("answers that are no Status") {
    const error plain = of(404, "404 page not found\n", "text/plain; charset=utf-8");
    CHECK(plain == api_errc::not_found);
    CHECK(plain.status()->message == "the server answered 404: page not found");
    CHECK(of(404, "4040 pages", "text/plain").status()->message == "the server answered 404: 4040 pages");
    CHECK(of(503, "", "").status()->message == "the server answered 503 without a body");
    CHECK(of(500, "{\"kind\":\"Sta", "application/json") == api_errc::internal_error);
    CHECK(of(500, "[]") == api_errc::internal_error);
    CHECK(of(403, status_json(403, "Forbidden", "")).status()->message ==
          "the server answered 403 and did not say why");
    // A code beyond HTTP's is not believed.
    CHECK(of(403, status_json(0, "")).status()->code == 403);
}

TEST_CASE("web pages and redirects are not API servers") {
    for (const auto& e : {of(200, "x", "text/html"), of(502, "<html>Bad gateway</html>", "text/html; charset=utf-8"),
                          of(401, "  <!DOCTYPE html><title>Log in</title>", ""), of(403, "<x>", "application/json")}) {
        CHECK(e == errc::not_an_api_server);
        CHECK(e.message().find("`server` in the kubeconfig") != std::string::npos);
    }
    // A proxy's page for 410 is a refused version nevertheless: the same version again would never be accepted.
    const error gone = of(410, "<html>410 Gone</html>", "text/html");
    CHECK(gone.code() == condition::expired);
    CHECK(gone.message().find("`server` in the kubeconfig") != std::string::npos);
    http::response redirect(302);
    redirect.headers.set("Location", "https://login.example.com/oauth?state=CANARY#CANARY");
    const error e = answer_error(redirect);
    CHECK(e == errc::not_an_api_server);
    CHECK(e.message().find("points to https://login.example.com/oauth;") != std::string::npos);
    CHECK(e.message().find("CANARY") == std::string::npos);
}

TEST_CASE("server text is cut and escaped") {
    CHECK(server_text("a\x1b[31m\r\nb\n") == "a\\x1b[31m\\x0d\\x0ab");
    CHECK(server_text(std::string(5000, 'x')).size() == 2048);
    CHECK(server_text("aé", 2) == "a");  // not half of a letter
    const error e = of(400, status_json(400, "Bad\\u0007", std::string(100000, 'm')));
    CHECK(e.status()->message.size() == 2048);
    CHECK(e.status()->reason == "Bad\\x07");
    CHECK(of(500, std::string(100000, 'y'), "text/plain").status()->message.size() < 2200);
}

TEST_CASE("a 2xx answer's JSON") {
    json::document document;
    const auto read = [&](std::string body, std::string type) {
        return answer_json(http::response(200, type, std::move(body)), document);
    };
    CHECK(read(R"({"a":1})", "application/json").has_value());
    CHECK(read(R"({"a":1})", "application/json;charset=utf-8").has_value());
    CHECK(read(R"({"a":1})", "").has_value());
    CHECK(read("<html>", "text/html").error() == errc::not_an_api_server);
    CHECK(read("hello", "text/plain").error() == errc::not_an_api_server);
    CHECK(read("", "application/json").error() == errc::not_an_api_server);
    CHECK(read(R"({"a":)", "application/json").error() == errc::decode_failed);
    CHECK(read("[1]", "application/json").error() == errc::decode_failed);
    CHECK(read(status_json(404, "NotFound"), "application/json").error() == api_errc::not_found);
    CHECK(read(R"({"kind":"Status","status":"Success"})", "application/json").has_value());
}

TEST_CASE("an answer that somebody compressed, or that is no text at all, says so") {
    using namespace std::string_literals;
    const std::string gzip = "\x1f\x8b\x08\x00\x00\x00"s, json = R"({"a":1})";
    const auto refused = [](int status, std::string body, std::string coding) {
        http::response answer(status, "application/json", std::move(body));
        if (!coding.empty()) answer.headers.set("Content-Encoding", std::move(coding));
        return refuse_answer(answer);
    };
    struct row {
        std::string body, coding;
        bool by_bytes;
        const char* says;
    };
    for (const auto& r :
         {row{gzip, "gzip", true, "with Content-Encoding gzip, which nobody asked for"},
          row{gzip, "", true, "with gzip-compressed bytes, which nobody asked for"},
          row{json, "x\x1b", false, "with Content-Encoding x\\x1b"},
          row{"\x28\xb5\x2f\xfd", "", true, "zstd-compressed"}, row{"k8s\0\n"s, "", true, "Kubernetes protobuf"},
          row{" \n<html>", "", true, "with a web page"}}) {
        CAPTURE(r.says);
        const auto e = refused(200, r.body, r.coding);
        REQUIRE(e.has_value());
        CHECK(*e == errc::not_an_api_server);
        CHECK(e->message().find(r.says) != std::string::npos);
        CHECK(e->message().find("UTF-8") == std::string::npos);
        CHECK(e->message().find("`server` in the kubeconfig") != std::string::npos);
        CHECK(r.by_bytes == refuse_first_bytes(200, r.body).has_value());
    }
    CHECK_FALSE(refused(200, json, "").has_value());
    CHECK_FALSE(refused(200, json, "identity").has_value());
    CHECK_FALSE(refuse_first_bytes(200, json).has_value());
    CHECK_FALSE(refuse_first_bytes(200, "").has_value());

    // Beyond 2xx the status counts, and the bytes are not put into the message.
    const error failed = of(503, gzip);
    CHECK(failed == api_errc::service_unavailable);
    CHECK(failed.status()->message == "the server answered 503 with gzip-compressed bytes");
    http::response encoded(502, "text/plain", "\x01\x02");
    encoded.headers.set("Content-Encoding", "br");
    CHECK(answer_error(encoded).status()->message == "the server answered 502 with encoded bytes");
}
