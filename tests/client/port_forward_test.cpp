// Connections to ports of pods, over the kubelet's protocol.
#include <kcontrol/client/port_forward.hpp>

#include "client/fake_websocket.hpp"
#include "fixture.hpp"

#include <string>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::string_literals;

namespace {

class port_fixture : public client_fixture {
public:
    result<port_stream> open(std::uint16_t port = 8080) {
        auto made = client::connect(env, context.get_executor(), config, peers->factory(), log);
        REQUIRE(made.has_value());
        return await(open_port(*made, {"default", "web"}, port));
    }
    /// What comes, with "|" behind each read; then "end" or the error.
    std::string all_of(port_stream& from, std::size_t room = 100) {
        std::string out, buffer(room, '\0');
        for (;;) {
            const auto n = await(from.read_some(std::span<char>(buffer), {}));
            if (!n) return out + n.error().what();
            if (*n == 0) return out + "end";
            out += buffer.substr(0, *n) + "|";
        }
    }

    std::shared_ptr<fake_websockets> peers = std::make_shared<fake_websockets>(env);
};

// 8080 is 0x1f90; the lower byte comes first.
const std::string data_begin = "\0\x90\x1f"s, trouble_begin = "\x01\x90\x1f";

}  // namespace

TEST_CASE_FIXTURE(port_fixture, "bytes both ways; what comes first on each channel is the port") {
    for (const std::size_t room : {1U, 2U, 3U, 100U}) {
        const auto peer = peers->accept("v4.channel.k8s.io");
        peer->push(data_begin);
        peer->push(trouble_begin);
        peer->push("\0HTTP"s);
        peer->push("\x05nobody knows");
        peer->push("\0/1.1"s);
        peer->close();
        auto stream = open();
        REQUIRE(stream.has_value());
        CHECK(peers->sent().back().target == "/api/v1/namespaces/default/pods/web/portforward?ports=8080");
        CHECK(peers->sent().back().headers.get("Sec-WebSocket-Protocol") == "v4.channel.k8s.io");
        std::string all = all_of(*stream, room);
        std::erase(all, '|');
        CHECK(all == "HTTP/1.1end");
        CHECK(all_of(*stream) == "end");
    }
    const auto peer = peers->accept("v4.channel.k8s.io");
    auto stream = open();
    REQUIRE(stream.has_value());
    CHECK(await(stream->write("GET", {})).has_value());
    CHECK(await(stream->write(std::string(40'000, 'x'), {})).has_value());
    CHECK(await(stream->write("", {})).has_value());
    REQUIRE(peer->written.size() == 3);
    CHECK(peer->written[0] == "\0GET"s);
    CHECK(peer->written[1].size() == 32769);
}

TEST_CASE_FIXTURE(port_fixture, "where nobody listens, the node says so") {
    for (const bool closes : {true, false}) {
        const auto peer = peers->accept("v4.channel.k8s.io");
        peer->push(data_begin);
        peer->push(trouble_begin);
        peer->push("\x01" + "error forwarding port 8080 to pod x: "s + std::string(1200, '.') +
                   " connection refused\n");
        if (closes) peer->close();
        auto stream = open();
        REQUIRE(stream.has_value());
        std::string buffer(100, '\0');
        const auto n = await(stream->read_some(std::span<char>(buffer), {}));
        REQUIRE_FALSE(n.has_value());
        CHECK(n.error() == errc::connection_refused);
        CHECK(n.error().message().starts_with("port 8080 of the pod: error forwarding port 8080"));
        CHECK(n.error().message().ends_with("connection refused"));
        CHECK_FALSE(await(stream->write("x", {})).has_value());
    }
}

TEST_CASE_FIXTURE(port_fixture, "another port, another protocol, another answer") {
    auto peer = peers->accept("v4.channel.k8s.io");
    peer->push("\0\x90\x1e"s);
    auto stream = open();
    REQUIRE(stream.has_value());
    CHECK(all_of(*stream).find("another port than 8080") != std::string::npos);
    peer = peers->accept("v4.channel.k8s.io");
    peer->push(data_begin + "x");
    peer->fail(errc::connection_lost);
    auto broken = open();
    CHECK(all_of(*broken).starts_with("x|"));
    CHECK(all_of(*broken) != "end");
    peers->accept("");
    CHECK(open().error().message().find("v4.channel.k8s.io") != std::string::npos);
    peers->refuse(http::response(404, "application/json",
                                 R"({"kind":"Status","code":404,"reason":"NotFound","message":"no pod"})"));
    CHECK(open().error() == api_errc::not_found);
    CHECK(open(0).error() == errc::invalid_argument);
}

TEST_CASE_FIXTURE(port_fixture, "a stop, and destruction") {
    const auto peer = peers->accept("v4.channel.k8s.io");
    std::optional<port_stream> stream = std::move(open().value());
    std::stop_source source;
    std::string buffer(10, '\0');
    std::optional<result<std::size_t>> read;
    start(context, keep_outcome(stream->read_some(std::span<char>(buffer), source.get_token()), read));
    manual_environment::run_ready(context);
    source.request_stop();
    manual_environment::run_ready(context);
    REQUIRE(read.has_value());
    CHECK(read->error() == errc::stopped);
    read.reset();
    start(context, keep_outcome(stream->read_some(std::span<char>(buffer), {}), read));
    manual_environment::run_ready(context);
    stream.reset();
    manual_environment::run_ready(context);
    CHECK(peer->gone);
    REQUIRE(read.has_value());
    CHECK(read->error() == errc::unavailable);
    CHECK(env.pending_timers() == 0);
}

TEST_CASE_FIXTURE(port_fixture, "ports are those of pods in the client's namespace") {
    auto made = client::connect(env, context.get_executor(), config, peers->factory(), log);
    REQUIRE(made.has_value());
    const client c = made->namespaced("default");
    const auto peer = peers->accept("v4.channel.k8s.io");
    CHECK(await(open_port(c, {"", "web"}, 8080)).has_value());
    CHECK(peers->sent().back().target == "/api/v1/namespaces/default/pods/web/portforward?ports=8080");
    const auto sent = peers->sent().size();
    CHECK(await(open_port(c, {"other", "web"}, 8080)).error() == errc::invalid_argument);
    CHECK(peers->sent().size() == sent);
}
