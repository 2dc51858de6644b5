// A connection: its loop by a thread of its own or by a descriptor, its parts, and its end; with real sockets.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/client/async.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/service/connection.hpp>
#include <kcontrol/service/lead.hpp>
#include <kcontrol/service/registration.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "lifecycle/resources.hpp"
#include "support/print.hpp"
#include "support/threads.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <clocale>
#include <csignal>
#include <future>
#include <mutex>
#include <poll.h>
#include <thread>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using api::core::v1::config_map;

/// A server on a thread of its own.
class served {
public:
    explicit served(bool tls = false) : server_(env_, context_.get_executor(), {}, tls) {
        REQUIRE(server_.start());
        config = server_.config();
        kubeconfig = server_.kubeconfig();
        thread_.emplace([this] { context_.run(); });  // seam: ok, the server's side
    }
    ~served() {
        boost::asio::post(context_, [this] { context_.stop(); });
        thread_->join();
    }
    served(const served&) = delete;
    served& operator=(const served&) = delete;

    auth::cluster_config config;
    std::string kubeconfig;

private:
    system_environment env_;
    boost::asio::io_context context_;
    testing::local_api_server server_;
    std::optional<std::thread> thread_;  // seam: ok, the server's side
};

service::connection open(const served& server, bool thread) {
    auto opened = service::connection::open(service::connection_options().cluster(server.config).thread(thread));
    REQUIRE(opened);
    return std::move(*opened);
}

config_map make_map(const std::string& name) {
    config_map out;
    out.metadata.name = name;
    out.metadata.namespace_ = "default";
    out.data["k"] = "v";
    return out;
}

bool readable(int fd, int timeout_ms = 0) {
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, timeout_ms) == 1 && (one.revents & POLLIN) != 0;
}

/// As a program's own loop does it: it knows the descriptor alone.
bool poll_until(service::connection& c, const std::function<bool()>& done) {
    const int fd = c.fd().value();
    while (!done()) {
        if (!readable(fd, 60'000)) return false;
        REQUIRE(c.dispatch());
    }
    return true;
}

/// A part that records what becomes of it.
struct recorded_part {
    recorded_part(environment&, executor, client, std::string n, std::vector<std::string>* out, logger)
        : name(std::move(n)), seen(out) {}
    ~recorded_part() { seen->push_back("destroyed " + name); }
    result<void> start() {
        if (name == "refused") return error(errc::invalid_argument, "refused");
        if (name == "throws") throw std::runtime_error("thrown");
        seen->push_back("started " + name);
        return {};
    }
    awaitable<void> stop() {
        seen->push_back("stopped " + name);
        co_return;
    }
    std::string name;
    std::vector<std::string>* seen;
};

}  // namespace

TEST_CASE("connection: calls from any thread, on a loop that has a thread or none") {
    for (const bool thread : {true, false}) {
        CAPTURE(thread);
        const served server;
        const std::size_t before = test::threads_now();
        const service::connection c = open(server, thread);
        CHECK(test::threads_now() == before + (thread ? 1 : 0));
        const auto map = make_map("a");
        const auto made = c.run([&] {
            client cl = c.client();
            return cl.create(map);
        });
        REQUIRE(made);
        CHECK(made->metadata.uid != "");
        std::vector<std::future<bool>> others;
        for (int i = 0; i < 4; ++i) {
            others.push_back(std::async(std::launch::async, [&c] {  // seam: ok, callers
                for (int k = 0; k < 20; ++k) {
                    const auto got = c.run([&] {
                        client cl = c.client();
                        return cl.get<config_map>({"default", "a"});
                    });
                    if (!got || got->data.at("k") != "v") return false;
                }
                return true;
            }));
        }
        for (auto& one : others) CHECK(one.get());
    }
}

TEST_CASE("connection: a program's loop that knows the descriptor alone misses nothing") {
    const served server;
    service::connection c = open(server, false);
    const int fd = c.fd().value();
    CHECK(fd == c.fd().value());
    const auto wait_quiet = [&] {
        while (readable(fd)) REQUIRE(c.dispatch());
    };
    wait_quiet();
    CHECK(c.dispatch().value() == 0);

    SUBCASE("requests and answers") {
        std::optional<result<config_map>> got;
        async_create(c.client(), make_map("b"), write_options(), [&](result<config_map> out) { got = std::move(out); });
        CHECK(readable(fd));  // posted while nothing ran the loop
        REQUIRE(poll_until(c, [&] { return got.has_value(); }));
        CHECK(*got);
    }
    SUBCASE("a timer") {
        bool rang = false;
        boost::asio::co_spawn(c.get_executor(), sleep_for(c.env(), 20ms, {}),
                              [&](std::exception_ptr, wake) { rang = true; });
        wait_quiet();
        CHECK_FALSE(rang);
        CHECK(readable(fd, 60'000));
        REQUIRE(poll_until(c, [&] { return rang; }));
    }
    SUBCASE("work from another thread") {
        for (int i = 0; i < 1000; ++i) {
            std::atomic<bool> ran = false;
            auto other = std::async(std::launch::async, [&] {  // seam: ok, another thread of the program
                boost::asio::post(c.get_executor(), [&] { ran = true; });
            });
            REQUIRE(poll_until(c, [&] { return ran.load(); }));
            other.get();
        }
    }
    SUBCASE("what is left over by a wait elsewhere") {
        int ran = 0;
        std::function<void()> again = [&] {
            if (++ran < 100) boost::asio::post(c.get_executor(), again);
        };
        boost::asio::post(c.get_executor(), again);
        const auto quick = c.run([&]() -> awaitable<result<void>> { co_return result<void>(); });
        CHECK(quick);
        REQUIRE(poll_until(c, [&] { return ran == 100; }));
    }
    SUBCASE("work without an end leaves the program its turn") {
        std::size_t ran = 0;
        std::function<void()> again = [&] {
            ++ran;
            boost::asio::post(c.get_executor(), again);
        };
        boost::asio::post(c.get_executor(), again);
        CHECK(c.dispatch().value() > 0);
        CHECK(readable(fd));
        CHECK(c.dispatch().value() > 0);
        again = [] {};
        c.stop();
    }
    SUBCASE("a dispatch that waits") {
        bool rang = false;
        boost::asio::co_spawn(c.get_executor(), sleep_for(c.env(), 30ms, {}),
                              [&](std::exception_ptr, wake) { rang = true; });
        while (!rang) REQUIRE(c.dispatch(1min));
        CHECK(c.dispatch(1ms).value() == 0);
    }
}

TEST_CASE("connection: what can't be called is refused, and says why") {
    const served server;
    {
        service::connection c = open(server, true);
        CHECK(c.fd().error() == errc::invalid_argument);
        CHECK(c.dispatch().error() == errc::invalid_argument);
        bool inside = false;
        const auto nested = c.run([&]() -> awaitable<result<void>> {
            inside = c.in_loop();
            co_return c.run([]() -> awaitable<result<void>> { co_return result<void>(); });
        });
        CHECK(inside);
        CHECK_FALSE(c.in_loop());
        CHECK(nested.error() == errc::invalid_argument);
        const auto thrown = c.run([]() -> awaitable<result<int>> {
            throw std::runtime_error("like this");
            co_return 1;
        });
        CHECK(thrown.error() == errc::unavailable);
        CHECK(thrown.error().message() == "like this");
        c.stop();
        c.stop();
        const auto late = c.run([]() -> awaitable<result<void>> { co_return result<void>(); });
        CHECK(late.error() == errc::stopped);
        CHECK(c.start<service::registration>(std::string("{}"), service::registration_options()).error() ==
              errc::stopped);
    }
    service::connection c = open(server, false);
    CHECK(c.dispatch(-1s).error() == errc::invalid_argument);
    const auto nested = c.run([&]() -> awaitable<result<std::size_t>> { co_return c.dispatch(); });
    CHECK(nested.error() == errc::invalid_argument);
    c.stop();
    CHECK(c.dispatch().error() == errc::stopped);
}

TEST_CASE("connection: parts end in reverse order, once, and are destroyed with their handles") {
    for (const bool thread : {true, false}) {
        CAPTURE(thread);
        const served server;
        std::vector<std::string> seen;
        {
            service::connection c = open(server, thread);
            auto a = c.start<recorded_part>(std::string("a"), &seen).value();
            auto b = c.start<recorded_part>(std::string("b"), &seen).value();
            auto d = c.start<recorded_part>(std::string("d"), &seen).value();
            CHECK(b->name == "b");
            b.stop();
            CHECK(c.start<recorded_part>(std::string("refused"), &seen).error() == errc::invalid_argument);
            CHECK(c.start<recorded_part>(std::string("throws"), &seen).error() == errc::unavailable);
            service::connection moved(std::move(c));
            moved.stop();
            CHECK(a->name == "a");
            service::hosted<recorded_part> none;
            none = std::move(a);
            CHECK_FALSE(a);
            CHECK(none->name == "a");
        }
        CHECK(seen == std::vector<std::string>{"started a", "started b", "started d", "stopped b", "destroyed refused",
                                               "destroyed throws", "stopped d", "stopped a", "destroyed a",
                                               "destroyed d", "destroyed b"});
    }
}

TEST_CASE("connection: a part may outlive the connection, and may be dropped from within the loop") {
    const served server;
    std::vector<std::string> seen;
    service::hosted<recorded_part> late;
    {
        service::connection c = open(server, true);
        late = c.start<recorded_part>(std::string("late"), &seen).value();
        auto dropped = c.start<recorded_part>(std::string("dropped"), &seen).value();
        const auto done = c.run([&]() -> awaitable<result<void>> {
            dropped = {};
            co_return result<void>();
        });
        CHECK(done);
    }
    late.stop();
    late = {};
    CHECK(seen.size() == 6);
    CHECK(seen.back() == "destroyed late");
}

TEST_CASE("connection: a stop ends what waits in run(), also what comes in a year") {
    for (const bool thread : {true, false}) {
        CAPTURE(thread);
        const served server;
        service::connection c = open(server, thread);
        std::promise<void> waits;
        auto other = std::async(std::launch::async, [&] {  // seam: ok, a caller
            return c.run([&]() -> awaitable<result<void>> {
                waits.set_value();
                co_await sleep_for(c.env(), std::chrono::hours(24 * 365), {});
                co_return result<void>();
            });
        });
        waits.get_future().wait();
        c.stop();
        CHECK(other.get().error() == errc::stopped);
    }
}

TEST_CASE("connection: a leader and a registered object, from a program without coroutines") {
    for (const bool thread : {true, false}) {
        CAPTURE(thread);
        const served server(true);
        service::connection c = open(server, thread);
        std::mutex guard;
        std::string told;
        std::uint64_t token = 0;
        service::lead_callbacks calls;
        calls.on_change([&](bool leading, std::uint64_t t) {
            const std::lock_guard lock(guard);
            told += leading ? " leads" : " lost";
            token = t;
        });
        auto lead = c.start<service::lead>(service::lead_options({"default", "master"}).address("10.0.0.1:80"), calls);
        REQUIRE(lead);
        const auto object =
            std::string(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"o"},"data":{"a":"b"}})");
        auto there = c.start<service::registration>(object, service::registration_options());
        REQUIRE(there);
        const auto leads = c.run([&] { return (*lead)->wait_leading(); });
        REQUIRE(leads);
        CHECK((*lead)->now().leading());
        CHECK((*lead)->now().token == *leads);
        REQUIRE(c.run([&] { return (*there)->wait_applied(); }));
        lead->stop();
        CHECK_FALSE((*lead)->leading());
        {
            const std::lock_guard lock(guard);
            CHECK(told == " leads lost");
            CHECK(token == *leads);
        }
        c.stop();
        CHECK_FALSE((*lead)->leading());
        const service::connection after = open(server, false);
        const auto gone = after.run([&] {
            client cl = after.client();
            return cl.get<config_map>({"default", "o"});
        });
        CHECK(gone.error() == api_errc::not_found);
    }
}

TEST_CASE("connection: the cluster is found by kubectl's rules") {
    const served server;
    const testing::temporary_directory folder;
    folder.write("config", server.kubeconfig);
    const std::string file = folder.path("config");
    const auto reach = [](service::connection_options options) -> result<void> {
        auto c = service::connection::open(std::move(options));
        if (!c) return c.error();
        const auto got = c->run([&] {
            client cl = c->client();
            return cl.list_page<config_map>();
        });
        return got ? result<void>() : result<void>(got.error());
    };
    CHECK(reach(service::connection_options().kubeconfig(file)));
    CHECK(reach(service::connection_options().kubeconfig(file).context("local").user_agent("me/1").thread(false)));
    const auto context = reach(service::connection_options().kubeconfig(file).context("other"));
    REQUIRE_FALSE(context);
    CHECK(context.error().what().find("other") != std::string::npos);
    const auto missing = reach(service::connection_options().kubeconfig(file + "-not"));
    REQUIRE_FALSE(missing);
    CHECK(missing.error().what().find(file + "-not") != std::string::npos);
}

TEST_CASE("connection: neither signals nor the locale are touched, and its thread takes no signal") {
    const served server;
    const std::string locale = std::setlocale(LC_ALL, nullptr);
    std::vector<struct sigaction> before(NSIG), after(NSIG);
    const auto handlers = [](std::vector<struct sigaction>& out) {
        for (int i = 1; i < NSIG; ++i) ::sigaction(i, nullptr, &out[static_cast<std::size_t>(i)]);
    };
    handlers(before);
    service::connection c = open(server, true);
    const auto blocked = c.run([]() -> awaitable<result<bool>> {
        sigset_t now;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
        co_return sigismember(&now, SIGTERM) == 1 && sigismember(&now, SIGCHLD) == 1;
    });
    CHECK(blocked.value());
    c.stop();
    handlers(after);
    for (std::size_t i = 1; i < before.size(); ++i) CHECK((before[i].sa_handler == after[i].sa_handler));
    sigset_t mine;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mine);
    CHECK(sigismember(&mine, SIGTERM) == 0);
    CHECK(std::setlocale(LC_ALL, nullptr) == locale);
}

// KCONTROL_LIFECYCLES says how many. Under a sanitizer the memory is for that to judge.
TEST_CASE("connection: many starts and stops leave no memory, no descriptor and no thread") {
    const served server;
    const service::connection clock = open(server, false);
    const int cycles = test::many_cycles() / 2;
    for (const bool thread : {true, false}) {
        CAPTURE(thread);
        const auto once = [&] {
            service::connection c = open(server, thread);
            auto lead = c.start<service::lead>(service::lead_options({"default", "master"}), service::lead_callbacks());
            REQUIRE(lead);
            if (!thread) REQUIRE(c.dispatch());
        };
        // What is made once, and what the server remembers of its last requests, is there after a while.
        for (int i = 0; i < cycles / 10 + 5; ++i) once();
        const auto before = test::resources::now();
        for (int i = 0; i < cycles; ++i) once();
        // The server's side of the connections ends a little later.
        for (int i = 0; i < 6000 && test::resources::now().descriptors > before.descriptors; ++i) {
            const auto waited = clock.run([&]() -> awaitable<result<void>> {
                co_await sleep_for(clock.env(), 10ms, {});
                co_return result<void>();
            });
            REQUIRE(waited);
        }
        const auto after = test::resources::now();
        CHECK(after.descriptors <= before.descriptors);
        CHECK(after.threads == before.threads);
        CHECK(after.bytes <= before.bytes + 2'000'000);
    }
}
