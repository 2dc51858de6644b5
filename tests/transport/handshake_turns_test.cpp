// Turns at TLS handshakes: how many at a time, who is next, and that peers that are silent keep nobody waiting.
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/transport/impl/handshake_turns.hpp>

#include "transport/fixture.hpp"
#include "transport/tls_bytes.hpp"

#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <functional>

using namespace kcontrol;
using namespace kcontrol::test;
using http::detail::handshake_turns;

namespace {

struct crowd {
    explicit crowd(std::size_t most) : all(std::make_shared<handshake_turns>(env, most)) {}
    ~crowd() {
        ended = "abcdefg";
        changed.notify_all();
        settle();
    }

    awaitable<void> shake(char name, std::stop_token stop, duration at_most) {
        handshake_turns::turn mine(all);
        const wake how = co_await mine.take(stop, env.now() + at_most);
        (how == wake::notified ? begun : how == wake::stopped ? stopped : late) += name;
        if (how != wake::notified) co_return;
        while (ended.find(name) == std::string::npos) co_await changed.wait(env, {});
    }
    void want(char name, std::stop_token stop = {}, duration at_most = 1h) {
        testing::start(context, shake(name, std::move(stop), at_most));
        settle();
    }
    void end(char name) {
        ended += name;
        changed.notify_all();
        settle();
    }
    void settle() { testing::manual_environment::run_ready(context); }

    testing::manual_environment env;
    boost::asio::io_context context;
    std::shared_ptr<handshake_turns> all;
    async_event changed;
    std::string begun, stopped, late, ended;
};

awaitable<void> take(handshake_turns::turn& one) {
    const wake how = co_await one.take({}, time_point::max());
    CHECK(how == wake::notified);
}

}  // namespace

TEST_CASE("handshakes: so many at a time, in the order in which they came") {
    crowd c(2);
    for (const char name : std::string("abcde")) c.want(name);
    CHECK(c.begun == "ab");
    CHECK(c.all->waiting() == 3);
    c.end('b');
    CHECK(c.begun == "abc");
    c.end('a');
    c.end('c');
    CHECK(c.begun == "abcde");
    c.end('d');
    c.want('f');
    CHECK(c.begun == "abcdef");
    c.want('g');
    CHECK(c.begun == "abcdef");
}

TEST_CASE("handshakes: silent peers keep nobody waiting for long, and give nothing back afterwards") {
    crowd c(2);
    for (const char name : std::string("abcde")) c.want(name);
    c.env.advance(249ms, c.context);
    CHECK(c.begun == "ab");
    c.env.advance(1ms, c.context);
    CHECK(c.begun == "abcd");
    c.end('a');  // its turn counts no longer
    CHECK(c.begun == "abcd");
    c.end('c');
    CHECK(c.begun == "abcde");
    c.want('f');
    c.env.advance(250ms, c.context);
    CHECK(c.begun == "abcdef");
    CHECK(c.all->waiting() == 0);
}

TEST_CASE("handshakes: each one that begins puts off the moment at which those before it count no longer") {
    crowd c(2);
    for (const char name : std::string("abcd")) c.want(name);
    c.env.advance(200ms, c.context);
    c.end('a');
    CHECK(c.begun == "abc");
    c.env.advance(249ms, c.context);
    CHECK(c.begun == "abc");
    c.env.advance(1ms, c.context);
    CHECK(c.begun == "abcd");
}

TEST_CASE("handshakes: who stops waiting, or waited too long, leaves his place") {
    crowd c(1);
    std::stop_source stop;
    c.want('a');
    c.want('b', stop.get_token());
    c.want('c', {}, 100ms);
    c.want('d');
    stop.request_stop();
    c.settle();
    CHECK(c.stopped == "b");
    c.env.advance(100ms, c.context);
    CHECK(c.late == "c");
    CHECK(c.all->waiting() == 1);
    c.end('a');
    CHECK(c.begun == "ad");
}

TEST_CASE("handshakes: who is called as he stops hands the turn on") {
    crowd c(1);
    std::stop_source stop;
    std::optional<handshake_turns::turn> first;
    first.emplace(c.all);
    testing::start(c.context, take(*first));
    c.settle();
    c.want('b', stop.get_token());
    c.want('c');
    stop.request_stop();
    first.reset();
    c.settle();
    CHECK(c.stopped == "b");
    CHECK(c.begun == "c");
}

TEST_CASE("handshakes: those that wait hold what they wait for") {
    crowd c(1);
    for (const char name : std::string("ab")) c.want(name);
    const std::weak_ptr<handshake_turns> left = std::exchange(c.all, nullptr);
    c.end('a');
    CHECK(c.begun == "ab");
    c.end('b');
    CHECK(left.expired());
}

TEST_CASE("handshakes: without a limit there is nothing to wait for") {
    boost::asio::io_context context;
    handshake_turns::turn any(nullptr);
    run(context, take(any));
}

TEST_CASE("handshakes: strands of several threads never have more than that") {
    constexpr int most = 3, tasks = 200;
    system_environment env;
    boost::asio::thread_pool pool(4);
    const auto all = std::make_shared<handshake_turns>(env, most, 24h);
    std::atomic<int> now{0}, done{0};
    std::atomic<bool> too_many{false};
    const auto work = [&]() -> awaitable<void> {
        handshake_turns::turn mine(all);
        co_await mine.take({}, time_point::max());
        if (++now > most) too_many = true;
        co_await sleep_for(env, 0s, {});
        --now;
        ++done;
    };
    for (int i = 0; i < tasks; ++i) {
        boost::asio::co_spawn(boost::asio::make_strand(pool), work(), boost::asio::detached);
    }
    pool.join();
    CHECK(done == tasks);
    CHECK(!too_many);
    CHECK(all->waiting() == 0);
}

TEST_CASE("handshakes: the transports of a factory take turns, as many at a time as the variable says") {
    struct row {
        std::optional<std::string> variable;
        bool waits;
    };
    const row rows[] = {{"1", true}, {"2", false}, {"0", false}, {"many", false}, {std::nullopt, false}};
    for (const auto& row : rows) {
        CAPTURE(row.variable.value_or("not set"));
        testing::manual_environment env;
        loopback net;
        if (row.variable) env.variables["KCONTROL_TLS_HANDSHAKES"] = *row.variable;
        bytes::server silent(net.context, "", bytes::server::stay), other(net.context, "", bytes::server::stay);
        const auto factory = http::make_transport_factory(env);
        const auto first = factory(net.ex(), http::endpoint("https", "127.0.0.1", silent.port()), {}).value();
        const auto second = factory(net.ex(), http::endpoint("https", "127.0.0.1", other.port()), {}).value();
        std::stop_source stop;
        const auto ask = [&](http::transport& of) -> awaitable<void> {
            http::exchange_options how;
            how.stop(stop.get_token());
            const auto answer = co_await of.round_trip(http::request("GET", "/"), how);
            CHECK(answer.error() == errc::stopped);
        };
        start(net.context, ask(*first));
        net.until([&] { return !silent.seen().empty(); });
        start(net.context, ask(*second));
        net.until([&] { return other.connections() == 1; });
        testing::manual_environment::run_ready(net.context);
        if (row.waits) {
            CHECK(other.seen().empty());
            env.advance(250ms, net.context);
        }
        net.until([&] { return !other.seen().empty(); });
        stop.request_stop();
        testing::manual_environment::run_ready(net.context);
    }
}
