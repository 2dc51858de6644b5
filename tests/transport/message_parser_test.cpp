// HTTP/1.1 messages in pieces of every size: the network may cut them anywhere.
#include <kcontrol/transport/impl/message_parser.hpp>

#include <boost/asio/buffer.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

using namespace kcontrol;
using parser = http::detail::message_parser<false>;

namespace {

result<void> feed(parser& to, boost::beast::flat_buffer& input, std::string_view bytes) {
    const auto room = input.prepare(bytes.size());
    input.commit(boost::asio::buffer_copy(room, boost::asio::buffer(bytes.data(), bytes.size())));
    return to.parse(input);
}

}  // namespace

TEST_CASE("message_parser: in whatever pieces it comes, a message is the same") {
    const std::string head = "HTTP/1.1 200 OK\r\nA: b\r\n";
    const std::string messages[] = {
        head + "Content-Length: 2\r\n\r\nhi",
        head + "Transfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1;x=y\r\ni\r\n0\r\n\r\n",
        head + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nTrailer: t\r\n\r\n",
    };
    for (const auto& message : messages) {
        for (std::size_t step = 1; step <= message.size(); ++step) {
            CAPTURE(message);
            CAPTURE(step);
            parser one(1000);
            boost::beast::flat_buffer input;
            for (std::size_t at = 0; at < message.size(); at += step) {
                REQUIRE_FALSE(one.done());
                REQUIRE(feed(one, input, std::string_view(message).substr(at, step)));
            }
            CHECK(one.done());
            CHECK(one.status == 200);
            CHECK(one.headers.get("A") == "b");
            CHECK(one.body == "hi");
        }
    }
}

TEST_CASE("message_parser: a chunked body without a chunk may be cut within its end") {
    const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::string_view end = "0\r\n\r\n";
    for (std::size_t first = 0; first <= end.size(); ++first) {
        for (std::size_t second = first; second <= end.size(); ++second) {
            CAPTURE(first);
            CAPTURE(second);
            parser one(1000);
            boost::beast::flat_buffer input;
            REQUIRE(feed(one, input, head + std::string(end.substr(0, first))));
            if (second > first) REQUIRE(feed(one, input, end.substr(first, second - first)));
            if (second < end.size()) REQUIRE(feed(one, input, end.substr(second)));
            CHECK(one.done());
            CHECK(one.body.empty());
        }
    }
}

TEST_CASE("message_parser: bytes of a body that look like the last chunk are handed on at once") {
    parser one(1000);
    boost::beast::flat_buffer input;
    REQUIRE(feed(one, input, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n"));
    REQUIRE(feed(one, input, "0\r\nx"));
    CHECK(one.body == "0\r\nx");
}

TEST_CASE("message_parser: a first line that ends too early is refused at once, however it is cut") {
    for (const std::string message : {"H\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 2\r\n\r\n", "HTTP/1.1 200\r\n\r\n"}) {
        for (std::size_t step = 1; step <= message.size(); ++step) {
            CAPTURE(message);
            CAPTURE(step);
            parser one(1000);
            boost::beast::flat_buffer input;
            result<void> last;
            for (std::size_t at = 0; at < message.size() && last; at += step) {
                last = feed(one, input, std::string_view(message).substr(at, step));
            }
            REQUIRE_FALSE(last);
            CHECK(last.error() == errc::protocol_error);
        }
    }
}
