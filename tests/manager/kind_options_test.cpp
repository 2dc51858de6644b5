// What a builder says of how the objects of a kind are cached, on a simulated cluster.
#include <kcontrol/manager/manager.hpp>

#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

struct fixture : widget_world {
    fixture() : server(add("a")) {
        server.api.register_resource({"test.kcontrol.dev", "v1", "Gadget", "gadgets"});
        for (const auto* ns : {"team-a", "team-b"}) {
            (void)server.api.create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}})
                .value();
            server.create("w", 1, ns);
        }
        server.create("w", 1);
        m.emplace(env, home, connect(server.config("token")));
    }
    ~fixture() {
        run(m->stop());
        settle();
    }
    void settle(duration d = 2s) { context.run_for(d); }
    void create_gadget(const std::string& name, const char* app) {
        (void)server.api
            .create({{"apiVersion", "test.kcontrol.dev/v1"},
                     {"kind", "Gadget"},
                     {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", {{"app", app}}}}},
                     {"spec", {{"value", 1}}}})
            .value();
    }
    auto note() {
        return [this](reconcile_context, const request& req) {
            seen.insert(to_string(req));
            return reconcile_result::done();
        };
    }
    void start() {
        m->start();
        settle();
    }

    widget_server& server;
    std::optional<manager> m;
    std::set<std::string> seen;
};

using names = std::set<std::string>;

TEST_CASE_FIXTURE(fixture, "kind options: a builder's namespaces are those that are watched") {
    const auto made = controller_builder(*m, "widgets")
                          .for_<widget>([](const widget& w) { return w.spec.value > 0; },
                                        kind_options().namespaces({"team-b", "team-a"}))
                          .complete(note());
    REQUIRE(made.has_value());
    start();
    CHECK(seen == names{"team-a/w", "team-b/w"});
    CHECK(server.watches() == 2);
    // The client reads from the same caches.
    CHECK(run(m->get_client().get<widget>({"team-a", "w"})).has_value());
    CHECK(run(m->get_client().get<widget>({"default", "w"})).error() == errc::invalid_argument);
}

TEST_CASE_FIXTURE(fixture, "kind options: selectors and transforms of owned and watched kinds, and of metadata alone") {
    create_gadget("a", "web");
    create_gadget("b", "db");
    std::int64_t value = 0;
    const auto to_itself = [&value](const gadget& g) {
        value = g.spec.value;
        return request(key_of(g.metadata));
    };
    const auto tenfold = transform_of<gadget>([](gadget& g) { g.spec.value *= 10; });
    const auto made =
        controller_builder(*m, "widgets")
            .for_<widget>(metadata_only, kind_options(informer_options().in_namespace("team-a")))
            .owns<gadget>(metadata_only, kind_options().label_selector("app=db"))
            .watches<gadget>(to_itself, kind_options().label_selector("app=web").transform(tenfold), create_only)
            .complete(note());
    REQUIRE(made.has_value());
    start();
    CHECK(seen == names{"team-a/w", "default/a"});
    CHECK(value == 10);
    CHECK(server.api.request_log().count("watch", "gadgets") == 2);
    CHECK(run(m->get_client().get<gadget>({"default", "a"}))->spec.value == 10);
}

TEST_CASE_FIXTURE(fixture,
                  "kind options: beyond a memory budget reconcilers and reads get whole objects all the same") {
    std::map<std::string, std::int64_t> values;
    const auto look = [&values](reconcile_context, const std::shared_ptr<const widget>& w) {
        values[w->metadata.namespace_.str()] = w->spec.value;
        return reconcile_result::done();
    };
    std::map<std::string, std::string> looked_up;
    const auto look_up = [&looked_up](reconcile_context, const request& req, const std::shared_ptr<const widget>& w) {
        looked_up[req.namespace_] = w ? std::to_string(w->spec.value) : "gone";
        return reconcile_result::done();
    };
    const auto bound = kind_options(informer_options().memory_budget(100));
    REQUIRE(controller_builder(*m, "objects").for_<widget>(bound).complete(look).has_value());
    REQUIRE(controller_builder(*m, "both").for_<widget>(bound).complete(look_up).has_value());
    start();
    const auto informer = m->get_informer<widget>();
    REQUIRE(informer->metadata_only());
    CHECK(informer->get({"team-a", "w"})->spec.value == 0);
    // An event is told whole, and so is what is asked for later.
    server.api.patch(widgets, {"team-a", "w"}, {{"spec", {{"value", 7}}}}).value();
    settle();
    CHECK(values["team-a"] == 7);
    CHECK(values["team-b"] == 1);
    CHECK(looked_up["team-a"] == "7");
    const std::size_t asked = server.api.request_log().count("get", "widgets");
    CHECK(asked >= 2);
    CHECK(run(m->get_client().get<widget>({"team-b", "w"}))->spec.value == 1);
    const auto listed = run(m->get_client().list<widget>());
    REQUIRE(listed.has_value());
    CHECK(listed->size() == 3);
    CHECK(listed->front()->spec.value == 1);
    CHECK(server.api.request_log().count("get", "widgets") == asked + 1);
    // What is gone meanwhile is gone.
    server.api.remove(widgets, {"team-b", "w"}).value();
    settle();
    CHECK(looked_up["team-b"] == "gone");
}

TEST_CASE_FIXTURE(fixture, "kind options: a transform that comes too late is told") {
    (void)m->get_informer<widget>();
    const auto thrice = transform_of<widget>([](widget& w) { w.spec.value *= 3; });
    const auto late = controller_builder(*m, "widgets")
                          .for_<widget>(kind_options().transform(thrice))
                          .owns<gadget>()
                          .complete(note());
    REQUIRE(late.has_error());
    CHECK(late.error() == errc::invalid_argument);
    CHECK(late.error().what().find("controller widgets: the transform of Widget comes too late") != std::string::npos);
    // In another scope it is in time.
    CHECK(controller_builder(*m, "widgets")
              .for_<widget>(kind_options().transform(thrice).namespaces({"team-a"}))
              .complete(note())
              .has_value());
    start();
    CHECK(seen == names{"team-a/w"});
}

}  // namespace
