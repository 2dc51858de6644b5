// A controller over clusters that work on several threads: requests between them, and a cluster that all others follow.
// Worth its money under ThreadSanitizer: scripts/test.sh --only tsan.
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/multicluster/cluster_workers.hpp>
#include <kcontrol/multicluster/multicluster_controller.hpp>
#include <kcontrol/transport/client.hpp>

#include "multicluster/threads.hpp"
#include "simulation/widget.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

// What was reconciled, from whatever thread.
class tally {
public:
    void add(std::string what) {
        const std::lock_guard lock(mutex_);
        seen_.insert(std::move(what));
        changed_.notify_all();
    }
    bool wait_for(const std::set<std::string>& wanted) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(
            lock, 5min, [&] { return std::includes(seen_.begin(), seen_.end(), wanted.begin(), wanted.end()); });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::set<std::string> seen_;
};

}  // namespace

TEST_CASE("requests go between clusters on strands of their own, on four threads") {
    tally seen;
    system_environment env;
    pool threads;
    std::map<std::string, std::unique_ptr<member>> servers;
    for (const auto* name : {"a", "b", "hub"}) {
        servers[name] = std::make_unique<member>(env, threads, false);
        REQUIRE(servers[name]->started);
    }
    const executor home = asio::make_strand(threads.context.get_executor());
    multicluster_options o;
    o.transport(http::make_transport_factory(env)).cluster_executor(threads.context.get_executor());
    std::optional<multicluster_manager> manager;
    const auto want = [&](const std::set<std::string>& names) {
        std::vector<desired_cluster> desired;
        for (const auto& name : names) desired.emplace_back(name, servers.at(name)->server.config("t"));
        threads.on(home, [&] { manager->set_desired(std::move(desired)); });
    };
    threads.on(home, [&] {
        manager.emplace(env, home, std::move(o));
        const auto to_hub = [](const widget& w) { return request("hub", "default", w.metadata.name.str()); };
        const auto tell = [&](const std::string& of) {
            return [&seen, of](reconcile_context ctx, request req, std::shared_ptr<const widget> found) {
                const std::string value = found ? std::to_string(found->spec.value) : "gone";
                seen.add(of + " " + ctx.get_cluster().name() + ":" + req.name + "=" + value);
                return reconcile_result::done();
            };
        };
        CHECK(multicluster_controller(*manager, "up").for_<widget>().watches<widget>(to_hub).complete(tell("up")));
        CHECK(multicluster_controller(*manager, "down").for_in<widget>("hub").complete(tell("down")));
    });
    const auto on = [&](const std::string& name, auto f) {
        threads.on(servers.at(name)->strand, [&] { f(*servers.at(name)); });
    };
    want({"a", "b", "hub"});
    for (int i = 0; i < 20; ++i) {
        const std::string name = "w" + std::to_string(i);
        on("a", [&](member& m) { m.create(name); });
        on("hub", [&](member& m) { m.create(name); });
        on("hub", [&](member& m) { m.set_value(name, 10 + i); });
        if (i % 5 == 2) want({"a", "b"});  // the hub leaves, and comes back
        if (i % 5 == 4) want({"a", "b", "hub"});
    }
    std::set<std::string> wanted;
    for (int i = 0; i < 20; ++i) {
        const std::string name = "w" + std::to_string(i), value = "=" + std::to_string(10 + i);
        wanted.insert("up a:" + name + "=1");
        wanted.insert("up hub:" + name + value);
        for (const auto* one : {"a", "b", "hub"}) wanted.insert("down " + std::string(one) + ":" + name + value);
    }
    CHECK(seen.wait_for(wanted));
    on("hub", [&](member& m) { (void)m.server.api().remove(threaded_widgets, {"default", "w3"}); });
    CHECK(seen.wait_for({"down a:w3=gone", "down b:w3=gone", "down hub:w3=gone"}));
    threads.run(home, manager->stop());
    threads.on(home, [&] { manager.reset(); });
}

namespace {

// A reconciler that says how many of it run at a time, whatever their threads.
class crowd {
public:
    crowd(environment& env, tally& seen) : env_(env), seen_(seen) {}

    reconciliation reconcile(reconcile_context ctx, request req) {
        const int now = ++running_;
        for (int most = most_; now > most && !most_.compare_exchange_weak(most, now);) {
        }
        const wake why = co_await sleep_for(env_, 1ms, ctx.stop());
        --running_;
        if (why == wake::stopped) co_return error(errc::stopped, "stopped");
        seen_.add(req.cluster + ":" + req.name);
        co_return reconcile_result::done();
    }
    int most() const { return most_; }

private:
    environment& env_;
    tally& seen_;
    std::atomic<int> running_ = 0, most_ = 0;
};

}  // namespace

TEST_CASE("clusters on strands of their own share workers on four threads, and none is lost as one leaves") {
    tally seen;
    system_environment env;
    crowd all(env, seen);
    metrics_registry registry;
    pool threads;
    std::map<std::string, std::unique_ptr<member>> servers;
    for (const auto* name : {"a", "b", "c"}) {
        servers[name] = std::make_unique<member>(env, threads, false);
        REQUIRE(servers[name]->started);
        threads.on(servers[name]->strand, [&] {
            for (int i = 0; i < 30; ++i) servers[name]->create("w" + std::to_string(i));
        });
    }
    const executor home = asio::make_strand(threads.context.get_executor());
    const auto workers = std::make_shared<shared_workers>(env, cluster_workers(3));
    workers->metrics(registry, "shared");
    multicluster_options o;
    o.transport(http::make_transport_factory(env)).cluster_executor(threads.context.get_executor());
    std::optional<multicluster_manager> manager;
    threads.on(home, [&] {
        manager.emplace(env, home, std::move(o));
        const auto work = [&all](reconcile_context ctx, request req, std::shared_ptr<const widget>) {
            return all.reconcile(std::move(ctx), std::move(req));
        };
        const auto options = controller_options().max_concurrent_reconciles(4);
        CHECK(multicluster_controller(*manager, "work").for_<widget>().with_options(options).complete(work, workers));
    });
    const auto want = [&](const std::set<std::string>& names) {
        std::vector<desired_cluster> desired;
        for (const auto& name : names) desired.emplace_back(name, servers.at(name)->server.config("t"));
        threads.on(home, [&] { manager->set_desired(std::move(desired)); });
    };
    std::set<std::string> wanted;
    for (int i = 0; i < 30; ++i) {
        for (const auto* name : {"a", "b", "c"}) wanted.insert(std::string(name) + ":w" + std::to_string(i));
    }
    for (int i = 0; i < 5; ++i) {
        want({"a", "b", "c"});
        CHECK(seen.wait_for({"c:w" + std::to_string(i)}));
        CHECK(registry.text().find("kcontrol_shared_workers{name=\"shared\",state=\"total\"} 3") != std::string::npos);
        want({"a", "b"});
    }
    want({"a", "b", "c"});
    CHECK(seen.wait_for(wanted));
    CHECK(all.most() <= 3);
    threads.run(home, manager->stop());
    threads.on(home, [&] { manager.reset(); });
    CHECK(workers->running() == 0);
    CHECK(workers->waiting() == 0);
}
