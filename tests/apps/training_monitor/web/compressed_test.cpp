#include "web/compressed.hpp"

#include <kcontrol/http/gunzip.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/fake_responder.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>

using namespace training_monitor;
namespace http = kcontrol::http;

namespace {

const std::string large(5000, 'x');

class asking {
public:
    kcontrol::test::fake_responder out{env_};

    // What comes for an answer, whole.
    void ask(http::response answer, std::string accept = "gzip, deflate, br") {
        run(
            [answer](http::server_request, http::responder& to) -> kcontrol::awaitable<void> {
                auto copy = answer;
                const auto sent = co_await to.send(std::move(copy));
                CHECK(sent);
            },
            std::move(accept));
    }

    void run(const http::handler& inner, std::string accept = "gzip") {
        http::server_request request(http::request("GET", "/"));
        if (!accept.empty()) request.headers.set("Accept-Encoding", std::move(accept));
        const auto handler = compressed(inner);
        kcontrol::testing::run(context_, handler(std::move(request), out));
    }

    std::string_view header(std::string_view name) const { return out.head.headers.get(name); }
    bool is_gzip() const { return header("Content-Encoding") == "gzip"; }
    std::string text() const {
        const auto read = http::gunzip_all(out.body, std::size_t{1} << 20);
        return read ? *read : "damaged";
    }

private:
    kcontrol::testing::manual_environment env_;
    boost::asio::io_context context_;
};

// Pieces of an answer of that type, the last of them small.
http::handler in_pieces(std::string type, bool breaks_off = false) {
    return [type, breaks_off](http::server_request, http::responder& to) -> kcontrol::awaitable<void> {
        http::response_head head(200);
        head.headers.set("Content-Type", type);
        const bool room = to.holds(100);
        const auto started = co_await to.start(std::move(head));
        CHECK(room);
        CHECK(started);
        for (const auto& piece : {large, std::string(), std::string("{}\n")}) {
            std::string copy = piece;
            const auto written = co_await to.write(std::move(copy));
            CHECK(written);
        }
        if (breaks_off) to.abort();
    };
}

}  // namespace

TEST_CASE_FIXTURE(asking, "compressed: what is large, for those who accept it") {
    ask(http::json_response(200, large));
    CHECK(is_gzip());
    CHECK(header("Vary") == "Accept-Encoding");
    CHECK(text() == large);
    for (const char* no : {"", "br", "gzip;q=0"}) {
        CAPTURE(no);
        ask(http::json_response(200, large), no);
        CHECK_FALSE(out.head.headers.contains("Content-Encoding"));
        CHECK(header("Vary") == "Accept-Encoding");  // a cache must know
        CHECK(out.body == large);
    }
}

TEST_CASE_FIXTURE(asking, "compressed: not what is small, refused, no text, or to be kept as it is") {
    const auto is_left_alone = [&](const http::response& answer) {
        ask(answer);
        return !out.head.headers.contains("Content-Encoding") && out.body == answer.body;
    };
    CHECK(is_left_alone(http::json_response(200, std::string(1023, 'x'))));
    CHECK_FALSE(is_left_alone(http::json_response(200, std::string(1024, 'x'))));
    CHECK(is_left_alone(http::json_response(503, large)));
    CHECK(is_left_alone(http::response(200, "image/png", large)));
    auto log = http::json_response(200, large);
    keep_as_it_is(log);
    CHECK(is_left_alone(log));
    CHECK(header("Cache-Control") == "no-store, no-transform");
    CHECK_FALSE(out.head.headers.contains("Vary"));
    auto coded = http::json_response(200, large);
    coded.headers.set("Content-Encoding", "br");
    ask(coded);
    CHECK(header("Content-Encoding") == "br");
}

TEST_CASE_FIXTURE(asking, "compressed: an ETag is weak then, and Vary keeps what it said") {
    auto answer = http::json_response(200, large);
    answer.headers.set("ETag", "\"1\"");
    answer.headers.set("Vary", "Origin");
    ask(answer);
    CHECK(header("ETag") == "W/\"1\"");
    CHECK(header("Vary") == "Origin, Accept-Encoding");
    ask(answer, "");
    CHECK(header("ETag") == "\"1\"");
    answer.headers.set("ETag", "W/\"2\"");
    ask(answer);
    CHECK(header("ETag") == "W/\"2\"");
}

TEST_CASE_FIXTURE(asking, "compressed: what comes in pieces") {
    run(in_pieces("application/json"));
    CHECK(is_gzip());
    CHECK(text() == large + "{}\n");
    CHECK(out.held > 100 + (std::size_t{256} << 10));  // zlib's memory is told, too
    run(in_pieces("application/json"), "");
    CHECK(out.head.headers.get("Content-Encoding").empty());
    CHECK(out.take().ends_with(large + "{}\n"));
}

TEST_CASE_FIXTURE(asking, "compressed: no event stream") {
    run(in_pieces("text/event-stream"));
    CHECK_FALSE(out.head.headers.contains("Content-Encoding"));
    CHECK_FALSE(out.head.headers.contains("Vary"));
    CHECK(out.body == large + "{}\n");
}

TEST_CASE_FIXTURE(asking, "compressed: where there is no room for it, the answer goes as it is") {
    out.room = 1000;
    run(in_pieces("application/json"));
    CHECK_FALSE(out.head.headers.contains("Content-Encoding"));
    CHECK(out.body == large + "{}\n");
}

TEST_CASE_FIXTURE(asking, "compressed: what broke off has no end") {
    run(in_pieces("application/json", true));
    CHECK(out.aborted);
    CHECK(text() == "damaged");
}
