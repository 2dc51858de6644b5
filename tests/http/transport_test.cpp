// The verbs of a transport, which all go through its open(); and transports around others.
#include <kcontrol/http/wrapped_transport.hpp>
#include <kcontrol/runtime/make_ready.hpp>
#include <kcontrol/testing/run.hpp>

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace kcontrol;
using http::exchange_form;

namespace {

// Answers with a whole body whatever the form: the least that a transport can do.
class whole_only final : public http::transport {
public:
    awaitable<result<http::opened_exchange>> open(http::request req, http::exchange_options options) override {
        asked.push_back(options.form());
        return make_ready<result<http::opened_exchange>>(http::response(status, "text/plain", req.target));
    }
    void close() override { closed = true; }

    int status = 200;
    bool closed = false;
    std::vector<exchange_form> asked;
};

template <class T>
T wait(awaitable<T> task) {
    boost::asio::io_context context;
    return testing::run(context, std::move(task));
}

std::string read_all(http::body_stream& body) {
    std::string text;
    for (char byte = 0;;) {
        const auto got = wait(body.read_some({&byte, 1}, {}, {}));
        if (!got) return text + " " + got.error().what();
        if (*got == 0) return text;
        text += byte;
    }
}

}  // namespace

TEST_CASE("each verb asks for its form, whatever its options say") {
    whole_only net;
    const auto options = http::exchange_options().form(exchange_form::websocket);
    CHECK(wait(net.round_trip(http::request("GET", "/a"), options))->body == "/a");
    CHECK(wait(net.open_stream(http::request("GET", "/a"), options))->head.status == 200);
    CHECK(wait(net.open_websocket(http::request("GET", "/a"), {}))->answer.body == "/a");
    CHECK(net.asked ==
          std::vector<exchange_form>{exchange_form::whole, exchange_form::streamed, exchange_form::websocket});
}

TEST_CASE("a whole body is a stream where one is expected; a WebSocket is not made up") {
    whole_only net;
    const auto opened = wait(net.open_stream(http::request("GET", "/text"), {}));
    REQUIRE(opened.has_value());
    REQUIRE(opened->body);
    CHECK(opened->head.headers.get("Content-Type") == "text/plain");
    CHECK_FALSE(wait(opened->body->read_some({}, {}, {})).has_value());
    CHECK(read_all(*opened->body) == "/text");
    net.status = 101;
    const auto socket = wait(net.open_websocket(http::request("GET", "/a"), {}));
    REQUIRE(!socket.has_value());
    CHECK(socket.error() == errc::unavailable);
}

TEST_CASE("a function around a transport acts before and after each verb") {
    const auto net = std::make_shared<whole_only>();
    std::string log;
    const auto around = [&log](std::shared_ptr<http::transport> below, http::request req,
                               http::exchange_options options) -> awaitable<result<http::opened_exchange>> {
        log += "[" + req.target;
        req.target += "?seen";
        auto opened = co_await below->open(std::move(req), std::move(options));
        log += "]";
        co_return opened;
    };
    http::wrapped_transport wrapped(net, around);
    CHECK(wait(wrapped.round_trip(http::request("GET", "/a"), {}))->body == "/a?seen");
    const auto opened = wait(wrapped.open_stream(http::request("GET", "/b"), {}));
    CHECK(read_all(*opened->body) == "/b?seen");
    CHECK(wait(wrapped.open_websocket(http::request("GET", "/c"), {}))->answer.body == "/c?seen");
    CHECK(log == "[/a][/b][/c]");
    wrapped.close();
    CHECK(net->closed);
}
