// What the server does with more connections than it wants: it stays reachable for those who ask something, and holds
// no more than it may. The clock is moved by hand; bench/serving_load.py does the same with thousands, before the
// programs.
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/transport/self_signed.hpp>

#include "transport/fixture.hpp"
#include "transport/raw_peer.hpp"

#include <fcntl.h>
#include <list>
#include <sys/resource.h>
#include <unistd.h>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

// A server with crowds before it.
class crowded {
public:
    explicit crowded(http::server_options options, http::handler handler = echo,
                     std::optional<http::server_tls> tls = std::nullopt)
        : server(env, context.get_executor(), std::move(handler), options,
                 logger([this](const log_record& r) { log.emplace_back(r.message); }, log_level::warning)) {
        REQUIRE(server.listen(http::listen_address("127.0.0.1", 0), std::move(tls)).has_value());
        server.start();
    }
    ~crowded() {
        sockets.clear();
        run(context, server.stop());
    }

    template <class Condition>
    void until(Condition condition) {
        context.restart();
        while (!condition()) REQUIRE(context.run_one() != 0);
    }

    // Another one of the crowd, which sends that and nothing more. It has been accepted when this returns.
    tcp::socket& add(const std::string& text = {}, const char* from = "127.0.0.1") {
        auto& socket = sockets.emplace_back(context);
        socket.open(tcp::v4());
        socket.set_option(boost::asio::socket_base::receive_buffer_size(4096));
        socket.bind(tcp::endpoint(boost::asio::ip::make_address(from), 0));
        const auto stats = server.stats();
        socket.connect(at());
        if (!text.empty()) boost::asio::write(socket, boost::asio::buffer(text));
        const auto refused = [](const http::server_stats& s) {
            return s.refused_for(http::shed_reason::connections) + s.refused_for(http::shed_reason::address);
        };
        until([&] {
            const auto now = server.stats();
            return now.accepted + refused(now) > stats.accepted + refused(stats);
        });
        testing::manual_environment::run_ready(context);
        return socket;
    }

    // What an honest client gets on a connection of its own, or nothing.
    std::string ask(const std::string& request = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n") {
        std::string answer;
        bool done = false;
        start(context, [](std::uint16_t port, std::string text, std::string& out, bool& ended) -> awaitable<void> {
            auto got = co_await exchange_raw(port, std::move(text));
            out = std::move(got);
            ended = true;
        }(server.local_port(), request, answer, done));
        until([&] { return done; });
        return answer;
    }

    tcp::endpoint at() const { return tcp::endpoint(boost::asio::ip::make_address("127.0.0.1"), server.local_port()); }

    // Whether the server has closed it, and what it said before.
    static bool is_closed(tcp::socket& socket, std::string& said) {
        socket.non_blocking(true);
        char buffer[65536];
        for (;;) {
            boost::system::error_code failure;
            const auto n = socket.read_some(boost::asio::buffer(buffer), failure);
            if (failure) return failure != boost::asio::error::would_block;
            said.append(buffer, n);
        }
    }
    static bool is_closed(tcp::socket& socket) {
        std::string said;
        return is_closed(socket, said);
    }

    void advance(duration d) { env.advance(d, context); }

    testing::manual_environment env;
    boost::asio::io_context context;
    std::vector<std::string> log;
    http::server server;
    std::list<tcp::socket> sockets;
};

const std::string get = "GET / HTTP/1.1\r\nHost: h\r\n";

// One that has its descriptor already.
class client {
public:
    explicit client(crowded& f) : socket(f.sockets.emplace_back(f.context)), to(f.at()) { socket.open(tcp::v4()); }

    void connect(bool and_ask = true) {
        socket.connect(to);
        if (and_ask) ask();
    }
    void ask() { boost::asio::write(socket, boost::asio::buffer(get + "Connection: close\r\n\r\n")); }
    bool has_answer() { return crowded::is_closed(socket, said); }

    tcp::socket& socket;
    tcp::endpoint to;
    std::string said;
};

// So many descriptors are free while it is there.
class few_descriptors {
public:
    explicit few_descriptors(std::size_t free) {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        std::vector<int> next;
        while (next.size() <= free) next.push_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        for (const int one : next) ::close(one);
        rlimit tight = before_;
        tight.rlim_cur = static_cast<rlim_t>(next.back());
        ::setrlimit(RLIMIT_NOFILE, &tight);
    }
    ~few_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    few_descriptors(const few_descriptors&) = delete;
    few_descriptors& operator=(const few_descriptors&) = delete;

private:
    rlimit before_{};
};

// Writes for ever to /stream; answers the rest.
awaitable<void> pour(http::server_request req, http::responder& out) {
    if (req.target == "/stream") {
        (void)co_await out.start(http::response_head(200));
        for (bool on = true; on;) {
            const auto written = co_await out.write(std::string(1U << 20, 'x'));
            on = written.has_value();
        }
    } else {
        co_await echo(std::move(req), out);
    }
}

}  // namespace

TEST_CASE("a crowd of any sort keeps nobody out: the one that waits the longest makes room") {
    struct row {
        const char* what;
        std::string text;
    };
    const row rows[] = {
        {"silent", ""},
        {"half a request", get + "X-Half: "},
        {"half a body", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc"},
        {"kept alive and idle", get + "\r\n"},
        {"an answer that nobody takes", "GET /stream HTTP/1.1\r\nHost: h\r\n\r\n"},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        crowded f(http::server_options().max_connections(4), pour);
        for (int i = 0; i < 10; ++i) f.add(row.text);
        for (int i = 0; i < 3; ++i) CHECK(f.ask().starts_with("HTTP/1.1 200 OK\r\n"));
        CHECK(f.server.connections() <= 4);
        CHECK(f.server.stats().shed_for(http::shed_reason::connections) >= 6);
        CHECK(f.server.stats().refused_for(http::shed_reason::connections) == 0);
        CAPTURE(f.log.back());
        CHECK(f.log.size() == 1);  // not a line for each
        CHECK(f.server.stats().refused_for(http::shed_reason::bytes) == 0);
    }
}

TEST_CASE("what a peer may take its time for") {
    struct row {
        const char* what;
        std::string text;
        int seconds;
        const char* answer;
        http::timeout_cause late;
    };
    const auto options = http::server_options()
                             .first_request_timeout(7s)
                             .header_timeout(3s)
                             .body_timeout(4s)
                             .idle_timeout(20s)
                             .write_timeout(9s);
    const row rows[] = {
        {"nothing is said", "", 7, "", http::timeout_cause::first_request},
        {"half a first request", get, 7, "HTTP/1.1 408 ", http::timeout_cause::first_request},
        {"half a body", get + "Content-Length: 9\r\n\r\n", 4, "HTTP/1.1 408 ", http::timeout_cause::request},
        {"nothing more", get + "\r\n", 20, "HTTP/1.1 200 ", http::timeout_cause::idle},
        {"half a second request", get + "\r\n" + get, 3, "HTTP/1.1 200 ", http::timeout_cause::request},
        {"a stream that is not read", "GET /stream HTTP/1.1\r\nHost: h\r\n\r\n", 9, "HTTP/1.1 200 ",
         http::timeout_cause::answer},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        crowded f(options, pour);
        auto& socket = f.add(row.text);
        f.advance(std::chrono::seconds(row.seconds) - 1ms);
        CHECK(f.server.connections() == 1);
        f.advance(1ms);
        if (row.late != http::timeout_cause::answer) f.advance(1s);  // a refusal is read for so long
        f.until([&] { return f.server.connections() == 0; });
        std::string said;
        CHECK(crowded::is_closed(socket, said));
        CHECK(said.substr(0, std::string(row.answer).size()) == row.answer);
        CHECK(f.server.stats().timed_out_for(row.late) == 1);
    }
}

TEST_CASE("a byte a second does not make a first request last") {
    crowded f(http::server_options().first_request_timeout(5s));
    auto& header = f.add("GET / HTTP/1.1\r\n");
    auto& body = f.add("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n");
    for (int i = 0; i < 5; ++i) {
        for (auto* socket : {&header, &body}) boost::asio::write(*socket, boost::asio::buffer("x", 1));
        CHECK(f.server.connections() == 2);
        f.advance(1s);
    }
    f.advance(1s);
    f.until([&] { return f.server.connections() == 0; });
    CHECK(f.server.stats().timed_out_for(http::timeout_cause::first_request) == 2);
}

TEST_CASE("who does not log in goes, whatever is asked without") {
    crowded f(http::server_options().login_timeout(5s).idle_timeout(60s),
              [](http::server_request req, http::responder& out) -> awaitable<void> {
                  if (req.headers.get("Authorization") == "secret") out.admit();
                  co_await echo(std::move(req), out);
              });
    auto& stranger = f.add(get + "\r\n");
    auto& friendly = f.add(get + "Authorization: secret\r\n\r\n");
    CHECK(f.server.stats().known == 1);
    f.advance(4s);
    boost::asio::write(stranger, boost::asio::buffer(get + "\r\n"));
    f.advance(1s);
    f.until([&] { return f.server.connections() == 1; });
    CHECK(crowded::is_closed(stranger));
    CHECK(f.server.stats().timed_out_for(http::timeout_cause::login) == 1);
    f.advance(54s);
    CHECK_FALSE(crowded::is_closed(friendly));
    f.advance(1s);
    f.until([&] { return f.server.connections() == 0; });
    CHECK(f.server.stats().timed_out_for(http::timeout_cause::idle) == 1);
}

TEST_CASE("who never pauses has no more time to log in") {
    crowded f(http::server_options().login_timeout(5s),
              [&f](http::server_request req, http::responder& out) -> awaitable<void> {
                  co_await sleep_for(f.env, 3s, out.disconnected());
                  co_await echo(std::move(req), out);
              });
    auto& busy = f.add(get + "\r\n" + get + "\r\n" + get + "\r\n" + get + "\r\n");
    for (int i = 0; i < 4; ++i) f.advance(3s);
    f.until([&] { return f.server.connections() == 0; });
    std::string said;
    CHECK(crowded::is_closed(busy, said));
    std::size_t answers = 0;
    for (auto at = said.find("200 OK"); at != std::string::npos; at = said.find("200 OK", at + 1)) ++answers;
    CHECK(answers == 2);
    CHECK(f.server.stats().timed_out_for(http::timeout_cause::login) == 1);
}

TEST_CASE("a TLS handshake has its own, short time") {
    testing::manual_environment clock;
    const auto authority =
        http::certificate_authority::create(http::certificate_options(clock.wall_now()).common_name("ca")).value();
    auto issued = authority.issue(http::certificate_options(clock.wall_now()).dns("h")).value();
    crowded f(http::server_options().handshake_timeout(5s), echo,
              http::server_tls(std::move(issued.cert_pem), std::move(issued.key_pem)));
    auto& silent = f.add();
    f.advance(5s - 1ms);
    CHECK(f.server.connections() == 1);
    f.advance(1ms);
    f.until([&] { return f.server.connections() == 0; });
    CHECK(crowded::is_closed(silent));
    CHECK(f.server.stats().timed_out_for(http::timeout_cause::handshake) == 1);
}

TEST_CASE("an address has no more connections than allowed, and takes none from others") {
    crowded f(http::server_options().max_connections_per_address(2));
    f.add("", "127.0.0.2");
    auto& first = f.add("", "127.0.0.3");
    auto& second = f.add("", "127.0.0.3");
    auto& third = f.add("", "127.0.0.3");
    CHECK(crowded::is_closed(first));
    CHECK_FALSE(crowded::is_closed(second));
    CHECK_FALSE(crowded::is_closed(third));
    CHECK(f.server.connections() == 3);
    CHECK(f.server.stats().shed_for(http::shed_reason::address) == 1);
}

TEST_CASE("what all hold together is limited; who does nothing gives it back") {
    crowded f(http::server_options().max_buffered_bytes(100'000).first_request_timeout(1h).body_timeout(1h));
    const auto half = [](std::size_t bytes) {
        return "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 60000\r\n\r\n" + std::string(bytes, 'x');
    };
    auto& first = f.add(half(50'000));
    auto& second = f.add(half(40'000));
    f.until([&] { return f.server.stats().buffered_bytes >= 90'000; });
    CHECK(f.ask(half(60'000)).starts_with("HTTP/1.1 503 "));  // they have begun just now
    CHECK(f.server.stats().refused_for(http::shed_reason::bytes) == 1);
    CHECK_FALSE(crowded::is_closed(first));
    f.advance(1s);
    CHECK(f.ask("POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 20000\r\n\r\n" +
                std::string(20'000, 'x'))
              .starts_with("HTTP/1.1 200 "));
    CHECK(crowded::is_closed(first));
    CHECK_FALSE(crowded::is_closed(second));
    CHECK(f.server.stats().shed_for(http::shed_reason::bytes) == 1);
    CHECK(f.server.stats().buffered_bytes <= 100'000);
}

TEST_CASE("what handlers keep and what is not taken counts, too") {
    int refused = 0, held = 0;
    crowded f(http::server_options().max_buffered_bytes(3'300'000).write_timeout(1h),
              [&](http::server_request, http::responder& out) -> awaitable<void> {
                  if (out.holds(500'000)) {
                      ++held;
                      (void)co_await out.start(http::response_head(200));
                      (void)co_await out.write(std::string(1U << 20, 'x'));
                  } else {
                      ++refused;
                      http::response answer(503);
                      (void)co_await out.send(std::move(answer));
                  }
              });
    for (int i = 0; i < 2; ++i) f.add(get + "\r\n");
    CHECK(f.server.stats().buffered_bytes > 2'500'000);
    CHECK(f.server.stats().buffered_bytes <= 3'300'000);
    CHECK(f.ask(get + "Connection: close\r\n\r\n").starts_with("HTTP/1.1 503 "));
    f.advance(1s);
    f.add(get + "\r\n");
    CHECK(held == 3);
    CHECK(refused == 1);
    CHECK(f.server.stats().shed_for(http::shed_reason::bytes) == 1);
    CHECK(f.server.connections() == 2);
    f.sockets.clear();
    f.until([&] { return f.server.connections() == 0; });
    CHECK(f.server.stats().buffered_bytes == 0);
}

TEST_CASE("answers that nobody takes do not add up, however fast those come who ask for them") {
    crowded f(http::server_options().max_buffered_bytes(3'000'000).write_timeout(1h),
              [](http::server_request, http::responder& out) -> awaitable<void> {
                  http::response answer(200, "text/plain", std::string(1U << 20, 'x'));
                  (void)co_await out.send(std::move(answer));
              });
    for (int i = 0; i < 10; ++i) f.add(get + "\r\n");
    CHECK(f.server.stats().buffered_bytes <= 3'000'000);
    CHECK(f.server.stats().shed_for(http::shed_reason::bytes) >= 7);
    CHECK(f.server.connections() <= 3);
    const auto honest = f.ask(get + "Connection: close\r\n\r\n");
    CHECK(honest.starts_with("HTTP/1.1 200 "));
    CHECK(honest.size() > 1U << 20);
}

TEST_CASE("where the system has no descriptors left, who waits gives up his") {
    crowded f(http::server_options{});
    for (int i = 0; i < 8; ++i) f.add();
    f.advance(1s);
    client honest(f);
    {
        const few_descriptors tight(0);
        honest.connect();
        f.until([&] { return honest.has_answer(); });
    }
    CHECK(honest.said.starts_with("HTTP/1.1 200 "));
    CHECK(f.server.stats().shed_for(http::shed_reason::descriptors) >= 1);
}

// The system refuses a descriptor before it looks whether anybody is there to be accepted.
TEST_CASE("where the last descriptor is taken, nobody is closed as long as nobody else comes") {
    crowded f(http::server_options{});
    client honest(f);
    {
        const few_descriptors tight(1);
        honest.connect();
        f.until([&] { return f.server.accepted() == 1; });
        testing::manual_environment::run_ready(f.context);
        f.advance(2s);
        honest.ask();
        f.until([&] { return honest.has_answer(); });
    }
    CHECK(honest.said.starts_with("HTTP/1.1 200 "));
    CHECK(f.server.stats().shed_for(http::shed_reason::descriptors) == 0);
}

TEST_CASE("a server keeps a descriptor for who comes when others have taken all") {
    crowded f(http::server_options{});
    std::list<client> probes;
    for (int i = 0; i < 3; ++i) probes.emplace_back(f);
    {
        const few_descriptors tight(0);
        for (auto& probe : probes) {
            probe.connect();
            f.until([&] { return probe.has_answer(); });
        }
    }
    for (auto& probe : probes) CHECK(probe.said.starts_with("HTTP/1.1 200 "));
    CHECK(f.server.stats().shed_for(http::shed_reason::descriptors) == 0);
    CHECK(f.log.empty());
}

TEST_CASE("without descriptors, who has just come is not closed for who comes next, who waits a moment") {
    crowded f(http::server_options{});
    std::list<client> probes;
    for (int i = 0; i < 3; ++i) probes.emplace_back(f);
    {
        const few_descriptors tight(0);
        for (auto& probe : probes) probe.connect(false);
        f.until([&] { return f.server.accepted() == 1; });
        testing::manual_environment::run_ready(f.context);
        for (auto& probe : probes) probe.ask();
        for (auto& probe : probes) {
            while (!probe.has_answer()) {
                testing::manual_environment::run_ready(f.context);
                f.advance(50ms);
            }
        }
    }
    for (auto& probe : probes) CHECK(probe.said.starts_with("HTTP/1.1 200 "));
    CHECK(f.server.stats().shed_for(http::shed_reason::descriptors) == 0);
    CHECK(f.log.size() <= 1);
}

TEST_CASE("a server that was stopped keeps no descriptor, and one that starts again has one again") {
    crowded f(http::server_options{});
    const auto lowest = [] {
        const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        ::close(next);
        return next;
    };
    run(f.context, f.server.stop());
    const int without = lowest();
    for (int i = 0; i < 3; ++i) {
        REQUIRE(f.server.listen(http::listen_address("127.0.0.1", 0)).has_value());
        f.server.start();
        {
            client honest(f);
            const few_descriptors tight(0);
            honest.connect();
            f.until([&] { return honest.has_answer(); });
            CHECK(honest.said.starts_with("HTTP/1.1 200 "));
        }
        f.sockets.clear();
        run(f.context, f.server.stop());
        CHECK(lowest() == without);
    }
}

TEST_CASE("who asks for little is not behind all who ask for much") {
    std::size_t begun = 0;
    crowded f(http::server_options{}, [&begun](http::server_request req, http::responder& out) -> awaitable<void> {
        if (req.target == "/large") {
            const auto started = co_await out.start(http::response_head(200));
            if (started) ++begun;  // and here it would begin to make its answer
        } else {
            co_await echo(std::move(req), out);
        }
    });
    constexpr std::size_t many = 100;
    for (std::size_t i = 0; i < many; ++i) {
        auto& socket = f.sockets.emplace_back(f.context);
        socket.connect(f.at());  // the system does that; the server has yet to see it
        boost::asio::write(socket, boost::asio::buffer("GET /large HTTP/1.1\r\nHost: h\r\n\r\n", 34));
    }
    CHECK(f.ask().starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(begun < many * 3 / 4);
    f.until([&] { return begun == many; });
}
