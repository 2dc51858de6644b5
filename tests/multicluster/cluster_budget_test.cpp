// What a cluster may cost: the breaker and the sums as tables, and clusters over their budget beside others.
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/multicluster/cluster_budget.hpp>
#include <kcontrol/multicluster/detail/circuit_breaker.hpp>
#include <kcontrol/multicluster/multicluster_controller.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using detail::circuit_breaker;
using testing::link_state;
using verdict = circuit_breaker::verdict;

TEST_CASE("circuit_breaker: shuts after so many in a row, and asks by single probes") {
    const time_point t0{1h};
    circuit_breaker b(3, backoff_policy().initial(1s).cap(4s).jitter(0));
    const auto fails = [&](time_point now, bool probe = false) { return b.unanswered(now, 0, probe); };
    CHECK(b.ask(t0) == verdict::pass);
    CHECK_FALSE(fails(t0));
    CHECK_FALSE(fails(t0));
    CHECK_FALSE(b.answered());  // one answer, and it counts anew
    CHECK_FALSE(fails(t0));
    CHECK_FALSE(fails(t0));
    CHECK(fails(t0));
    CHECK(b.shut());
    CHECK(b.ask(t0 + 999ms) == verdict::refuse);
    CHECK(b.ask(t0 + 1s) == verdict::probe);
    CHECK(b.ask(t0 + 1s) == verdict::refuse);  // one at a time
    CHECK_FALSE(fails(t0 + 1s));               // one that was sent before
    CHECK(b.until() == t0 + 1s);
    CHECK_FALSE(fails(t0 + 2s, true));
    CHECK(b.until() == t0 + 4s);
    CHECK(b.ask(t0 + 4s) == verdict::probe);
    b.given_up();
    CHECK(b.ask(t0 + 4s) == verdict::probe);
    CHECK(b.answered());
    CHECK(b.ask(t0 + 4s) == verdict::pass);
    circuit_breaker never(0, {});
    for (int i = 0; i < 100; ++i) CHECK_FALSE(never.unanswered(t0, 0, false));
    CHECK(never.ask(t0) == verdict::pass);
}

TEST_CASE("cluster_budget: what is over it is said with the amount and the largest kind") {
    const auto report = [](const char* kind, std::size_t objects, std::uint64_t bytes, std::size_t invalid) {
        informer_status status;
        status.objects = objects;
        status.list_bytes = bytes;
        status.invalid = invalid;
        return informer_report({"", "v1", kind}, "", status);
    };
    const std::vector<informer_report> all{report("Pod", 70, 7000, 0), report("Node", 30, 100, 2)};
    const auto says = [&](const cluster_budget& b) {
        const auto why = b.exceeded_by(all);
        if (why) CHECK(*why == errc::limit_exceeded);
        return why ? why->message() : "";
    };
    CHECK(says(cluster_budget()) == "");
    CHECK(says(cluster_budget().objects(100).list_bytes(7100).invalid_objects(2)) == "");
    CHECK(says(cluster_budget().objects(99)) ==
          "the cluster has 100 objects in its caches, 99 are in its budget, and most are Pod (v1): raise "
          "cluster_budget::objects(), or watch less by namespaces or selectors");
    CHECK(says(cluster_budget().list_bytes(7099)).find("7100 bytes in its lists") != std::string::npos);
    CHECK(says(cluster_budget().invalid_objects(1)).find("2 invalid objects, 1 are in its budget, and most are Node") !=
          std::string::npos);
}

class fixture : public widget_world {
public:
    void begin(cluster_budget budget, const std::vector<std::string>& names) {
        multicluster_options o;
        o.transport(network.factory()).budget(budget).informers(informer_options().watch_idle(10s));
        o.metrics(registry, 2);
        o.on_engage([this](engaged_cluster& c) { engaged[c.name()] = &c; });
        o.on_disengage([this](engaged_cluster& c) { engaged.erase(c.name()); });
        m.emplace(env, home, std::move(o));
        const auto work = [this](reconcile_context ctx, std::shared_ptr<const widget>) {
            reconciled.insert(ctx.get_cluster().name());
            return reconcile_result::done();
        };
        REQUIRE(multicluster_controller(*m, "work").for_<widget>().complete(work));
        want(names);
    }
    ~fixture() {
        ends_within(5min, m->stop());
        context.run_for(1min);
    }
    void want(const std::vector<std::string>& names) {
        std::vector<desired_cluster> desired;
        for (const auto& name : names) desired.emplace_back(name, add(name).config());
        m->set_desired(std::move(desired));
    }
    /// A read of the cluster's server, which ends later.
    void read(const std::string& cluster, duration deadline = 30s) {
        asio::co_spawn(home, read_once(engaged.at(cluster)->get_client().live(), deadline), asio::detached);
    }
    std::string state(const std::string& cluster) const {
        for (const auto& one : m->statuses()) {
            if (one.name == cluster) return std::string(to_string(one.state)) + ": " + one.reason;
        }
        return "gone";
    }
    std::size_t count(errc what) const {
        return static_cast<std::size_t>(
            std::count_if(ends.begin(), ends.end(), [&](const auto& end) { return end && *end == what; }));
    }

    // The value of kcontrol_cluster_NAME of that cluster; nothing if it has none.
    std::string metric(const std::string& name, const std::string& cluster) const {
        const std::string begin = "\nkcontrol_cluster_" + name + "{cluster=\"" + cluster + "\"} ";
        const std::string text = registry.text();
        const auto at = text.find(begin);
        return at == std::string::npos ? ""
                                       : text.substr(at + begin.size(), text.find('\n', at + 1) - at - begin.size());
    }

    metrics_registry registry;
    std::optional<multicluster_manager> m;
    std::map<std::string, engaged_cluster*> engaged;
    std::set<std::string> reconciled;
    std::vector<std::optional<error>> ends;  // of reads; nothing: it was answered

private:
    awaitable<void> read_once(client from, duration deadline) {
        const namespaced_name key("default", "w");
        const auto options = get_options().deadline(deadline);
        const auto got = co_await from.get<widget>(key, options);
        ends.push_back(got ? std::nullopt : std::optional<error>(got.error()));
    }
};

TEST_CASE_FIXTURE(fixture, "cluster_budget: so many requests at a time, in order, and no other cluster waits") {
    for (const char* name : {"a", "b"}) add(name).create("w");
    begin(cluster_budget().max_concurrent_requests(2), {"a", "b"});
    context.run_for(5s);
    network.set_latency("a", 1s, 1s);
    for (int i = 0; i < 6; ++i) read("a");
    read("a", 3s);  // in vain: three times two are before it
    read("b");
    context.run_for(900ms);
    CHECK(ends.size() == 1);  // b's
    const bool told = world.run_until([&] { return metric("requests_waiting", "a") == "5"; }, 100ms);
    CHECK_MESSAGE(told, metric("requests_waiting", "a"));  // metrics are a second old at most
    CHECK(metric("requests_waiting", "b") == "0");
    CHECK(metric("breaker_shut", "a").empty());  // there is none
    context.run_for(20s);
    CHECK(metric("requests_waiting", "a") == "0");
    CHECK(ends.size() == 8);
    CHECK(count(errc::timeout) == 1);
    CHECK(std::count(ends.begin(), ends.end(), std::nullopt) == 7);
}

TEST_CASE_FIXTURE(fixture,
                  "cluster_budget: a server that does not answer is asked now and then, and again when it does") {
    for (const char* name : {"a", "b"}) add(name).create("w");
    begin(cluster_budget().max_consecutive_failures(3), {"a", "b"});
    context.run_for(5s);
    network.set_link("a", link_state::refused);
    network.break_connections("a");
    const auto one_by_one = [&](int times) {
        const time_point begun = env.now();
        for (int i = 0; i < times; ++i) {
            read("a");
            const std::size_t before = ends.size();
            REQUIRE(world.run_until([&] { return ends.size() > before; }, 10min));
        }
        return env.now() - begun;
    };
    one_by_one(3);
    CHECK(one_by_one(20) < 1s);
    CHECK(count(errc::unavailable) >= 19);
    CHECK(ends.back()->message().find("it is asked again in") != std::string::npos);
    context.run_for(1500ms);
    CHECK(metric("breaker_shut", "a") == "1");
    CHECK(metric("breaker_trips_total", "a") == "1");
    CHECK(std::stoul(metric("requests_refused_total", "a")) >= count(errc::unavailable));
    CHECK(metric("breaker_shut", "b") == "0");
    CHECK(metric("requests_waiting", "b").empty());
    read("b");
    context.run_for(1s);
    CHECK_FALSE(ends.back());
    network.set_link("a", link_state::up);
    context.run_for(3min);
    read("a");
    context.run_for(5s);
    CHECK_FALSE(ends.back());
    CHECK(metric("breaker_shut", "a") == "0");
    CHECK(metric("breaker_trips_total", "a") == "1");
}

TEST_CASE_FIXTURE(fixture,
                  "cluster_budget: a cluster with too many objects rests, its memory is free, and the others go on") {
    for (const char* name : {"a", "b"}) add(name).create("w0");
    begin(cluster_budget().objects(5).retry_backoff(1min), {"a", "b"});
    context.run_for(5s);
    CHECK(reconciled == std::set<std::string>{"a", "b"});
    for (int i = 1; i <= 5; ++i) add("a").create("w" + std::to_string(i));
    context.run_for(5s);
    CHECK(state("a").find("failed: the cluster has 6 objects in its caches, 5 are in its budget") == 0);
    CHECK(engaged.count("a") == 0);
    CHECK(network.open_exchanges("a") == 0);
    CHECK(state("b") == "live: ");
    SUBCASE("who says again what was desired does not end the rest; its end does, and the next one is longer") {
        want({"a", "b"});
        context.run_for(30s);
        CHECK(engaged.count("a") == 0);
        CHECK(world.run_until([&] { return engaged.count("a") == 1; }, 40s));
        CHECK(world.run_until([&] { return engaged.count("a") == 0; }, 10s));
        context.run_for(90s);
        CHECK(engaged.count("a") == 0);
        add("a").remove("w1");
        reconciled.clear();
        context.run_for(1min);
        CHECK(state("a") == "live: ");
        CHECK(reconciled.count("a") == 1);
    }
    SUBCASE("another configuration is put to use at once") {
        add("a").remove("w1");
        m->set_desired({desired_cluster("a", add("a").config("new")), desired_cluster("b", add("b").config())});
        context.run_for(5s);
        CHECK(state("a") == "live: ");
    }
    SUBCASE("it may leave meanwhile, and come back") {
        want({"b"});
        context.run_for(2min);
        CHECK(state("a") == "gone");
        add("a").remove("w1");
        want({"a", "b"});
        context.run_for(5s);
        CHECK(state("a") == "live: ");
    }
    SUBCASE("everything may stop meanwhile") { CHECK(ends_within(1min, m->stop())); }
}

TEST_CASE_FIXTURE(fixture, "cluster_budget: what is offered while a cluster begins to rest is not lost") {
    add("a").create("w0");
    begin(cluster_budget().objects(5).retry_backoff(10min), {"a"});
    context.run_for(5s);
    for (int i = 1; i <= 5; ++i) add("a").create("w" + std::to_string(i));
    REQUIRE(world.run_until([&] { return engaged.count("a") == 0; }, 10s));  // it has just been told
    for (int i = 1; i <= 5; ++i) add("a").remove("w" + std::to_string(i));
    SUBCASE("another configuration") {
        m->set_desired({desired_cluster("a", add("a").config("new"))});
        context.run_for(5s);
        CHECK(state("a") == "live: ");
    }
    SUBCASE("that it leaves") {
        want({});
        context.run_for(5s);
        CHECK(state("a") == "gone");
    }
    SUBCASE("that it leaves and comes back") {
        want({});
        want({"a"});
        context.run_for(5s);
        CHECK(state("a") == "live: ");
    }
}

}  // namespace
