// One controller over clusters that come and go: which cluster a request is of, and requests that go to another one.
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/multicluster/multicluster_controller.hpp>

#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using testing::link_state;
using names = std::multiset<std::string>;

struct fixture : widget_world {
    explicit fixture(const std::function<void(multicluster_options&)>& more = {}) {
        for (const char* one : {"a", "b", "hub"}) add(one).create(std::string("of-") + one, 1);
        multicluster_options o;
        o.informers(informer_options().probe_period(5s)).transport(network.factory());
        o.on_status([this](const cluster_status& s) { reasons[s.name] = s.reason; });
        o.log(logger([this](const log_record& r) {
            log += std::string(r.message);
            for (const auto& f : r.fields) log += " " + std::string(f.name) + "=" + f.value;
            log += "\n";
        }));
        if (more) more(o);
        m.emplace(env, home, std::move(o));
    }
    ~fixture() {
        world.ends_within(10min, m->stop());
        settle();
    }
    void want(const std::vector<std::string>& clusters, const std::string& token = {}) {
        std::vector<desired_cluster> desired;
        for (const std::string& one : clusters) desired.emplace_back(one, add(one).config(token));
        m->set_desired(std::move(desired));
        settle();
    }
    void settle(duration d = 5s) { context.run_for(d); }
    names take() { return std::exchange(seen, {}); }

    // Tells which cluster the request is of, and which the context offers.
    auto telling() {
        return [this](reconcile_context ctx, request req) {
            CHECK(ctx.get_cluster().name() == req.cluster);
            seen.insert(req.cluster + ":" + req.name);
            return reconcile_result::done();
        };
    }
    std::int64_t value_in(const std::string& cluster, const std::string& name) {
        const auto found = add(cluster).api.get(widgets, {"default", name});
        return found ? json::find(*found, {"spec", "value"})->to_number<std::int64_t>() : -1;
    }

    std::map<std::string, std::string> reasons;
    std::string log;
    names seen;
    std::optional<multicluster_manager> m;
};

// Makes every widget's value ten times what it is, once; with the client that the context offers.
reconciliation multiply(reconcile_context ctx, std::shared_ptr<const widget> w) {
    if (w->spec.value >= 10) co_return reconcile_result::done();
    widget edited = *w;
    edited.spec.value *= 10;
    client c = ctx.get_cluster().get_client();
    const auto written = co_await c.patch(*w, edited);
    if (!written) co_return written.error();
    co_return reconcile_result::done();
}

request to_hub(const widget& w) { return {"hub", w.metadata.namespace_.str(), w.metadata.name.str()}; }

}  // namespace

TEST_CASE_FIXTURE(fixture, "one controller reconciles the objects of all clusters, each with its own client") {
    REQUIRE(multicluster_controller(*m, "multiply").for_<widget>().complete(multiply));
    want({"a", "b"});
    CHECK(value_in("a", "of-a") == 10);
    CHECK(value_in("b", "of-b") == 10);
    CHECK(value_in("hub", "of-hub") == 1);
    want({"a", "b", "hub"});
    CHECK(value_in("hub", "of-hub") == 10);
}

TEST_CASE("an index is made as a cluster engages, and holds that cluster's objects") {
    std::map<std::string, store_index> held;
    fixture f([&](multicluster_options& o) {
        o.on_engage([&](engaged_cluster& c) {
            auto made = c.get_informer<widget>()->add_index(
                "value", [](const widget& w) { return std::to_string(w.spec.value); });
            held.insert_or_assign(c.name(), std::move(made).value());
        });
        o.on_disengage([&](engaged_cluster& c) { held.erase(c.name()); });
    });
    const auto look = [&](reconcile_context ctx, request req) {
        const auto same = ctx.get_cluster().get_informer<widget>()->by_index("value", "7").value();
        for (const widget& one : same) f.seen.insert(req.cluster + ":" + one.metadata.name.str());
        return reconcile_result::done();
    };
    REQUIRE(multicluster_controller(*f.m, "look").for_<widget>().complete(look));
    f.add("a").create("seven", 7);
    f.want({"a"});
    CHECK(f.take() == names{"a:seven", "a:seven"});  // asked for by each of the two objects
    f.add("b").create("seven-too", 7);
    f.want({"a", "b"});  // and late
    CHECK(f.take() == names{"b:seven-too", "b:seven-too"});
    f.want({"a"});
    f.want({"a", "b"});  // and again, with another cache
    CHECK(f.take() == names{"b:seven-too", "b:seven-too"});
}

TEST_CASE_FIXTURE(fixture, "the log names the cluster, the namespace and the object of a reconcile that fails") {
    const auto fail = [](reconcile_context, request) -> result<reconcile_result> {
        return error(errc::unavailable, "not now");
    };
    REQUIRE(multicluster_controller(*m, "fail").for_<widget>().complete(fail));
    want({"a"});
    CHECK(log.find("cluster=a") != std::string::npos);
    CHECK(log.find("namespace=default") != std::string::npos);
    CHECK(log.find("name=of-a") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "the same reconciler serves the one cluster of a manager") {
    manager one(env, home, connect(add("a").config()));
    REQUIRE(controller_builder(one, "multiply").for_<widget>().complete(multiply));
    REQUIRE(controller_builder(one, "tell").for_<widget>().complete(telling()));
    one.start();
    settle();
    CHECK(value_in("a", "of-a") == 10);
    CHECK(take().contains(":of-a"));
    world.ends_within(1min, one.stop());
}

TEST_CASE_FIXTURE(fixture, "a request is of its cluster, however it was added") {
    add("a").create("of-hub", 1);
    const auto made = multicluster_controller(*m, "tell").for_<widget>().complete(telling());
    REQUIRE(made);
    want({"a", "hub"});
    CHECK(take() == names{"a:of-a", "a:of-hub", "hub:of-hub"});
    CHECK((*made)->enqueue({"a", "default", "of-hub"}));
    settle();
    CHECK(take() == names{"a:of-hub"});
    // Of a cluster's own controller, where nobody says which cluster it is.
    std::shared_ptr<controller> own;
    multicluster_options o;
    o.transport(network.factory()).on_engage([&](engaged_cluster& c) {
        own = controller_builder(c, "own").for_<widget>().complete(telling()).value();
    });
    multicluster_manager other(env, home, std::move(o));
    other.set_desired({desired_cluster("b", add("b").config())});
    settle();
    CHECK(take() == names{"b:of-b"});
    own->enqueue(request("default", "of-b"));
    own->enqueue(request("b", "default", "of-b"));
    settle();
    CHECK(take() == names{"b:of-b"});
    world.ends_within(1min, other.stop());
}

TEST_CASE_FIXTURE(fixture, "a controller that is made late is made in the clusters that have engaged") {
    want({"a", "b"});
    const auto made = multicluster_controller(*m, "tell").for_<widget>().complete(telling());
    REQUIRE(made);
    settle();
    CHECK(take() == names{"a:of-a", "b:of-b"});
    CHECK((*made)->clusters() == std::vector<std::string>{"a", "b"});
    const auto twice = multicluster_controller(*m, "tell").for_<widget>().complete(telling());
    REQUIRE_FALSE(twice);
    CHECK(twice.error().what() == "the name tell is taken");
}

TEST_CASE_FIXTURE(fixture, "new credentials reconcile nothing twice, and a cluster that left and comes back all") {
    const auto made = multicluster_controller(*m, "tell").for_<widget>().complete(telling());
    want({"a", "b"});
    take();
    want({"a", "b"}, "another-token");
    CHECK(take() == names{});
    want({"b"});
    CHECK((*made)->clusters() == std::vector<std::string>{"b"});
    add("a").create("later", 1);
    settle();
    CHECK(take() == names{});
    want({"a", "b"}, "another-token");
    CHECK(take() == names{"a:later", "a:of-a"});
}

TEST_CASE_FIXTURE(fixture, "what runs in a cluster that leaves is told so, and nothing of it runs afterwards") {
    std::string ended;
    int others = 0;
    const auto linger = [&](reconcile_context ctx, request req) -> reconciliation {
        if (req.cluster == "b") {
            ++others;
            co_return reconcile_result::requeue_after(1s);
        }
        async_event never;
        co_await never.wait(ctx.env(), ctx.stop());
        ended += req.name + ": " + std::string(to_string(ctx.stop_reason())) + "; ";
        co_return reconcile_result::requeue();
    };
    REQUIRE(multicluster_controller(*m, "linger").for_<widget>().complete(linger));
    add("a").create("second", 1);
    want({"a", "b"});
    CHECK(ended.empty());
    CHECK(others > 3);
    const int before = others;
    want({"b"});
    CHECK(ended == "of-a: cluster disengaged; ");
    settle(1min);
    CHECK(ended == "of-a: cluster disengaged; ");
    CHECK(others > before + 50);
    CHECK(network.open_exchanges("a") == 0);
}

TEST_CASE_FIXTURE(fixture, "a cluster that can't be reached costs the others no reconcile") {
    network.set_link("a", link_state::black_hole);
    REQUIRE(multicluster_controller(*m, "tell").for_<widget>().complete(telling()));
    want({"a", "b"});
    CHECK(take() == names{"b:of-b"});
    settle(10min);
    network.set_link("a", link_state::up);
    settle(1min);
    CHECK(take() == names{"a:of-a"});
}

TEST_CASE_FIXTURE(fixture, "the clusters of a controller can be chosen") {
    REQUIRE(multicluster_controller(*m, "some").for_<widget>().clusters({"a", "c"}).complete(telling()));
    want({"a", "b", "hub"});
    CHECK(take() == names{"a:of-a"});
    REQUIRE(multicluster_controller(*m, "others").for_<widget>().all_clusters_except({"a"}).complete(telling()));
    settle();
    CHECK(take() == names{"b:of-b", "hub:of-hub"});
}

TEST_CASE_FIXTURE(fixture, "clusters can be chosen by label, and one whose labels change leaves and joins") {
    const auto east = label_selector::parse("region=east").value();
    REQUIRE(multicluster_controller(*m, "tell").for_<widget>().clusters(east).complete(telling()));
    desired_cluster a("a", add("a").config()), b("b", add("b").config());
    a.labels = {{"region", "east"}};
    m->set_desired({a, b});
    settle();
    CHECK(take() == names{"a:of-a"});
    a.labels = {};
    b.labels = {{"region", "east"}};
    m->set_desired({a, b});
    settle();
    CHECK(take() == names{"b:of-b"});
    add("a").create("later", 1);
    settle();
    CHECK(take() == names{});
    CHECK(m->names() == std::vector<std::string>{"a", "b"});
}

TEST_CASE_FIXTURE(fixture, "a request for another cluster goes there, and waits until somebody works on it") {
    const auto made = multicluster_controller(*m, "tell").for_<widget>().watches<widget>(to_hub).complete(telling());
    REQUIRE(made);
    want({"a", "b"});
    CHECK(take() == names{"a:of-a", "b:of-b"});
    CHECK((*made)->waiting() == 2);
    add("a").set_value("of-a", 2);
    settle();
    CHECK(take() == names{"a:of-a"});
    CHECK((*made)->waiting() == 2);  // the same request
    want({"a", "b", "hub"});
    CHECK(take() == names{"hub:of-a", "hub:of-b", "hub:of-hub"});
    CHECK((*made)->waiting() == 0);
    add("b").set_value("of-b", 2);
    settle();
    CHECK(take() == names{"b:of-b", "hub:of-b"});
    // While it is away they wait, and they are dropped with a cluster that nobody wants.
    want({"a", "b"});
    add("a").set_value("of-a", 3);
    settle();
    CHECK((*made)->waiting() == 1);
    want({"a", "b", "hub"});
    CHECK(take() == names{"a:of-a", "hub:of-a", "hub:of-hub"});
    CHECK((*made)->dropped() == 0);
}

TEST_CASE_FIXTURE(fixture,
                  "a request for a cluster that can't be reached for long is not lost with its controller's runs") {
    network.set_link("hub", link_state::black_hole);
    const auto made = multicluster_controller(*m, "tell").for_<widget>().watches<widget>(to_hub).complete(telling());
    want({"a", "hub"});
    settle(30min);  // its sources did not sync in time, again and again
    CHECK(take() == names{"a:of-a"});
    network.set_link("hub", link_state::up);
    settle(3min);
    CHECK(take() == names{"hub:of-a", "hub:of-hub"});
    CHECK((*made)->waiting() == 0);
}

TEST_CASE_FIXTURE(fixture, "too many requests for a cluster that never comes are dropped, which is told and counted") {
    const auto made = multicluster_controller(*m, "tell").for_<widget>().complete(telling());
    for (int i = 0; i < 10'000; ++i) CHECK((*made)->enqueue({"never", "default", "w" + std::to_string(i)}));
    CHECK_FALSE((*made)->enqueue({"never", "default", "one-more"}));
    CHECK((*made)->enqueue({"never", "default", "w7"}));
    CHECK((*made)->waiting() == 10'000);
    CHECK((*made)->dropped() == 1);
    CHECK(log.find("further ones are dropped") != std::string::npos);
    want({"a"});
    CHECK(take() == names{"a:of-a"});
}

namespace {

// Makes the widget of its cluster's what that of the hub is.
reconciliation follow(reconcile_context ctx, request req, std::shared_ptr<const widget> wanted) {
    client c = ctx.get_cluster().get_client();
    if (!wanted) {
        const auto removed = co_await c.delete_<widget>(req, delete_options().ignore_not_found());
        if (!removed) co_return removed.error();
        co_return reconcile_result::done();
    }
    const auto there = co_await c.get<widget>(req);
    if (there && there->spec.value == wanted->spec.value) co_return reconcile_result::done();
    widget next;
    next.metadata.namespace_ = wanted->metadata.namespace_;
    next.metadata.name = wanted->metadata.name;
    next.spec = wanted->spec;
    if (there) {
        next = *there;
        next.spec = wanted->spec;
        const auto written = co_await c.patch(*there, next);
        if (!written) co_return written.error();
    } else if (there.error().code() == condition::not_found) {
        const auto made = co_await c.create(next);
        if (!made) co_return made.error();
    } else {
        co_return there.error();
    }
    co_return reconcile_result::done();
}

struct hub_fixture : fixture {
    hub_fixture() {
        const auto same = [](const widget& w) { return request(key_of(w.metadata)); };
        REQUIRE(multicluster_controller(*m, "follow")
                    .for_in<widget>("hub")
                    .watches<widget>(same)
                    .all_clusters_except({"hub"})
                    .complete(follow));
    }
};

}  // namespace

TEST_CASE_FIXTURE(hub_fixture,
                  "clusters follow the objects of one: new ones, changes, deletions, and one that is late") {
    want({"hub", "a"});
    CHECK(value_in("a", "of-hub") == 1);
    CHECK(value_in("a", "of-a") == -1);  // of which the hub has none
    add("hub").create("second", 2);
    add("hub").set_value("of-hub", 3);
    settle();
    CHECK(value_in("a", "of-hub") == 3);
    CHECK(value_in("a", "second") == 2);
    want({"hub", "a", "b"});
    CHECK(value_in("b", "of-hub") == 3);
    CHECK(value_in("b", "second") == 2);
    add("hub").remove("second");
    settle();
    CHECK(value_in("a", "second") == -1);
    CHECK(value_in("b", "second") == -1);
    // What somebody else changes in a cluster is put right.
    add("a").set_value("of-hub", 99);
    add("b").remove("of-hub");
    settle();
    CHECK(value_in("a", "of-hub") == 3);
    CHECK(value_in("b", "of-hub") == 3);
}

TEST_CASE_FIXTURE(hub_fixture,
                  "while the cluster that is followed is away nothing is removed, and then all is put right") {
    add("hub").create("second", 2);
    want({"hub", "a"});
    want({"a"});
    CHECK(value_in("a", "of-hub") == 1);
    add("hub").remove("second");
    add("hub").set_value("of-hub", 4);
    add("hub").create("third", 3);
    add("a").remove("of-hub");
    settle();
    CHECK(value_in("a", "of-hub") == 1);  // of what was known last
    CHECK(value_in("a", "second") == 2);
    want({"hub", "a"});
    CHECK(value_in("a", "of-hub") == 4);
    CHECK(value_in("a", "second") == -1);
    CHECK(value_in("a", "third") == 3);
}

TEST_CASE_FIXTURE(hub_fixture, "nothing is done before the cluster that is followed was listed") {
    network.set_link("hub", link_state::black_hole);
    want({"hub", "a"});
    settle(5min);
    CHECK(value_in("a", "of-a") == 1);
    CHECK(value_in("a", "of-hub") == -1);
    network.set_link("hub", link_state::up);
    settle(3min);
    CHECK(value_in("a", "of-a") == -1);
    CHECK(value_in("a", "of-hub") == 1);
}

TEST_CASE_FIXTURE(hub_fixture,
                  "a cluster moves to another server while a write is under way: it is written there, too") {
    want({"hub", "a"});
    add("a").api.set_faults([](const http::server_request& asked) {
        return asked.method == "POST" ? testing::fault().delay(10s) : testing::fault();
    });
    add("hub").create("second", 2);
    settle(5s);
    m->set_desired({{"hub", add("hub").config()}, {"a", add("moved").config()}});
    settle(1min);
    CHECK(value_in("a", "second") == 2);  // the former server has taken it
    CHECK(value_in("moved", "second") == 2);
    CHECK(value_in("moved", "of-hub") == 1);
}
