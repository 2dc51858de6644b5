#include "haproxy/runtime_api.hpp"

#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using namespace follow::haproxy;
using boost::asio::local::stream_protocol;

namespace {

// A socket that answers one line on each connection, as HAProxy does, or never.
struct fixture {
    boost::asio::io_context context;
    kcontrol::testing::manual_environment env;
    kcontrol::testing::temporary_directory folder;
    std::string path = folder.path("sock");
    stream_protocol::acceptor acceptor{context, stream_protocol::endpoint(path)};
    std::string answer = "fine\n\n";
    bool is_mute = false;
    std::vector<std::string> asked;

    fixture() { kcontrol::testing::start(context, serve()); }

    kcontrol::awaitable<void> serve() {
        for (;;) {
            stream_protocol::socket peer(context);
            kcontrol::error_code failed;
            co_await acceptor.async_accept(peer, boost::asio::redirect_error(boost::asio::use_awaitable, failed));
            if (failed) co_return;
            std::string line;
            co_await boost::asio::async_read_until(peer, boost::asio::dynamic_buffer(line), '\n',
                                                   boost::asio::redirect_error(boost::asio::use_awaitable, failed));
            asked.push_back(line);
            if (is_mute) {  // until the other end closes
                co_await boost::asio::async_read_until(peer, boost::asio::dynamic_buffer(line), "never",
                                                       boost::asio::redirect_error(boost::asio::use_awaitable, failed));
                continue;
            }
            co_await boost::asio::async_write(peer, boost::asio::buffer(answer),
                                              boost::asio::redirect_error(boost::asio::use_awaitable, failed));
        }
    }
    kcontrol::awaitable<void> keep(std::optional<kcontrol::result<std::string>>& out, std::stop_token stop) {
        const auto ask = ask_socket(env, context.get_executor(), path);
        const std::string command = "show info";
        out = co_await ask(command, stop);
    }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "ask_socket: one line out, the whole answer back") {
    const auto ask = ask_socket(env, context.get_executor(), path);
    CHECK(*kcontrol::testing::run(context, ask("show info", {})) == "fine");
    answer = std::string(100'000, 'x') + "\ny\n\n\n";
    CHECK(kcontrol::testing::run(context, ask("show stat", {}))->size() == 100'002);
    answer = "";
    CHECK(kcontrol::testing::run(context, ask("set server a/b state ready", {}))->empty());
    CHECK(asked == std::vector<std::string>{"show info\n", "show stat\n", "set server a/b state ready\n"});
}

TEST_CASE_FIXTURE(fixture, "ask_socket: nobody listens, and a path that no socket has") {
    acceptor.close();
    auto done = kcontrol::testing::run(context, ask_socket(env, context.get_executor(), path)("show info", {}));
    REQUIRE(!done);
    CHECK(done.error() == kcontrol::errc::connection_refused);
    CHECK(done.error().message() ==
          path +
              ": Connection refused; does HAProxy run, with `stats socket PATH level admin`, and may this user write "
              "to it?");
    const std::string longest(108, 'a');
    done = kcontrol::testing::run(context, ask_socket(env, context.get_executor(), longest)("show info", {}));
    REQUIRE(!done);
    CHECK(done.error().message() == longest + ": a socket's path has at most 107 bytes; use a shorter one");
}

TEST_CASE_FIXTURE(fixture, "ask_socket: one that does not answer") {
    is_mute = true;
    std::optional<kcontrol::result<std::string>> out;
    std::stop_source stop;
    kcontrol::testing::start(context, keep(out, stop.get_token()));
    while (asked.empty()) context.run_one();
    SUBCASE("for 5 s") {
        env.advance(std::chrono::milliseconds(4999), context);
        CHECK(!out);
        env.advance(std::chrono::milliseconds(1), context);
        REQUIRE(out);
        CHECK(out->error() == kcontrol::errc::timeout);
        CHECK(out->error().message() == path + ": HAProxy does not answer within 5s");
    }
    SUBCASE("until it is stopped") {
        stop.request_stop();
        context.restart();
        context.poll();
        REQUIRE(out);
        CHECK(out->error() == kcontrol::errc::stopped);
    }
}
