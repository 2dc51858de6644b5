// One strand a cluster, over real sockets, on a context that four threads run: what clusters share (environment, TLS
// contexts, options, logger) must bear it. Worth its money under ThreadSanitizer: scripts/test.sh --only tsan.
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/transport/client.hpp>

#include "simulation/widget.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_future.hpp>
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

const testing::group_resource widgets{"test.kcontrol.dev", "widgets"};

// What the clusters told, from whatever thread; the test's own thread waits here.
class board {
public:
    void event(const std::string& cluster, const any_event& e) {
        const std::lock_guard lock(mutex_);
        auto& names = objects_[cluster];
        const auto& name = e.object().meta().name;
        const bool fits = e.type == event_type::added     ? names.insert(name).second
                          : e.type == event_type::deleted ? names.erase(name) == 1
                                                          : names.contains(name);
        faults_ += fits ? 0 : 1;
        changed_.notify_all();
    }
    void status(const cluster_status& s) {
        const std::lock_guard lock(mutex_);
        states_[s.name] = s.state;
        generations_[s.name] = s.generation;
        changed_.notify_all();
    }
    void removed(const std::string& cluster) {
        const std::lock_guard lock(mutex_);
        objects_.erase(cluster), states_.erase(cluster);
        changed_.notify_all();
    }
    void log() {
        const std::lock_guard lock(mutex_);
        ++records_;
    }

    // Whether the cluster is live (or gone, for -1) with that many objects within half a minute.
    bool wait_for(const std::string& cluster, int count) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, 30s, [&] {
            if (count < 0) return !states_.contains(cluster);
            return states_[cluster] == cluster_state::live &&
                   objects_[cluster].size() == static_cast<std::size_t>(count);
        });
    }
    int faults() {
        const std::lock_guard lock(mutex_);
        return faults_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, std::set<std::string>> objects_;
    std::map<std::string, cluster_state> states_;
    std::map<std::string, std::uint64_t> generations_;
    int faults_ = 0, records_ = 0;
};

// A context that four threads run.
class pool {
public:
    pool() : work_(context.get_executor()) {
        for (auto& t : threads_) t = std::thread([this] { context.run(); });  // seam: ok, strands are tried on threads
    }
    ~pool() {
        work_.reset();
        for (auto& t : threads_) t.join();
    }

    /// Calls f on the executor and waits for it.
    template <class F>
    void on(const executor& ex, F f) {
        std::promise<void> done;
        asio::post(ex, [&] {
            f();
            done.set_value();
        });
        done.get_future().get();
    }
    void run(const executor& ex, awaitable<void> work) {
        auto done = asio::co_spawn(ex, std::move(work), asio::use_future);
        done.get();
    }

    asio::io_context context;

private:
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    std::array<std::thread, 4> threads_;  // seam: ok, as above
};

struct member {
    member(environment& env, pool& threads, bool tls)
        : strand(asio::make_strand(threads.context.get_executor())), server(env, strand, {}, tls) {
        threads.on(strand, [this] {
            server.api().register_resource({"test.kcontrol.dev", "v1", "Widget", "widgets"});
            started = server.start().has_value();
        });
    }
    void create(const std::string& name) {
        (void)server.api()
            .create({{"apiVersion", "test.kcontrol.dev/v1"},
                     {"kind", "Widget"},
                     {"metadata", {{"name", name}, {"namespace", "default"}}},
                     {"spec", {{"value", 1}}}})
            .value();
    }
    void set_value(const std::string& name, std::int64_t value) {
        (void)server.api().patch(widgets, {"default", name}, {{"spec", {{"value", value}}}}).value();
    }

    executor strand;
    testing::local_api_server server;
    bool started = false;
};

}  // namespace

TEST_CASE("clusters on strands of their own, on four threads, over sockets") {
    board told;
    std::atomic<int> reconciled = 0;
    system_environment env;
    pool threads;
    std::map<std::string, std::unique_ptr<member>> servers;
    for (const auto* name : {"a", "b", "c"}) {
        servers[name] = std::make_unique<member>(env, threads, *name != 'c');
        REQUIRE(servers[name]->started);
    }
    const executor home = asio::make_strand(threads.context.get_executor());
    std::optional<multicluster_manager> manager, dropped;
    multicluster_options o;
    o.kinds({kind_choice(resource_of<widget>())}).transport(http::make_transport_factory(env));
    o.log(logger([&](const log_record&) { told.log(); }, log_level::debug));
    o.on_engage([&](engaged_cluster& c) {
        const auto count = [&](reconcile_context, const request&) {
            ++reconciled;
            return reconcile_result::done();
        };
        CHECK(controller_builder(c, "widgets").for_<widget>().complete(count).has_value());
    });
    multicluster_options silent = o;
    o.on_event([&](const std::string& cluster, const resource_info&, const any_event& e) { told.event(cluster, e); });
    o.on_status([&](const cluster_status& s) { told.status(s); });
    o.on_removed([&](const std::string& cluster) { told.removed(cluster); });
    threads.on(home, [&] {
        manager.emplace(env, home, std::move(o));
        dropped.emplace(env, home, std::move(silent));
    });

    const auto want = [&](std::optional<multicluster_manager>& of, const std::string& names, const std::string& token) {
        std::vector<desired_cluster> desired;
        for (const char name : names) {
            desired.emplace_back(std::string(1, name), servers.at(std::string(1, name))->server.config(token));
        }
        threads.on(home, [&] { of->set_desired(std::move(desired)); });
    };
    const auto each = [&](auto&& f) {
        for (auto& [name, m] : servers) asio::post(m->strand, [&f, &m = *m] { f(m); });
        for (auto& [name, m] : servers) threads.on(m->strand, [] {});
    };

    want(manager, "abc", "first");
    each([](member& m) {
        for (int i = 0; i < 40; ++i) m.create("w" + std::to_string(i));
    });
    for (const auto* name : {"a", "b", "c"}) CHECK(told.wait_for(name, 40));

    // Everything at once: writes everywhere, new credentials, one cluster leaves and comes back.
    for (int round = 0; round < 5; ++round) {
        each([round](member& m) {
            for (int i = round; i < 40; ++i) m.set_value("w" + std::to_string(i), 10 + round);
        });
        want(manager, round % 2 == 0 ? "ab" : "abc", "token" + std::to_string(round));
        each([round](member& m) {
            (void)m.server.api().remove(widgets, {"default", "w" + std::to_string(round)});
            m.create("late" + std::to_string(round));
            if (round == 3) m.server.reset_connections();
        });
        if (round == 1) want(dropped, "abc", "other");
        if (round == 3) threads.on(home, [&] { dropped.reset(); });  // while all its clusters are at work
    }
    CHECK(told.wait_for("a", 40));
    CHECK(told.wait_for("b", 40));
    CHECK(told.wait_for("c", -1));
    want(manager, "abc", "last");
    for (const auto* name : {"a", "b", "c"}) CHECK(told.wait_for(name, 40));
    CHECK(told.faults() == 0);
    CHECK(reconciled >= 120);  // each of the first objects, once or more often

    const auto stop = [](multicluster_manager& m) -> awaitable<void> { co_await m.stop(); };
    threads.run(home, stop(*manager));
    threads.on(home, [&] { manager.reset(); });
    for (auto& [name, m] : servers) {
        const auto halt = [](member& one) -> awaitable<void> { co_await one.server.stop(); };
        threads.run(m->strand, halt(*m));
    }
}
