// What the log says of a cluster in trouble: each change of state once, with kind, cluster and reason, and nothing
// twice.
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using testing::fault;
using testing::link_state;

struct record {
    record(log_level l, std::string m, time_point t) : level(l), message(std::move(m)), at(t) {}

    log_level level;
    std::string message;
    time_point at;
    std::map<std::string, std::string> fields;

    std::string field(const std::string& name) const {
        const auto found = fields.find(name);
        return found == fields.end() ? "" : found->second;
    }
};

struct fixture : widget_world {
    using setup = std::function<void(multicluster_options&)>;

    explicit fixture(const setup& more = {}) {
        multicluster_options o;
        o.kinds({kind_choice(resource_of<widget>())}).transport(network.factory());
        o.log(logger([this](const log_record& r) {
            record one(r.level, std::string(r.message), env.now());
            for (const auto& f : r.fields) one.fields[std::string(f.name)] = f.value;
            records.push_back(std::move(one));
        }));
        if (more) more(o);
        manager.emplace(env, home, std::move(o));
    }
    // A context that dies with coroutines suspended on their own events would leak them.
    ~fixture() {
        ends_within(1min, manager->stop());
        context.run_for(2s);
    }

    void want(const std::vector<std::string>& names) {
        std::vector<desired_cluster> desired;
        for (const auto& name : names) desired.emplace_back(name, add(name).config());
        manager->set_desired(std::move(desired));
    }
    std::vector<record> take(const std::string& message) {
        std::vector<record> out;
        for (const auto& one : records) {
            if (one.message == message) out.push_back(one);
        }
        std::erase_if(records, [&](const record& one) { return one.message == message; });
        return out;
    }
    std::string all() const {
        std::string out;
        for (const auto& one : records) {
            out += std::string(to_string(one.level)) + " " + one.message;
            for (const auto& [name, value] : one.fields) out += " " + name + "=" + value;
            out += "\n";
        }
        return out;
    }

    std::vector<record> records;
    std::optional<multicluster_manager> manager;
};

struct row {
    const char* name;
    std::function<void(fixture&)> begin;
    std::function<void(fixture&)> end;
    const char* informer;  // its state
    const char* cluster;   // its state; empty: live, and nothing to warn of
    const char* reason;    // is part of the reason
    duration first;        // when the first list fails
};

const row rows[] = {
    {"unreachable", [](fixture& f) { f.network.set_link("a", link_state::black_hole); },
     [](fixture& f) { f.network.set_link("a", link_state::up); }, "failed", "unreachable", "deadline", 70s},
    {"refused", [](fixture& f) { f.network.set_link("a", link_state::refused); },
     [](fixture& f) { f.network.set_link("a", link_state::up); }, "failed", "unreachable", "refused", 0s},
    {"401",
     [](fixture& f) {
         f.add("a").api.access().set_tokens({{"another", "user"}});
     },
     [](fixture& f) { f.add("a").api.access().set_tokens({}); }, "failed", "failed", "Unauthorized", 0s},
    {"403",
     [](fixture& f) {
         f.add("a").api.access().forbid({"*", "list", "widgets"});
     },
     [](fixture& f) { f.add("a").api.access().permit_all(); }, "forbidden", "degraded", "forbidden", 0s},
    {"missing CRD", [](fixture& f) { f.add("a").api.remove_resource(widgets); },
     [](fixture& f) { f.add("a").api.register_resource(widget_type()); }, "not-installed", "", "", 0s},
};

TEST_CASE("a cluster in trouble is told once within two seconds, and its end") {
    for (const auto& r : rows) {
        CAPTURE(r.name);
        fixture f;
        f.add("a");
        r.begin(f);
        f.want({"a"});
        const time_point failed = f.env.now() + r.first;
        f.context.run_for(r.first + 120s);
        CAPTURE(f.all());
        CHECK(f.take("the cluster joined").size() == 1);
        const auto of_informer = f.take("the informer is " + std::string(r.informer));
        REQUIRE(of_informer.size() == 1);
        CHECK(of_informer[0].level == log_level::warning);
        CHECK(of_informer[0].at <= failed + 2s);
        CHECK(of_informer[0].field("kind") == "Widget");
        CHECK(of_informer[0].field("cluster") == "a");
        CHECK(of_informer[0].field("reason").find(r.reason) != std::string::npos);
        const std::string cluster = r.cluster;
        if (cluster.empty()) {
            CHECK(f.take("the cluster is live").size() == 1);
        } else {
            const auto of_cluster = f.take("the cluster is " + cluster);
            REQUIRE(of_cluster.size() == 1);
            CHECK(of_cluster[0].level == log_level::warning);
            CHECK(of_cluster[0].at <= failed + 2s);
            CHECK(of_cluster[0].field("cluster") == "a");
            CHECK(of_cluster[0].field("reason").find(r.reason) != std::string::npos);
        }
        const bool quiet = std::none_of(f.records.begin(), f.records.end(),
                                        [](const record& one) { return one.level >= log_level::warning; });
        CHECK(quiet);
        f.records.clear();
        r.end(f);
        f.context.run_for(60s);
        CHECK(f.take("the informer is live").size() == 1);
        if (cluster.empty()) continue;
        const auto live = f.take("the cluster is live");
        REQUIRE(live.size() == 1);
        CHECK(live[0].level == log_level::info);
        CHECK(std::stoi(live[0].field("after_seconds")) > 100);
    }
}

TEST_CASE("a selector that no server understands is told with the server's words") {
    fixture f([](multicluster_options& o) { o.informers(informer_options().label_selector("a in (")); });
    f.add("a");
    f.want({"a"});
    f.context.run_for(120s);
    CAPTURE(f.all());
    const auto of_informer = f.take("the informer is failed");
    REQUIRE(of_informer.size() == 1);
    CHECK(of_informer[0].field("kind") == "Widget");
    CHECK(of_informer[0].field("reason").find("a in (") != std::string::npos);
    const auto of_cluster = f.take("the cluster is failed");
    REQUIRE(of_cluster.size() == 1);
    CHECK(of_cluster[0].field("reason").find("a in (") != std::string::npos);
    CHECK(f.take("the cluster is live").empty());
}

TEST_CASE("a server that goes away later, and comes and goes") {
    fixture f;
    f.add("a").create("x");
    f.want({"a"});
    f.context.run_for(10s);
    CHECK(f.take("the cluster is live").size() == 1);
    f.records.clear();
    for (int i = 0; i < 10; ++i) {
        f.network.set_link("a", link_state::refused);
        f.network.break_connections("a");
        f.context.run_for(4s);
        f.network.set_link("a", link_state::up);
        f.context.run_for(8s);
        f.add("a").set_value("x", i);
        f.context.run_for(8s);
    }
    CAPTURE(f.all());
    const auto away = f.take("the cluster is unreachable");
    CHECK(away.size() >= 3);
    CHECK(away.size() <= 4);  // in 200 s, once a minute
    int times = 0;
    for (const auto& one : away) times += one.field("times").empty() ? 1 : std::stoi(one.field("times"));
    CHECK(times >= 7);
    CHECK(f.take("the cluster is live").size() == away.size());
}

TEST_CASE("a configuration that can't be used is told once, however often it is offered") {
    fixture f;
    std::vector<desired_cluster> desired;
    desired.emplace_back("a", error(errc::invalid_config, "/clusters/a: no such context"));
    for (int i = 0; i < 5; ++i) {
        f.manager->set_desired(desired);
        f.context.run_for(2s);
    }
    CAPTURE(f.all());
    const auto failed = f.take("the cluster is failed");
    REQUIRE(failed.size() == 1);
    CHECK(failed[0].level == log_level::warning);
    CHECK(failed[0].field("cluster") == "a");
    CHECK(failed[0].field("reason") == "/clusters/a: no such context");
    CHECK(f.records.empty());

    f.add("a");
    f.want({"a"});
    f.context.run_for(2s);
    CHECK(f.take("the cluster is live").size() == 1);
    for (int i = 0; i < 5; ++i) {
        f.manager->set_desired(desired);
        f.context.run_for(2s);
    }
    const auto kept = f.take("the cluster's new configuration can't be used; the one before stays in use");
    REQUIRE(kept.size() == 1);
    CHECK(kept[0].level == log_level::warning);
    CHECK(kept[0].field("reason") == "/clusters/a: no such context");
}

TEST_CASE("who leaves and who is stopped is told, with the reason") {
    fixture f;
    f.add("a"), f.add("b");
    f.want({"a", "b"});
    f.context.run_for(2s);
    f.want({"b"});
    f.context.run_for(2s);
    const auto left = f.take("the cluster left");
    REQUIRE(left.size() == 1);
    CHECK(left[0].field("cluster") == "a");
    f.ends_within(1s, f.manager->stop());
    CHECK(f.take("the cluster left").empty());
    const auto stopped = f.take("the cluster is disengaged");
    REQUIRE(stopped.size() == 1);
    CHECK(stopped[0].field("cluster") == "b");
    CHECK(stopped[0].field("reason") == "the manager stops");
}

TEST_CASE("a controller of a cluster in trouble says what it waits for, once, and that it could not start") {
    fixture f([](multicluster_options& o) {
        o.kinds({});
        o.on_engage([&](engaged_cluster& c) {
            const auto reconcile = [](reconcile_context, std::shared_ptr<const widget>) { return reconcile_result(); };
            CHECK(controller_builder(c, "widgets").for_<widget>().complete(reconcile).has_value());
        });
    });
    f.add("a");
    f.network.set_link("a", link_state::refused);
    f.want({"a"});
    f.context.run_for(3s);
    CAPTURE(f.all());
    CHECK(f.take("controller is syncing").size() == 1);
    const auto waits = f.take("controller waits for a source");
    REQUIRE(waits.size() == 1);
    CHECK(waits[0].level == log_level::warning);
    CHECK(waits[0].field("cluster") == "a");
    CHECK(waits[0].field("controller") == "widgets");
    CHECK(waits[0].field("reason").find("Widget (test.kcontrol.dev/v1): failed, ") == 0);
    CHECK(f.take("the cluster is unreachable").size() == 1);
    f.context.run_for(10min);
    const auto failed = f.take("controller could not start");
    CHECK(failed.size() >= 3);
    CHECK(failed.size() <= 5);
    CHECK(f.take("controller is syncing").empty());
    CHECK(f.take("controller stopped").empty());
    CHECK(f.take("the cluster is unreachable").empty());
    f.network.set_link("a", link_state::up);
    f.context.run_for(1min);
    const auto started = f.take("controller started");
    REQUIRE(started.size() == 1);
    CHECK(std::stoi(started[0].field("after_seconds")) > 600);
    f.ends_within(1s, f.manager->stop());
    CHECK(f.take("controller is stopping").size() == 1);
    CHECK(f.take("controller stopped").size() == 1);
}

}  // namespace
