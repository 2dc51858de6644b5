// The functions that hear of clusters throw, a std::exception or an int: everything goes on, and stop() returns.
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include "support/throws.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

struct fixture : widget_world {
    explicit fixture(thrown w) : what(w) {
        multicluster_options o;
        o.kinds({kind_choice(resource_of<widget>())});
        o.informers(informer_options().probe_period(5s)).transport(network.factory());
        o.on_event([this](const std::string& cluster, const resource_info&, const any_event& e) {
            fail("event");
            seen[cluster] += std::string(e.object().meta().name) + " ";
        });
        o.on_status([this](const cluster_status& s) {
            fail("status");
            statuses[s.name] = s;
        });
        o.on_engage([this](engaged_cluster& c) {
            ++engage_calls;
            engaged = &c;
            const auto count = [this](reconcile_context, const request& r) {
                reconciled += r.name + " ";
                return reconcile_result::done();
            };
            built = built && controller_builder(c, "first").for_<widget>().complete(count).has_value();
            fail("engage");
            built = built && controller_builder(c, "second").for_<widget>().complete(count).has_value();
        });
        o.on_disengage([this](engaged_cluster&) { fail("disengage"); });
        o.on_removed([this](const std::string& name) {
            fail("removed");
            removed += name;
        });
        o.log(logger([this](const log_record& r) {
            if (r.message != "a function of the program threw") return;
            for (const auto& f : r.fields) log += std::string(f.name) + "=" + f.value + " ";
        }));
        manager.emplace(env, home, std::move(o));
    }
    ~fixture() {
        faulty.clear();
        CHECK(ends_within(1min, manager->stop()));
        settle();
    }
    void fail(const std::string& function) {
        if (function == faulty) throw_it(what);
    }
    void want(const std::string& names) {
        std::vector<desired_cluster> desired;
        for (const char name : names) {
            desired.emplace_back(std::string(1, name), add(std::string(1, name)).config("t"));
        }
        manager->set_desired(std::move(desired));
    }
    void settle(duration d = 2s) { context.run_for(d); }
    bool told(const std::string& part) const { return log.find(part) != std::string::npos; }

    thrown what;
    std::string faulty;  // the function that throws
    std::map<std::string, std::string> seen;
    std::map<std::string, cluster_status> statuses;
    std::string reconciled, removed, log;
    bool built = true;
    int engage_calls = 0;
    engaged_cluster* engaged = nullptr;
    std::optional<multicluster_manager> manager;
};

}  // namespace

TEST_CASE("on_event() throws: that event is lost to it, and told; the cache and the next ones are as ever") {
    for (const thrown what : all_thrown) {
        fixture f(what);
        f.add("a").create("x");
        f.faulty = "event";
        f.want("a");
        f.settle();
        CHECK(f.seen["a"].empty());
        CHECK(f.statuses.at("a").state == cluster_state::live);
        CHECK(f.statuses.at("a").kinds.at(0).informer.objects == 1);
        CHECK(f.statuses.at("a").callback_exceptions == 1);
        CHECK(f.statuses.at("a").last_callback_exception ==
              std::string("on_event() (Widget default/x) threw: ") + text_of(what));
        CHECK(f.told("cluster=a function=on_event() about=Widget default/x error="));
        f.faulty.clear();
        f.add("a").create("y");
        f.settle();
        CHECK(f.seen["a"] == "y ");
        CHECK(f.reconciled == "x x y y ");
    }
}

TEST_CASE("on_status() throws: it is called again within a second, with what holds then") {
    for (const thrown what : all_thrown) {
        fixture f(what);
        f.add("a").create("x");
        f.faulty = "status";
        f.want("a");
        f.settle(10s);
        CHECK(f.statuses.empty());
        CHECK(f.seen["a"] == "x ");
        f.faulty.clear();
        f.settle(1s);
        REQUIRE(f.statuses.contains("a"));
        CHECK(f.statuses.at("a").state == cluster_state::live);
        CHECK(f.statuses.at("a").callback_exceptions >= 10);
        CHECK(f.told("function=on_status()"));
    }
}

TEST_CASE("on_status() throws for a cluster without a usable configuration: it is told again, too") {
    for (const thrown what : all_thrown) {
        fixture f(what);
        f.faulty = "status";
        f.manager->set_desired({desired_cluster("a", error(errc::invalid_config, "no server"))});
        f.settle(10s);
        CHECK(f.statuses.empty());
        f.faulty.clear();
        f.settle(1s);
        REQUIRE(f.statuses.contains("a"));
        CHECK(f.statuses.at("a").state == cluster_state::failed);
        CHECK(f.statuses.at("a").reason == "no server");
    }
}

TEST_CASE("on_engage() throws: the cluster has failed, what was built is taken back, and it is called again") {
    for (const thrown what : all_thrown) {
        fixture f(what);
        f.add("a").create("x");
        f.faulty = "engage";
        f.want("a");
        f.settle(500ms);
        CHECK(f.engage_calls == 1);
        CHECK(f.statuses.at("a").state == cluster_state::failed);
        CHECK(f.statuses.at("a").reason == std::string("on_engage() threw: ") + text_of(what) + "; it is called again");
        CHECK(f.seen["a"] == "x ");  // what the manager watches by itself
        REQUIRE(f.engaged != nullptr);
        const auto none = [](reconcile_context, const request&) { return reconcile_result::done(); };
        CHECK_FALSE(controller_builder(*f.engaged, "third").for_<widget>().complete(none));
        f.settle(2min);
        CHECK(f.engage_calls >= 7);  // after 1, 2, 4, 8, 16, 32 s and more, as jitter has it
        CHECK(f.engage_calls <= 8);
        f.reconciled.clear();
        f.faulty.clear();
        f.settle(2min);
        CHECK(f.built);
        CHECK(f.statuses.at("a").state == cluster_state::live);
        CHECK(f.statuses.at("a").reason.empty());
        CHECK(f.reconciled == "x x ");
        const int calls = f.engage_calls;
        f.settle(5min);
        CHECK(f.engage_calls == calls);
    }
}

TEST_CASE("on_engage() throws: stop() and the cluster's leave do not wait for the next call") {
    for (const thrown what : all_thrown) {
        fixture f(what);
        f.faulty = "engage";
        f.want("ab");
        f.settle(20s);
        f.want("a");
        f.settle(1s);
        CHECK(f.removed == "b");
        CHECK(f.ends_within(1s, f.manager->stop()));
        CHECK(f.removed == "ba");
        const int calls = f.engage_calls;
        f.settle(5min);
        CHECK(f.engage_calls == calls);
    }
}

TEST_CASE("on_disengage() throws: the cluster leaves as ever") {
    for (const thrown what : all_thrown) {
        fixture f(what);
        f.want("a");
        f.settle();
        f.faulty = "disengage";
        f.want("");
        f.settle();
        CHECK(f.removed == "a");
        CHECK(f.manager->names().empty());
        CHECK(f.told("function=on_disengage()"));
    }
}

TEST_CASE("on_removed() throws: the cluster may come back, and stop() returns") {
    for (const thrown what : all_thrown) {
        fixture f(what);
        f.add("a").create("x");
        f.want("a");
        f.settle();
        f.faulty = "removed";
        f.manager->set_desired({});
        f.want("a");  // while it is leaving
        f.settle();
        CHECK(f.told("function=on_removed()"));
        CHECK(f.seen["a"] == "x x ");
        CHECK(f.statuses.at("a").state == cluster_state::live);
        CHECK(f.ends_within(1s, f.manager->stop()));
    }
}

TEST_CASE("who destroys the manager hears of nothing afterwards, not even of a cluster that is leaving") {
    fixture f(thrown::an_int);
    f.add("a").create("x");
    f.want("ab");
    f.settle();
    f.want("a");
    f.manager.reset();
    f.statuses.clear();
    f.settle();
    CHECK(f.removed.empty());
    CHECK(f.statuses.empty());
    f.manager.emplace(f.env, f.home, multicluster_options().transport(f.network.factory()));
}
