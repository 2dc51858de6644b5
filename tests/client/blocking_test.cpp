// blocking_client: calls from programs without a loop, from any number of threads.
#include <kcontrol/client/async.hpp>
#include <kcontrol/client/blocking_client.hpp>
#include <kcontrol/client/wait_until.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/transport/client.hpp>

#include "config_map.hpp"
#include "support/print.hpp"
#include "support/threads.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/use_future.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

using namespace kcontrol;
using kcontrol::test::config_map;

namespace {

config_map make_map(const std::string& name) {
    config_map out;
    out.metadata.name = name;
    out.metadata.namespace_ = "default";
    out.data["k"] = "v";
    return out;
}

/// A server on a thread of its own.
class served {
public:
    served() : server_(env_, context_.get_executor(), {}, false) {
        REQUIRE(server_.start());
        config = server_.config();
        thread_.emplace([this] { context_.run(); });  // seam: ok, the server's side
    }
    ~served() {
        boost::asio::post(context_, [this] { context_.stop(); });
        thread_->join();
    }
    served(const served&) = delete;
    served& operator=(const served&) = delete;

    auth::cluster_config config;

private:
    system_environment env_;
    boost::asio::io_context context_;
    testing::local_api_server server_;
    std::optional<std::thread> thread_;  // seam: ok, the server's side
};

class blocking_fixture {
public:
    blocking_client connect() {
        auto made = blocking_client::connect(env, server.config, http::make_transport_factory(env));
        REQUIRE(made.has_value());
        return *made;
    }
    served server;
    system_environment env;
};

bool is_done(const config_map* map) { return map != nullptr && map->data.at("k") == "done"; }

}  // namespace

TEST_CASE_FIXTURE(blocking_fixture, "blocking_client: the verbs, on the thread that calls") {
    const blocking_client b = connect();
    const std::size_t threads = test::threads_now();
    const auto made = b.create(make_map("a"));
    REQUIRE(made.has_value());
    CHECK(b.get<config_map>({"default", "a"})->metadata.uid == made->metadata.uid);
    CHECK(b.get<config_map>({"default", "none"}).error() == condition::not_found);
    config_map edited = *made;
    edited.data["k"] = "w";
    CHECK(b.patch(*made, edited)->data.at("k") == "w");
    CHECK(b.patch(*made, edited).error() == condition::conflict);
    CHECK(b.apply(make_map("b"), apply_options("me")).has_value());
    const auto all = b.list<config_map>(list_options().in_namespace("default"));
    REQUIRE(all.has_value());
    CHECK(all->size() == 2);
    CHECK(b.list_page<config_map>(list_options().limit(1))->items.size() == 1);
    auto latest = b.get<config_map>({"default", "a"});
    latest->data["k"] = "done";
    CHECK(b.update(*latest).has_value());
    const auto waited = b.run([](client& c) { return wait_until<config_map>(c, {"default", "a"}, is_done); });
    CHECK(waited.has_value());
    CHECK(b.delete_<config_map>({"default", "a"}).has_value());
    CHECK(b.delete_collection<config_map>(list_options().in_namespace("default"))->items.size() == 1);
    CHECK(test::threads_now() == threads);
}

TEST_CASE_FIXTURE(blocking_fixture, "blocking_client: a call within a call is an error, and no deadlock") {
    const blocking_client b = connect();
    std::optional<error> inner;
    const auto outer = b.run([&](client& c) -> awaitable<result<config_map>> {
        inner = b.get<config_map>({"default", "a"}).error();
        return c.get<config_map>({"default", "a"});
    });
    CHECK(outer.error() == condition::not_found);
    REQUIRE(inner.has_value());
    CHECK(*inner == errc::invalid_argument);
    CHECK(inner->message().find("await the client of underlying()") != std::string::npos);
    // The same from a completion handler that its loop runs.
    std::optional<error> in_handler;
    std::stop_source handled;
    const auto with_handler = b.run([&](client& c) {
        async_get<config_map>(c, {"default", "x"}, {}, [&](result<config_map>) {
            in_handler = b.get<config_map>({"default", "a"}).error();
            handled.request_stop();
        });
        return wait_until<config_map>(c, {"default", "never"}, is_done, wait_options().stop(handled.get_token()));
    });
    CHECK(with_handler.error() == errc::stopped);
    REQUIRE(in_handler.has_value());
    CHECK(*in_handler == errc::invalid_argument);
    CHECK(b.get<config_map>({"default", "a"}).error() == condition::not_found);  // and it goes on
}

TEST_CASE_FIXTURE(blocking_fixture, "blocking_client: any number of threads at once, one loop") {
    const blocking_client b = connect();
    constexpr int threads = 6, rounds = 20;
    std::atomic<int> made{0}, read{0}, waited{0};
    std::vector<std::thread> all;  // seam: ok, what is tested
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&, t] {
            for (int i = 0; i < rounds; ++i) {
                const std::string name = "m" + std::to_string(t) + "-" + std::to_string(i);
                made += b.create(make_map(name)).has_value();
                const auto got = b.get<config_map>({"default", name});
                read += got.has_value() && std::string(got->metadata.name) == name;
            }
            // The first one ends last: others lead the loop for it, and it for others.
            const auto done = b.run([&](client& c) { return wait_until<config_map>(c, {"default", "end"}, is_done); });
            waited += done.has_value();
        });
    }
    config_map end = make_map("end");
    end.data["k"] = "done";
    const bool ended = b.create(end).has_value();
    for (auto& thread : all) thread.join();
    CHECK(ended);
    CHECK(made == threads * rounds);
    CHECK(read == threads * rounds);
    CHECK(waited == threads);
}

TEST_CASE_FIXTURE(blocking_fixture, "blocking_client: copies share the loop, and what a call throws is an error") {
    std::optional<blocking_client> b = connect();
    CHECK(b->create(make_map("a")).has_value());
    const blocking_client copy = *b;
    b.reset();
    CHECK(copy.get<config_map>({"default", "a"}).has_value());
    const auto thrown = copy.run([](client&) -> awaitable<result<int>> { throw std::runtime_error("mine"); });
    REQUIRE(!thrown.has_value());
    CHECK(thrown.error() == errc::unavailable);
    CHECK(thrown.error().message().find("mine") != std::string::npos);
    const auto counted = copy.run([](client&) -> awaitable<result<int>> { co_return 7; });
    CHECK(*counted == 7);
}

TEST_CASE_FIXTURE(blocking_fixture, "async_get and its likes may be called on any thread") {
    boost::asio::io_context loop;
    auto c = client::connect(env, loop.get_executor(), server.config, http::make_transport_factory(env));
    REQUIRE(c.has_value());
    auto work = boost::asio::make_work_guard(loop);
    std::thread runner([&] { loop.run(); });  // seam: ok, what is tested
    constexpr int threads = 4, rounds = 20;
    std::atomic<int> made{0};
    std::vector<std::thread> all;  // seam: ok, what is tested
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&, t, mine = *c] {
            for (int i = 0; i < rounds; ++i) {
                const std::string name = "a" + std::to_string(t) + "-" + std::to_string(i);
                made += async_create(mine, make_map(name), {}, boost::asio::use_future).get().has_value();
            }
        });
    }
    for (auto& thread : all) thread.join();
    const auto listed = async_list<config_map>(*c, {}, boost::asio::use_future).get();
    boost::asio::post(loop, [&] { c->close(); });
    work.reset();
    runner.join();
    CHECK(made == threads * rounds);
    REQUIRE(listed.has_value());
    CHECK(listed->size() == threads * rounds);
}
