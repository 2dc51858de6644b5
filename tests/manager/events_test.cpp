// Events that a manager's controllers record: written while it runs, and to the last one when it stops.
#include <kcontrol/api/events/v1.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/record/event_recorder.hpp>

#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

namespace {

struct fixture : widget_world {
    fixture() : server(add("a")) {
        server.api.register_resource(testing::resource_type_of(resource_of<api::events::v1::event>()));
        server.create("x", 1);
    }
    std::set<std::string> written() {
        std::set<std::string> out;
        const auto events = run(connect(server.config()).list<api::events::v1::event>());
        for (const auto& e : *events) out.insert(e->note.str());
        return out;
    }
    widget_server& server;
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "what a reconcile records is written, also what it says because the manager stops") {
    manager m(env, home, connect(server.config()));
    const auto events = m.get_event_recorder("example.com/test");
    CHECK(m.get_event_recorder("example.com/test") == events);
    const auto reconcile = [&](reconcile_context ctx, std::shared_ptr<const widget> w) -> reconciliation {
        events->normal(*w, "Begun", "begun");
        co_await sleep_for(ctx.env(), 1h, ctx.stop());
        events->warning(*w, "Cut", "it was stopped");
        co_return reconcile_result::done();
    };
    REQUIRE(controller_builder(m, "widgets").for_<widget>().complete(reconcile));
    m.start();
    context.run_for(5s);
    CHECK(written() == std::set<std::string>{"begun"});
    CHECK(m.metrics().text().find("kcontrol_events_total{cluster=\"\",controller=\"example.com/test\","
                                  "outcome=\"created\"} 1\n") != std::string::npos);
    CHECK(ends_within(10s, m.stop()));
    CHECK(written() == std::set<std::string>{"begun", "it was stopped"});
}

TEST_CASE_FIXTURE(fixture, "Events that nobody takes do not hold up a manager's stop for long") {
    manager m(env, home, connect(server.config()));
    const auto events = m.get_event_recorder("example.com/test");
    m.start();
    context.run_for(1s);
    network.set_link("a", testing::link_state::black_hole);
    widget about;
    about.metadata.name = "x";
    about.metadata.namespace_ = "default";
    events->normal(about, "Said", "to nobody");
    CHECK(ends_within(8s, m.stop()));
    CHECK(events->stats().created == 0);
}
