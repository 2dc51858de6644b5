// Programs of many clusters that contend for one Lease: what runs in the clusters while one leads, and what a loss
// does.
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <boost/asio/co_spawn.hpp>
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using testing::link_state;

const testing::group_resource leases("coordination.k8s.io", "leases");

// One of several equal programs, which reaches the cluster of the Lease by a way of its own.
struct program {
    using setup = std::function<void(multicluster_options&)>;

    program(widget_world& w, std::string n, const setup& more = {})
        : world(w), name(std::move(n)), host("via-" + name) {
        auto& lease_server = w.world.add_server("home");
        w.network.listen(host, lease_server.api().get_executor(), lease_server.api().handler());
        auth::cluster_config home;
        home.server(http::endpoint("https", host, 443));
        multicluster_options o;
        o.informers(informer_options().probe_period(5s)).transport(w.network.factory()).metrics(registry);
        o.leader_election(leader_options({"default", "operator"}).identity(name), home);
        o.on_engage([this](engaged_cluster& c) { build(c); });
        o.on_disengage([this](engaged_cluster& c) { engaged.erase(c.name()); });
        o.on_leading([this](bool leads) { turns += leads ? "leads " : "follows "; });
        o.log(logger([this](const log_record& r) { log += std::string(r.message) + "\n"; }));
        if (more) more(o);
        m = std::make_unique<multicluster_manager>(w.env, w.home, std::move(o));
    }
    ~program() {
        world.ends_within(10min, m->stop());
        world.context.run_for(5s);
    }
    void build(engaged_cluster& c) {
        engaged[c.name()] = &c;
        if (throws > 0 && throws-- > 0) throw std::runtime_error("not yet");
        const auto led = [this, of = c.name()](reconcile_context ctx, std::shared_ptr<const widget> w) {
            return reconcile(of, std::move(ctx), std::move(w));
        };
        CHECK(controller_builder(c, "led").for_<widget>().complete(led));
        const auto seen = [this, of = c.name()](reconcile_context, std::shared_ptr<const widget> w) {
            all.insert(of + ":" + std::string(w->metadata.name));
            return reconcile_result::done();
        };
        CHECK(controller_builder(c.always(), "seen").for_<widget>().complete(seen));
    }
    reconciliation reconcile(std::string of, reconcile_context ctx, std::shared_ptr<const widget> w) {
        calls.insert(of + ":" + std::string(w->metadata.name));
        ++reconciles;
        ctx.daemon("d", [this, of](daemon_context d) { return end_of_daemon(of, std::move(d)); });
        if (!hold) co_return reconcile_result::done();
        client c = engaged.at(of)->get_client();
        async_event never;
        co_await never.wait(world.env, ctx.stop());
        if (lingers) co_await sleep_for(world.env, 3s, {});
        reasons += of + ": " + std::string(to_string(ctx.stop_reason())) + "; ";
        widget edited = *w;
        edited.spec.value = 99;
        const auto written = co_await c.patch(*w, edited);
        refusals += written ? "written " : (written.error() == errc::not_leading ? "refused " : "failed ");
        co_return reconcile_result::done();
    }
    awaitable<result<void>> end_of_daemon(std::string of, daemon_context d) {
        async_event never;
        co_await never.wait(world.env, d.stop());
        daemon_ends += of + ": " + std::string(to_string(d.stop_reason())) + "; ";
        co_return result<void>();
    }
    void want(const std::vector<std::string>& names) {
        std::vector<desired_cluster> desired;
        for (const std::string& one : names) desired.emplace_back(one, world.add(one).config());
        m->set_desired(std::move(desired));
    }
    bool leading() const { return m->get_elector()->leading(); }
    void cut() {
        world.network.set_link(host, link_state::black_hole);
        world.network.freeze_connections(host);
    }
    void join() { world.network.set_link(host, link_state::up); }

    widget_world& world;
    std::string name, host, reasons, refusals, daemon_ends, turns, log;
    std::set<std::string> calls, all;
    int reconciles = 0, throws = 0;
    bool hold = false, lingers = false;
    std::map<std::string, engaged_cluster*> engaged;
    metrics_registry registry;
    std::unique_ptr<multicluster_manager> m;
};

struct fixture : widget_world {
    fixture() {
        a.create("x", 1);
        b.create("y", 1);
    }
    bool until(const std::function<bool()>& done, duration limit = 1min) { return world.run_until(done, limit); }
    void settle(duration d = 5s) { context.run_for(d); }

    widget_server& home_server = add("home");
    widget_server& a = add("a");
    widget_server& b = add("b");
};

using names = std::set<std::string>;

}  // namespace

TEST_CASE_FIXTURE(fixture,
                  "of two programs one's controllers run in all clusters, and the other one's caches are warm") {
    program p(*this, "p"), q(*this, "q");
    p.want({"a", "b"});
    REQUIRE(until([&] { return p.leading(); }));
    q.want({"a", "b"});
    settle();
    CHECK(p.calls == names{"a:x", "b:y"});
    CHECK(p.turns == "leads ");
    CHECK(q.calls.empty());
    CHECK(q.all == names{"a:x", "b:y"});
    CHECK(q.turns.empty());
    CHECK(q.engaged.at("a")->get_informer<widget>()->has_synced());
    // The writes of the one that follows are refused, unless it says that they may be anybody's.
    const auto create = [&](client c) {
        widget w;
        w.metadata.namespace_ = "default";
        w.metadata.name = "new";
        return world.run(c.create(w));
    };
    const auto refused = create(q.engaged.at("a")->get_client());
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == errc::not_leading);
    CHECK(create(q.engaged.at("a")->get_unfenced_client()));
    CHECK(create(p.engaged.at("b")->get_client()));
    const auto status = [](program& of, const char* value) {
        const std::string line = "leader_election_master_status{name=\"operator\"} ";
        return of.registry.text().find(line + value) != std::string::npos;
    };
    settle(2s);
    CHECK(status(p, "1"));
    CHECK(status(q, "0"));
    // A cluster that joins, and one that leaves.
    add("c").create("z");
    p.want({"b", "c"});
    settle();
    CHECK(p.calls == names{"a:new", "a:x", "b:new", "b:y", "c:z"});
    CHECK(p.daemon_ends == "a: cluster disengaged; a: cluster disengaged; ");
    // The first one stops, and the second one is at work within a second.
    world.run(p.m->stop());
    CHECK(p.turns == "leads follows ");
    CHECK(p.daemon_ends.find("lost") == std::string::npos);
    CHECK(until([&] { return q.calls == names{"a:new", "a:x", "b:new", "b:y"}; }, 1s));
    CHECK(status(p, "0"));
    // It may run again, and follows.
    p.calls.clear();
    p.want({"a"});
    settle();
    CHECK_FALSE(p.leading());
    CHECK(p.calls.empty());
    CHECK(p.engaged.size() == 1);
}

TEST_CASE_FIXTURE(
    fixture, "a loss stops what runs in the clusters and refuses its writes; the caches stay, and it may lead again") {
    for (const bool spread : {false, true}) {
        CAPTURE(spread);
        program p(*this, "p", [&](multicluster_options& o) {
            if (spread) o.cluster_executor(home);
        });
        program q(*this, "q");
        p.hold = true;
        p.want({"a", "b"});
        REQUIRE(until([&] { return p.reconciles == 2; }));
        q.want({"a", "b"});
        settle();
        const std::size_t watches = a.watches();
        p.cut();
        REQUIRE(until([&] { return p.reasons.size() > 20; }, 12s));
        settle(1s);
        CHECK(p.reasons.find("a: lost leadership; ") != std::string::npos);
        CHECK(p.reasons.find("b: lost leadership; ") != std::string::npos);
        CHECK(p.refusals == "refused refused ");
        CHECK(p.daemon_ends.find("a: lost leadership; ") != std::string::npos);
        CHECK(p.turns == "leads follows ");
        CHECK_FALSE(p.leading());
        CHECK_FALSE(q.leading());  // not yet: the lease duration is longer than the renew deadline
        REQUIRE(until([&] { return q.calls.size() == 2; }, 20s));
        p.hold = false;
        p.join();
        settle(1min);
        CHECK(p.reconciles == 2);
        CHECK(a.watches() == watches);
        world.run(q.m->stop());
        CHECK(until([&] { return p.reconciles == 4; }, 5s));
        CHECK(p.turns == "leads follows leads ");
        const auto x = a.api.get(widgets, {"default", "x"}).value();
        CHECK(x.at("spec").at("value").to_number<int>() == 1);
    }
}

TEST_CASE_FIXTURE(fixture, "a reconcile of a leader stops the manager and is not waited for; the Lease is given up") {
    program p(*this, "p");
    duration took = 1h;
    p.want({"a", "b"});
    REQUIRE(until([&] { return p.leading(); }));
    const auto stops = [&](reconcile_context, std::shared_ptr<const widget>) -> reconciliation {
        const time_point begun = env.now();
        co_await p.m->stop();
        took = env.now() - begun;
        co_return reconcile_result::done();
    };
    REQUIRE(controller_builder(*p.engaged.at("a"), "stopper").for_<widget>().complete(stops));
    REQUIRE(until([&] { return took < 1h; }));
    CHECK(took < 2s);
    CHECK(p.m->names().empty());
    const auto lease = home_server.api.get(leases, {"default", "operator"}).value();
    CHECK(lease.at("spec").at("holderIdentity") == "");
}

TEST_CASE_FIXTURE(fixture, "a manager that is wanted again while it stops contends again, or goes on to lead") {
    program p(*this, "p");
    p.hold = true;
    p.want({"a"});
    REQUIRE(until([&] { return p.reconciles == 1; }));
    bool stopped = false;
    p.lingers = true;
    boost::asio::co_spawn(home, p.m->stop(), [&](std::exception_ptr) { stopped = true; });
    settle(1s);
    CHECK_FALSE(stopped);
    p.hold = false;
    p.want({"a", "b"});
    REQUIRE(until([&] { return stopped; }));
    CHECK(until([&] { return p.leading() && p.calls.contains("b:y"); }));
    CHECK(until([&] { return p.reconciles >= 3; }));
}

TEST_CASE_FIXTURE(fixture, "what on_engage() makes when it is called again runs while this process leads") {
    program p(*this, "p");
    p.throws = 2;
    p.want({"a"});
    CHECK(until([&] { return p.calls == names{"a:x"}; }));
    CHECK(p.all == names{"a:x"});
    CHECK(p.log.find("the cluster is failed") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "where leadership can't be contended for no controller runs, and the reason is told once") {
    struct row {
        const char* host;
        duration renew_deadline;
        const char* reason;
    };
    const row rows[] = {
        {"home", 20s,
         "lease default/operator: lease_duration is 15 s; it must be longer than renew_deadline, which is 20 s"},
        {"nowhere", 10s, "the cluster of the Lease: https://nowhere:443: no way there"}};
    const auto factory = [net = network.factory()](
                             executor ex, const http::endpoint& to,
                             const http::tls_options& tls) -> result<std::shared_ptr<http::transport>> {
        if (to.host == "nowhere") return error(errc::invalid_config, "no way there");
        return net(ex, to, tls);
    };
    for (const row& r : rows) {
        CAPTURE(r.host);
        program p(*this, "p", [&](multicluster_options& o) {
            auth::cluster_config lease_cluster;
            lease_cluster.server(http::endpoint("https", r.host, 443));
            o.leader_election(leader_options({"default", "operator"}).renew_deadline(r.renew_deadline), lease_cluster);
            o.transport(factory);
        });
        p.want({"a"});
        p.want({"a", "b"});
        settle();
        REQUIRE(p.m->last_error());
        CHECK(p.m->last_error()->message() == r.reason);
        CHECK(p.calls.empty());
        CHECK(p.all == names{"a:x", "b:y"});
        const std::string told = "no controller runs, for leadership can't be contended for\n";
        const auto at = p.log.find(told);
        REQUIRE(at != std::string::npos);
        CHECK(p.log.find(told, at + 1) == std::string::npos);
    }
}
