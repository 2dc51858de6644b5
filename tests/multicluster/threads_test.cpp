// One strand a cluster, over real sockets, on a context that four threads run: what clusters share (environment, TLS
// contexts, options, logger) must bear it. Worth its money under ThreadSanitizer: scripts/test.sh --only tsan.
#include "multicluster/threads.hpp"

#include <kcontrol/controller/builder.hpp>
#include <kcontrol/transport/client.hpp>

#include "simulation/widget.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>

using namespace kcontrol;
using namespace kcontrol::test;

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
    o.cluster_executor(threads.context.get_executor());
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
            (void)m.server.api().remove(threaded_widgets, {"default", "w" + std::to_string(round)});
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
