// An engaged cluster as what controllers live on: the same builder as on a manager.
#include <kcontrol/api/events/v1.hpp>
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/record/event_recorder.hpp>

#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
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
using testing::link_state;

struct fixture : widget_world {
    using setup = std::function<void(multicluster_options&)>;

    explicit fixture(const setup& more = {}) {
        multicluster_options o;
        o.informers(informer_options().probe_period(5s)).transport(network.factory());
        o.on_engage([this](engaged_cluster& c) {
            engaged[c.name()] = &c;
            controllers[c.name()] = build(c, c.name());
        });
        o.on_disengage([this](engaged_cluster& c) {
            order += "disengage ";
            engaged.erase(c.name());
        });
        o.on_status([this](const cluster_status& s) { statuses[s.name] = s; });
        o.on_removed([this](const std::string& name) { order += "removed " + name + " "; });
        if (more) more(o);
        manager_.emplace(env, home, std::move(o));
    }
    ~fixture() {
        ends_within(1min, manager_->stop());
        settle();
    }

    // The same for every host.
    std::shared_ptr<controller> build(controller_host& host, const std::string& name) {
        const auto made =
            controller_builder(host, "widgets")
                .for_<widget>()
                .complete([this, name](reconcile_context ctx, std::shared_ptr<const widget> w) -> reconciliation {
                    seen[name] += std::string(w->metadata.name) + "=" + std::to_string(w->spec.value) + " ";
                    if (w->metadata.name == "slow") co_await sleep_for(ctx.env(), 1h, ctx.stop());
                    co_return reconcile_result::done();
                });
        return made ? *made : nullptr;
    }

    void want(const std::map<std::string, std::string>& names_and_tokens) {
        std::vector<desired_cluster> desired;
        for (const auto& [name, token] : names_and_tokens) desired.emplace_back(name, add(name).config(token));
        manager_->set_desired(std::move(desired));
        settle();
    }
    std::string take(const std::string& name) { return std::exchange(seen[name], {}); }
    void settle(duration d = 2s) { context.run_for(d); }

    std::map<std::string, std::string> seen;
    std::map<std::string, engaged_cluster*> engaged;
    std::map<std::string, std::shared_ptr<controller>> controllers;
    std::map<std::string, cluster_status> statuses;
    std::string order;
    std::optional<multicluster_manager> manager_;
};

TEST_CASE_FIXTURE(fixture, "a controller of an engaged cluster goes through a rotation and stops with the cluster") {
    auto& a = add("a");
    a.create("x", 1);
    add("b").create("y", 2);
    want({{"a", "1"}, {"b", "1"}});
    CHECK(take("a") == "x=1 ");
    CHECK(take("b") == "y=2 ");
    CHECK(controllers.at("a")->state() == controller_state::running);

    want({{"a", "2"}, {"b", "1"}});
    CHECK(statuses.at("a").generation == 2);
    CHECK(take("a").empty());
    a.set_value("x", 7);
    settle();
    CHECK(take("a") == "x=7 ");
    CHECK(a.lists() == 1);
    CHECK(a.watches() == 2);
    // Its client reads from the cache, and asks the new connection where it is live.
    CHECK(run(engaged.at("a")->get_client().get<widget>({"default", "x"}))->spec.value == 7);
    CHECK(a.api.request_log().count("get", "widgets") == 0);
    CHECK(run(engaged.at("a")->get_client().live().get<widget>({"default", "x"}))->spec.value == 7);
    CHECK(a.api.request_log().count("get", "widgets") == 1);

    want({{"b", "1"}});
    CHECK(order == "disengage removed a ");
    CHECK(controllers.at("a")->state() == controller_state::idle);
    CHECK(network.open_exchanges("a") == 0);
    a.set_value("x", 8);
    settle();
    CHECK(take("a").empty());
    CHECK(controllers.at("b")->state() == controller_state::running);
    CHECK(take("b").empty());

    want({{"a", "1"}, {"b", "1"}});
    CHECK(take("a") == "x=8 ");
}

TEST_CASE_FIXTURE(fixture, "a manager and an engaged cluster are hosts alike") {
    auto& a = add("a");
    a.create("x", 1);
    manager alone(env, home, connect(a.config()));
    REQUIRE(build(alone, "manager"));
    alone.start();
    want({{"a", ""}});
    CHECK(take("manager") == "x=1 ");
    CHECK(take("a") == "x=1 ");
    for (controller_host* host : {static_cast<controller_host*>(&alone), static_cast<controller_host*>(engaged["a"])}) {
        cluster& c = host->get_cluster();
        CHECK(c.get_informer<widget>()->get({"default", "x"})->spec.value == 1);
        CHECK(build(*host, "second") == nullptr);  // the name is taken
    }
    CHECK(a.lists() == 2);
    CHECK(ends_within(1s, alone.stop()));
}

TEST_CASE("controllers share the watch of a kind that the manager watches everywhere") {
    std::string events;
    fixture f([&](multicluster_options& o) {
        o.kinds({kind_choice(resource_of<widget>())});
        o.on_event([&](const std::string&, const resource_info&, const any_event& e) {
            events += std::string(e.object().meta().name) + " ";
        });
    });
    f.add("a").create("x", 1);
    f.want({{"a", ""}});
    CHECK(events == "x ");
    CHECK(f.take("a") == "x=1 ");
    CHECK(f.network.open_exchanges("a") == 1);
    CHECK(f.statuses.at("a").kinds.at(0).informer.lists == 1);
}

TEST_CASE("a controller watches its version beside a kind of which the served version is looked for") {
    fixture f([](multicluster_options& o) { o.kinds({kind_choice(resource_of<widget_v2>(), resource_of<widget>())}); });
    f.add("a").create("x", 1);
    f.want({{"a", ""}});
    CHECK(f.take("a") == "x=1 ");
    CHECK(f.statuses.at("a").kinds.at(0).gvk.version == "v1");
    f.want({{"a", "2"}});
    CHECK(f.take("a").empty());
    CHECK(f.statuses.at("a").state == cluster_state::live);
    f.add("a").set_value("x", 2);
    f.settle();
    CHECK(f.take("a") == "x=2 ");
}

TEST_CASE("a cluster that is watched in several namespaces has an informer for each") {
    fixture f([](multicluster_options& o) { o.namespaces({"one", "two"}); });
    auto& a = f.add("a");
    for (const char* ns : {"one", "two", "three"}) {
        (void)a.api.create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}}).value();
    }
    a.create("x", 1, "one");
    a.create("z", 1, "three");
    f.want({{"a", ""}});
    CHECK(f.take("a") == "x=1 ");
    CHECK(f.engaged.at("a")->get_informer<widget>() == nullptr);
    CHECK(f.engaged.at("a")->informers_of(resource_of<widget>()).size() == 2);
}

TEST_CASE_FIXTURE(fixture, "a controller of a cluster that can't be reached for long starts when it can") {
    add("a").create("x", 1);
    network.set_link("a", link_state::refused);
    want({{"a", ""}});
    REQUIRE(controllers.at("a"));
    settle(3min);  // beyond the cache sync timeout
    CHECK(take("a").empty());
    network.set_link("a", link_state::up);
    settle(1min);
    CHECK(take("a") == "x=1 ");
}

TEST_CASE_FIXTURE(fixture, "a cluster is no better than the kinds that only its controllers watch") {
    add("a").create("x", 1);
    network.set_link("a", link_state::refused);
    want({{"a", ""}});
    CHECK(statuses.at("a").state == cluster_state::unreachable);
    CHECK(statuses.at("a").reason.find("refused") != std::string::npos);
    REQUIRE(statuses.at("a").kinds.size() == 1);
    CHECK(statuses.at("a").kinds.at(0).gvk.kind == "Widget");
    network.set_link("a", link_state::up);
    settle(1min);
    CHECK(statuses.at("a").state == cluster_state::live);
    CHECK(statuses.at("a").kinds.at(0).informer.objects == 1);
    CHECK(statuses.at("a").last_sync);
}

TEST_CASE_FIXTURE(fixture, "a running reconcile is stopped before the cluster is gone") {
    add("a").create("slow", 1);
    want({{"a", ""}});
    CHECK(take("a") == "slow=1 ");
    CHECK(controllers.at("a")->stats().active_workers == 1);
    want({});
    CHECK(order == "disengage removed a ");
    CHECK(controllers.at("a")->stats().active_workers == 0);
}

TEST_CASE_FIXTURE(fixture,
                  "Events of a cluster: through a rotation, and what is said last is written before it is gone") {
    auto& a = add("a");
    a.api.register_resource(testing::resource_type_of(resource_of<api::events::v1::event>()));
    a.create("x", 1);
    want({{"a", "1"}});
    widget about;
    about.metadata.name = "x";
    about.metadata.namespace_ = "default";
    const auto recorder = engaged.at("a")->get_event_recorder("test");
    want({{"a", "2"}});
    recorder->normal(about, "Said", "after the rotation");
    settle();
    CHECK(recorder->stats().created == 1);
    recorder->normal(about, "Said", "at last");
    want({});
    CHECK(order == "disengage removed a ");
    CHECK(recorder->stats().created == 2);
    recorder->normal(about, "Said", "too late");
    settle();
    CHECK(recorder->stats().dropped == 1);
    CHECK(a.api.request_log().count("create", "events") == 2);
}

TEST_CASE("metrics: controllers of one name are summed over the clusters, and what was counted stays") {
    metrics_registry registry;
    fixture f([&](multicluster_options& o) { o.metrics(registry); });
    f.add("a").create("x", 1);
    f.add("a").create("y", 1);
    f.add("b").create("z", 1);
    const auto value_of = [&](const std::string& series) -> std::string {
        const std::string text = "\n" + registry.text();
        const auto at = text.find("\n" + series + " ");
        if (at == std::string::npos) return "none";
        const auto begin = at + series.size() + 2;
        return text.substr(begin, text.find('\n', begin) - begin);
    };
    const auto lines_with = [&](const std::string& what) {
        const std::string text = registry.text();
        std::size_t out = 0;
        for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++out;
        return out;
    };
    const std::string succeeded = R"(controller_runtime_reconcile_total{controller="widgets",result="success"})";
    const std::string workers = R"(controller_runtime_max_concurrent_reconciles{controller="widgets"})";
    const std::string adds = R"(workqueue_adds_total{controller="widgets",name="widgets",priority="-100"})";
    const std::string waited =
        R"(workqueue_queue_duration_seconds_count{controller="widgets",name="widgets",priority="-100"})";
    f.want({{"a", ""}, {"b", ""}});
    CHECK(value_of(succeeded) == "3");
    CHECK(value_of(workers) == "2");
    CHECK(value_of(adds) == "3");
    CHECK(value_of(waited) == "3");
    CHECK(value_of(R"(controller_runtime_reconcile_time_seconds_count{controller="widgets"})") == "3");
    const auto before = lines_with("controller_runtime_") + lines_with("workqueue_");
    // A cluster that goes takes nothing back, and what it has now is no more.
    f.want({{"b", ""}});
    f.settle(5s);
    CHECK(value_of(succeeded) == "3");
    CHECK(value_of(waited) == "3");
    CHECK(value_of(workers) == "1");
    f.want({{"a", ""}, {"b", ""}});
    CHECK(value_of(succeeded) == "5");
    CHECK(value_of(workers) == "2");
    CHECK(lines_with("controller_runtime_") + lines_with("workqueue_") == before);
    // One that runs is seen while it does.
    f.add("a").create("slow", 1);
    f.settle();
    CHECK(value_of(R"(controller_runtime_active_workers{controller="widgets"})") == "1");
    f.want({});
    f.settle(1min);
    CHECK(value_of(R"(controller_runtime_active_workers{controller="widgets"})") == "0");
    CHECK(value_of(workers) == "0");
}

TEST_CASE("metrics: the Events that are recorded about each cluster, until it is gone") {
    metrics_registry registry;
    fixture f([&](multicluster_options& o) { o.metrics(registry); });
    for (const char* name : {"a", "b"}) {
        auto& server = f.add(name);
        server.api.register_resource(testing::resource_type_of(resource_of<api::events::v1::event>()));
    }
    f.want({{"a", ""}, {"b", ""}});
    widget about;
    about.metadata.name = "x";
    about.metadata.namespace_ = "default";
    f.engaged.at("a")->get_event_recorder("test")->normal(about, "Said", "something");
    f.engaged.at("b")->get_event_recorder("other");
    f.settle();
    const std::string text = registry.text();
    CAPTURE(text);
    const auto has = [&text](const std::string& line) { return text.find("\n" + line + "\n") != std::string::npos; };
    CHECK(has(R"(kcontrol_events_total{cluster="a",controller="test",outcome="created"} 1)"));
    CHECK(has(R"(kcontrol_events_total{cluster="a",controller="test",outcome="dropped"} 0)"));
    CHECK(has(R"(kcontrol_events_queued{cluster="a",controller="test"} 0)"));
    CHECK(has(R"(kcontrol_events_total{cluster="b",controller="other",outcome="created"} 0)"));
    f.want({{"b", ""}});
    CHECK(registry.text().find("kcontrol_events_total{cluster=\"a\"") == std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "a cluster without a usable configuration is not engaged, and refuses controllers") {
    std::vector<desired_cluster> desired;
    desired.emplace_back("a", error(errc::invalid_config, "no such context"));
    manager_->set_desired(std::move(desired));
    settle();
    CHECK(statuses.at("a").state == cluster_state::failed);
    CHECK(engaged.empty());
    want({});
    CHECK(order == "removed a ");

    auto options = std::make_shared<multicluster_options>();
    options->transport(network.factory());
    engaged_cluster alone(env, home, "b", options);
    const auto made = std::make_shared<controller>(
        env, home, "c", make_reconciler<request>([](reconcile_context, const request&) { return reconcile_result(); }));
    CHECK(alone.add(made).error() == errc::unavailable);
    alone.engage(add("b").config(), {});
    CHECK(alone.add(made).has_value());
    CHECK(alone.add(made).error() == errc::invalid_argument);
    CHECK(ends_within(1s, alone.disengage()));
    CHECK(ends_within(1s, alone.disengage()));
    CHECK(alone.add(made).error() == errc::unavailable);
}

// One without a manager.
struct alone : widget_world {
    alone() {
        multicluster_options o;
        o.informers(informer_options().probe_period(5s)).transport(network.factory());
        o.kinds({kind_choice(resource_of<widget>())});
        o.graceful_shutdown_timeout(30s);
        o.on_event([this](const std::string&, const resource_info&, const any_event& e) {
            seen += (e.type == event_type::deleted ? "-" : "+") + std::string(e.object().meta().name) + " ";
        });
        o.on_status([this](const cluster_status& s) { status = s; });
        o.on_engage([this](engaged_cluster& c) {
            ++engagements;
            if (!reconciles) return;
            const auto built =
                controller_builder(c, "widgets")
                    .for_<widget>()
                    .complete([this](reconcile_context, std::shared_ptr<const widget>) { return reconciles(); });
            REQUIRE(built.has_value());
        });
        o.on_removed([this](const std::string&) { ++removals; });
        one = std::make_unique<engaged_cluster>(env, home, "a", std::make_shared<const multicluster_options>(o));
    }
    ~alone() {
        ends_within(1min, one->disengage());
        context.run_for(1s);
    }
    std::string take(duration d = 2s) {
        context.run_for(d);
        return std::exchange(seen, {});
    }

    std::string seen;
    cluster_status status;
    int engagements = 0, removals = 0;
    std::function<reconciliation()> reconciles;
    std::unique_ptr<engaged_cluster> one;
};

awaitable<void> leave(engaged_cluster& c, bool& done) {
    co_await c.disengage();
    done = true;
}

TEST_CASE_FIXTURE(alone, "a cluster is engaged again after it has disengaged, with the same configuration too") {
    auto& a = add("a");
    a.create("x");
    for (int i = 1; i <= 3; ++i) {
        one->engage(a.config("t"), {});
        CHECK(take() == "+x ");
        CHECK(engagements == i);
        CHECK(status.state == cluster_state::live);
        CHECK(status.generation == static_cast<std::uint64_t>(i));
        CHECK(network.open_exchanges("a") == 1);
        CHECK(ends_within(1s, one->disengage()));
        CHECK(ends_within(1s, one->disengage()));
        CHECK(network.open_exchanges("a") == 0);
        CHECK(one->status().kinds.empty());
    }
}

TEST_CASE_FIXTURE(alone, "a cluster that is engaged while it disengages is engaged once it has") {
    auto& a = add("a");
    a.create("x");
    reconciles = [this]() -> reconciliation {
        co_await sleep_for(env, 1s, {});
        co_return reconcile_result::done();
    };
    one->engage(a.config("t"), {});
    CHECK(take(500ms) == "+x ");
    bool ended = false;
    asio::co_spawn(home, leave(*one, ended), asio::detached);
    context.run_for(100ms);
    one->engage(a.config("t"), {});
    context.run_for(100ms);
    CHECK(engagements == 1);
    CHECK_FALSE(ended);
    CHECK(take() == "+x ");
    CHECK(ended);
    CHECK(engagements == 2);
    CHECK(removals == 1);
    CHECK(status.state == cluster_state::live);
}

TEST_CASE_FIXTURE(alone, "disengage() of a cluster that is ended for good meanwhile returns, and calls no function") {
    auto& a = add("a");
    a.create("x");
    reconciles = [this]() -> reconciliation {
        co_await sleep_for(env, 1s, {});
        co_return reconcile_result::done();
    };
    one->engage(a.config("t"), {});
    CHECK(take(500ms) == "+x ");
    bool ended = false, ended_too = false;
    asio::co_spawn(home, leave(*one, ended), asio::detached);
    context.run_for(100ms);
    asio::co_spawn(home, leave(*one, ended_too), asio::detached);
    one->engage(a.config("u"), {});
    one->request_stop();
    context.run_for(100ms);
    CHECK_FALSE(ended);
    CHECK(take() == "");
    CHECK(ended);
    CHECK(ended_too);
    CHECK(removals == 0);
    CHECK(engagements == 1);
    CHECK(network.open_exchanges("a") == 0);
    CHECK(ends_within(1s, one->disengage()));
}

TEST_CASE_FIXTURE(alone, "a reconcile disengages its own cluster and is not waited for") {
    auto& a = add("a");
    a.create("x");
    duration took{};
    reconciles = [&, this]() -> reconciliation {
        const time_point begun = env.now();
        co_await one->disengage();
        took = env.now() - begun;
        seen += "disengaged ";
        co_return reconcile_result::done();
    };
    one->engage(a.config("t"), {});
    CHECK(take(1min) == "+x disengaged ");
    CHECK(took < 1s);
    CHECK(network.open_exchanges("a") == 0);
}

TEST_CASE("a reconcile of a cluster stops the manager of all clusters and is not waited for") {
    fixture f;
    duration took = 1h;
    std::shared_ptr<controller> stopper;
    f.add("a");
    f.add("b");
    f.want({{"a", ""}, {"b", ""}});
    const auto built = controller_builder(*f.engaged.at("a"), "stopper")
                           .for_<widget>()
                           .complete([&](reconcile_context, std::shared_ptr<const widget>) -> reconciliation {
                               const time_point begun = f.env.now();
                               co_await f.manager_->stop();
                               took = f.env.now() - begun;
                               co_return reconcile_result::done();
                           });
    REQUIRE(built.has_value());
    f.add("a").create("x");
    f.settle(1min);
    CHECK(took < 1s);
    CHECK(f.manager_->names().empty());
    CHECK(f.network.open_exchanges("a") == 0);
    CHECK(f.network.open_exchanges("b") == 0);
}

TEST_CASE("metrics: every cluster and each of its informers, a namespace each, until the cluster is gone") {
    metrics_registry registry;
    fixture f([&](multicluster_options& o) { o.namespaces({"two", "one"}).metrics(registry); });
    CHECK(registry.text().find("cluster=") == std::string::npos);
    auto& a = f.add("a");
    (void)a.api.create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "one"}}}}).value();
    a.create("x", 1, "one");
    f.add("b");
    f.network.set_link("b", link_state::refused);
    f.want({{"a", ""}, {"b", ""}});
    f.settle(2s);
    const std::string text = registry.text();
    CAPTURE(text);
    const auto has = [&text](const std::string& line) { return text.find("\n" + line + "\n") != std::string::npos; };
    const auto of = [](const std::string& cluster, const std::string& ns) {
        return R"({api_version="test.kcontrol.dev/v1",cluster=")" + cluster + R"(",kind="Widget",namespace=")" + ns +
               "\"";
    };
    CHECK(has(R"(kcontrol_cluster_state{cluster="a",state="live"} 1)"));
    CHECK(has(R"(kcontrol_cluster_state{cluster="b",state="unreachable"} 1)"));
    CHECK(has(R"(kcontrol_cluster_state{cluster="b",state="live"} 0)"));
    CHECK(has(R"(kcontrol_cluster_configurations_total{cluster="a"} 1)"));
    CHECK(has("kcontrol_informer_state" + of("a", "one") + R"(,state="live"} 1)"));
    CHECK(has("kcontrol_informer_objects" + of("a", "one") + "} 1"));
    CHECK(has("kcontrol_informer_objects" + of("a", "two") + "} 0"));
    CHECK(has("kcontrol_informer_state" + of("b", "two") + R"(,state="failed"} 1)"));
    f.want({{"a", ""}});
    CHECK(registry.text().find("cluster=\"b\"") == std::string::npos);
    CHECK(registry.text().find("cluster=\"a\"") != std::string::npos);
}

}  // namespace
