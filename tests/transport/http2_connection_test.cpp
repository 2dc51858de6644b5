// The connection under HTTP/2's streams: how much room it keeps for what may come.
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/transport/impl/http2_connection.hpp>

#include "transport/http2_side.hpp"

#include <boost/asio/post.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

using namespace kcontrol;
using namespace kcontrol::http::detail;
using kcontrol::test::http2_call;
using kcontrol::test::http2_side;

namespace {

// The server's end, without a socket. It notes the room of each read.
class paper_stream final : public byte_stream {
public:
    paper_stream(boost::asio::io_context& context, http2_side& far, std::size_t& room)
        : context_(context), socket_(context), far_(far), room_(room) {}

    tcp::socket& socket() noexcept override { return socket_; }
    void async_handshake(done_handler) override {}
    void async_shutdown(done_handler) override {}
    void async_read(boost::asio::mutable_buffer into, io_handler handler) override {
        into_ = into, room_ = into.size();
        reader_.swap(handler);  // Boost 1.81: an assignment wraps itself for ever
        deliver();
    }
    void async_write(write_buffers from, io_handler handler) override {
        std::size_t n = 0;
        for (const auto& one : from) {
            CHECK(far_.feed({static_cast<const char*>(one.data()), one.size()}));
            n += one.size();
        }
        call_later(std::move(handler), error_code(), n);
        deliver();
    }
    std::size_t write_now(boost::asio::const_buffer from, error_code& failure) override {
        if (broken) failure = boost::asio::error::broken_pipe;
        const std::size_t n = broken ? 0 : std::min(from.size(), at_once);
        if (n == 0) return 0;
        CHECK(far_.feed({static_cast<const char*>(from.data()), n}));
        deliver();
        return n;
    }
    void stop_reading() noexcept override {
        if (reader_) finish(boost::asio::error::operation_aborted, 0);
    }

    std::size_t at_once = 0;  // so much of a write is taken without waiting
    bool broken = false;

    // What the server has to say goes to whoever reads.
    void deliver() {
        pending_ += far_.take_output();
        if (!reader_ || pending_.empty()) return;
        const std::size_t n = std::min(pending_.size(), into_.size());
        std::memcpy(into_.data(), pending_.data(), n);
        pending_.erase(0, n);
        finish(error_code(), n);
    }

    // The server has gone.
    void close_far() {
        if (reader_) finish(boost::asio::error::eof, 0);
    }

private:
    void finish(error_code failure, std::size_t n) { call_later(std::move(reader_), failure, n); }
    void call_later(io_handler handler, error_code failure, std::size_t n) {
        const auto done = std::make_shared<io_handler>(std::move(handler));
        boost::asio::post(context_, [done, failure, n] { std::move (*done)(failure, n); });
    }

    boost::asio::io_context& context_;
    tcp::socket socket_;
    http2_side& far_;
    std::size_t& room_;
    std::string pending_;
    boost::asio::mutable_buffer into_;
    io_handler reader_;
};

}  // namespace

TEST_CASE("http2_connection: a quiet one waits with little, and one on which much comes reads more") {
    testing::manual_environment env;
    boost::asio::io_context context;
    http2_side far;
    std::int32_t watch = 0;
    far.on_call = [&](http2_side& to, const http2_call& call) {
        watch = call.id;
        to.start(call.id, "first");
    };
    std::size_t room = 0;
    auto stream = std::make_unique<paper_stream>(context, far, room);
    auto& wire = *stream;
    const auto connection = std::make_shared<http2_connection>(env, context.get_executor(), std::move(stream), "a", "a",
                                                               duration(0), duration(0));
    http2_stream asked(http::request("GET", "/watch"), true);
    REQUIRE(connection->open(asked));
    env.run_ready(context);
    CHECK(asked.body == "first");
    CHECK(room == 2048);
    const auto say = [&](std::size_t bytes) {
        far.more(watch, std::string(bytes, 'x'));
        wire.deliver();
        env.run_ready(context);
    };
    say(60'000);
    CHECK(room == 16384);
    CHECK(asked.body.size() == 60'005);
    for (int i = 0; i < 5; ++i) say(5000);  // of a size for which the room is right
    CHECK(room == 16384);
    say(100);
    say(100);
    CHECK(room == 2048);
    say(100);
    CHECK(room == 2048);
    CHECK(asked.body.size() == 60'005 + 25'000 + 300);
    connection->abandon(asked);
    env.run_ready(context);
}

TEST_CASE("http2_connection: what can't be written at once follows, in order") {
    testing::manual_environment env;
    for (const std::size_t at_once : {0U, 1U, 1000U, 1U << 20}) {
        CAPTURE(at_once);
        boost::asio::io_context context;
        http2_side far;
        std::size_t room = 0;
        auto stream = std::make_unique<paper_stream>(context, far, room);
        stream->at_once = at_once;
        const auto connection = std::make_shared<http2_connection>(env, context.get_executor(), std::move(stream), "a",
                                                                   "a", duration(0), duration(0));
        std::string body;
        for (int i = 0; body.size() < 60'000; ++i) body += std::to_string(i) + ' ';
        http::request req("POST", "/large");
        req.body = body;
        http2_stream asked(std::move(req), true), beside(http::request("GET", "/small"), true);
        REQUIRE(connection->open(asked));
        REQUIRE(connection->open(beside));
        env.run_ready(context);
        CHECK(asked.ended);
        CHECK(asked.body == "POST /large\n" + body);
        CHECK(beside.ended);
        CHECK(connection->is_idle());
        CHECK_FALSE(connection->over());
    }
}

TEST_CASE("http2_connection: a write that fails at once ends with what the reader finds") {
    testing::manual_environment env;
    boost::asio::io_context context;
    http2_side far;
    std::size_t room = 0;
    auto stream = std::make_unique<paper_stream>(context, far, room);
    auto& wire = *stream;
    wire.broken = true;
    const auto connection = std::make_shared<http2_connection>(env, context.get_executor(), std::move(stream), "a", "a",
                                                               duration(0), duration(0));
    http2_stream asked(http::request("GET", "/"), true);
    REQUIRE(connection->open(asked));
    env.run_ready(context);
    CHECK(connection->over());
    CHECK_FALSE(asked.failure);
    wire.close_far();
    env.run_ready(context);
    REQUIRE(asked.failure);
    CHECK(*asked.failure == errc::connection_lost);
}
