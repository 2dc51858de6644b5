// What a client makes of servers that stall, lie, flood or are not there, over real sockets.
#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/runtime/timer.hpp>

#include "simulation/widget.hpp"
#include "support/sanitizers.hpp"
#include "transport/fixture.hpp"
#include "transport/raw_peer.hpp"

#include <fstream>
#include <unistd.h>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

const std::string json_head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
const std::string chunked_head = json_head + "Transfer-Encoding: chunked\r\n\r\n";
const std::string added_event = R"({"type":"ADDED","object":{"apiVersion":"test.kcontrol.dev/v1","kind":"Widget",)"
                                R"("metadata":{"name":"a","namespace":"default","resourceVersion":"7"}}})"
                                "\n";

std::string chunk(const std::string& text) {
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", text.size());
    return size + text + "\r\n";
}

class faulty : public loopback {
public:
    client client_to(std::uint16_t port, http::transport_options options = {}) {
        auth::cluster_config config;
        config.server(http::endpoint("http", "127.0.0.1", port));
        config.token(secret_string("canary-token"));
        return client::connect(env, ex(), config, http::make_transport_factory(env, options)).value();
    }

    /// How a list ends; an empty error if it does not fail.
    error list(const client& cl, list_options options = list_options().deadline(1min)) {
        error outcome;
        run(context, [](client to, list_options o, error& out) -> awaitable<void> {
            const auto got = co_await to.list_page(resource_of<widget>(), o);
            if (!got) out = got.error();
        }(cl, std::move(options), outcome));
        return outcome;
    }

    /// How a watch ends, and after how many events.
    error watch(const client& cl, watch_options options, int& events) {
        error outcome;
        run(context, [](client to, watch_options o, error& out, int& count) -> awaitable<void> {
            auto opened = co_await to.watch(resource_of<widget>(), o);
            if (!opened) {
                out = opened.error();
                co_return;
            }
            for (;;) {
                const auto event = co_await (*opened)->next({});
                if (!event) out = event.error();
                if (!event || event->type == watch_event_type::end) co_return;
                ++count;
            }
        }(cl, std::move(options), outcome, events));
        return outcome;
    }
};

// Resident memory in MiB.
std::uint64_t resident() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t all = 0, here = 0;
    file >> all >> here;
    return here * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) >> 20;
}

// The highest resident() while the context runs, looked at every few milliseconds.
class memory_peak {
public:
    memory_peak(environment& env, const executor& ex) : env_(env), timer_(env.make_timer(ex)) { look(); }
    ~memory_peak() { timer_->cancel(); }
    std::uint64_t growth() const { return peak_ - before_; }

private:
    void look() {
        peak_ = std::max(peak_, resident());
        // measures: how often it looks
        timer_->async_wait(env_.now() + 2ms, [this](bool expired) {
            if (expired) look();
        });
    }
    environment& env_;
    std::unique_ptr<timer> timer_;
    std::uint64_t before_ = resident();
    std::uint64_t peak_ = before_;
};

// A sanitizer keeps what was freed.
constexpr bool memory_is_our_own = !test::under_sanitizer;

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

}  // namespace

TEST_CASE("a watch of a server that has gone without a farewell ends by its idle time") {
    for (const auto& first : {std::string(), chunk(added_event)}) {
        faulty net;
        raw_server server(net.context, {step(chunked_head + first)});
        int events = 0;
        // measures: nothing comes behind the first bytes
        const auto end =
            net.watch(net.client_to(server.port()), watch_options().resource_version("5").idle(300ms), events);
        CHECK(end == errc::timeout);
        CHECK(events == (first.empty() ? 0 : 1));
        CHECK_MESSAGE(has(end.what(), "http://127.0.0.1:" + std::to_string(server.port())), end.what());
        CHECK_MESSAGE(has(end.what(), "in time"), end.what());
    }
}

TEST_CASE("a port that swallows connections costs the connect deadline") {
    faulty net;
    black_hole hole(net.context);
    // measures: the deadline is what it costs
    const auto failed = net.list(net.client_to(hole.port(), http::transport_options().connect_timeout(50ms)));
    CHECK(failed == errc::timeout);
    CHECK_MESSAGE(has(failed.what(), "127.0.0.1 port " + std::to_string(hole.port())), failed.what());
    CHECK_MESSAGE(has(failed.what(), "check"), failed.what());
}

TEST_CASE("a host that does not exist is named") {
    faulty net;
    // measures: what it costs where no name server answers
    const auto factory = http::make_transport_factory(net.env, http::transport_options().connect_timeout(5s));
    const auto client = factory(net.ex(), http::endpoint("https", "api.kcontrol.invalid", 6443), {}).value();
    const auto failed = net.get(*client, "/").error();
    // Where no name server answers, time passes instead.
    CHECK((failed == errc::name_not_found || failed == errc::timeout));
    CHECK(failed == condition::unreachable);
    CHECK_MESSAGE(has(failed.what(), "\"api.kcontrol.invalid\""), failed.what());
}

TEST_CASE("a server that stalls inside its answer costs the deadline") {
    const std::string stalls[] = {"HTTP/1.1 200 OK\r\nContent-Le", json_head + "Content-Length: 100\r\n\r\n{\"kind\":",
                                  chunked_head + "ff\r\n{\"kind\":"};
    for (const auto& part : stalls) {
        CAPTURE(part);
        faulty net;
        raw_server server(net.context, {step(part)});
        // measures: the rest never comes; loopback connects at once
        const auto failed = net.list(net.client_to(server.port()), list_options().deadline(300ms));
        CHECK(failed == errc::timeout);
        CHECK_MESSAGE(has(failed.what(), "http://127.0.0.1:"), failed.what());
    }
}

TEST_CASE("answers that are none, over a socket") {
    const std::string page = "<html>sign in</html>";
    const std::string html = "Content-Type: text/html\r\nContent-Length: " + std::to_string(page.size()) + "\r\n\r\n";
    struct row {
        const char* what;
        std::string answer;
        errc code;
        const char* text;
    };
    const row rows[] = {
        {"a page", "HTTP/1.1 200 OK\r\n" + html + page, errc::not_an_api_server, "`server`"},
        {"a gateway's page", "HTTP/1.1 502 Bad Gateway\r\n" + html + page, errc::not_an_api_server, "502"},
        {"cut", json_head + "Content-Length: 100\r\n\r\n{\"kind\":\"List\"", errc::truncated, "inside its answer"},
        {"cut chunk", chunked_head + "ff\r\n{\"kind\":\"List\"", errc::truncated, "inside its answer"},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        faulty net;
        raw_server server(net.context, {step(row.answer, step::close), step(row.answer, step::close)});
        const auto cl = net.client_to(server.port());
        const auto listed = net.list(cl);
        CHECK_MESSAGE(listed == row.code, listed.what());
        CHECK_MESSAGE(has(listed.what(), row.text), listed.what());
        int events = 0;
        const auto watched = net.watch(cl, watch_options(), events);
        CHECK_MESSAGE(watched == row.code, watched.what());
        CHECK(server.requests() == 2);
    }
}

TEST_CASE("a redirect is not followed, and the token does not travel") {
    faulty net;
    raw_server elsewhere(net.context, {});
    const std::string answer = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:" + std::to_string(elsewhere.port()) +
                               "/login?state=canary-state\r\nContent-Length: 0\r\n\r\n";
    raw_server server(net.context, {step(answer), step(answer)});
    const auto cl = net.client_to(server.port());
    int events = 0;
    for (const auto& failed : {net.list(cl), net.watch(cl, watch_options(), events)}) {
        CHECK(failed == errc::not_an_api_server);
        CHECK_MESSAGE(has(failed.what(), std::to_string(elsewhere.port()) + "/login"), failed.what());
        CHECK(!has(failed.what(), "canary"));
    }
    CHECK(has(server.last_request(), "canary-token"));
    CHECK(elsewhere.connections() == 0);
}

TEST_CASE("a watch event of 1 GiB ends the watch at its budget, and memory stays bounded") {
    faulty net;
    const std::string piece = chunk(std::string(std::size_t{64} << 10, 'x'));
    flooding_server server(net.context, chunked_head + chunk(R"({"type":"ADDED","object":{"a":")"), piece,
                           gibibyte / piece.size());
    const auto cl = net.client_to(server.port());
    const memory_peak memory(net.env, net.ex());
    int events = 0;
    const auto end = net.watch(cl, watch_options(), events);
    CHECK(end == errc::too_large);
    CHECK_MESSAGE(has(end.what(), "134217728 bytes"), end.what());
    CHECK_MESSAGE(has(end.what(), "check"), end.what());
    CHECK(events == 0);
    CHECK(server.sent() * piece.size() < std::uint64_t{160} << 20);
    if (memory_is_our_own) CHECK(memory.growth() < 128);
}

TEST_CASE("a list of 1 GiB ends at its budget, and memory stays bounded") {
    faulty net;
    SUBCASE("of white space") {
        flooding_server server(net.context, json_head + "Content-Length: 1073741824\r\n\r\n",
                               std::string(std::size_t{64} << 10, ' '), gibibyte >> 16);
        const memory_peak memory(net.env, net.ex());
        const auto failed = net.list(net.client_to(server.port()));
        CHECK(failed == errc::too_large);
        CHECK_MESSAGE(has(failed.what(), "1048576 bytes"), failed.what());
        if (memory_is_our_own) CHECK(memory.growth() < 16);
    }
    SUBCASE("of one object, in chunks without a length") {
        const std::string piece = chunk(std::string(std::size_t{64} << 10, 'x'));
        flooding_server server(net.context, chunked_head + chunk(R"({"items":[{"a":")"), piece,
                               gibibyte / piece.size());
        const memory_peak memory(net.env, net.ex());
        const auto failed =
            net.list(net.client_to(server.port()), list_options().deadline(1h).max_body(std::size_t{32} << 20));
        CHECK(failed == errc::too_large);
        CHECK_MESSAGE(has(failed.what(), "33554432 bytes"), failed.what());
        CHECK(server.sent() * piece.size() < std::uint64_t{64} << 20);
        if (memory_is_our_own) CHECK(memory.growth() < 128);
    }
}
