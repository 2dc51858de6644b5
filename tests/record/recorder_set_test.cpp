#include <kcontrol/api/events/v1.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/record/recorder_set.hpp>

#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <set>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

event_recorder_options named(const char* who) {
    event_recorder_options out(who);
    out.instance("here");
    return out;
}

struct fixture : widget_world {
    fixture() : server(add("a")) {
        server.api.register_resource(testing::resource_type_of(resource_of<api::events::v1::event>()));
        sky.metadata.name = "sky";
        sky.metadata.namespace_ = "default";
        sky.metadata.uid = "u1";
        all.emplace(env, home, connect(server.config("1")));
    }
    // A context that dies with coroutines suspended on their own events would leak them.
    ~fixture() {
        if (all) run(all->stop(env.now() + 5s));
    }
    std::set<std::string> written() {
        std::set<std::string> out;
        const auto events = run(connect(server.config("reader")).list<api::events::v1::event>());
        for (const auto& e : *events) out.insert(e->reporting_controller.str() + " " + e->note.str());
        return out;
    }
    void settle() { context.run_for(1s); }

    widget_server& server;
    widget sky;
    std::optional<recorder_set> all;
};

using names = std::set<std::string>;

}  // namespace

TEST_CASE_FIXTURE(fixture, "recorder_set: one recorder for each who reports; what comes before the start is kept") {
    const auto first = all->of(named("one"));
    CHECK(all->of(named("one")) == first);
    const auto second = all->of(named("two"));
    CHECK(second != first);
    first->normal(sky, "Early", "before the start");
    settle();
    CHECK(written().empty());
    all->start();
    second->normal(sky, "Late", "after it");
    all->of(named("three"))->normal(sky, "Late", "made while it runs");
    settle();
    CHECK(written() == names{"one before the start", "two after it", "three made while it runs"});
}

TEST_CASE_FIXTURE(fixture, "recorder_set: a stop writes what waits in all of them, and a start goes on") {
    all->start();
    for (const char* who : {"one", "two"}) {
        for (int i = 0; i < 5; ++i) all->of(named(who))->normal(sky, "Said", std::to_string(i));
    }
    CHECK(run(all->stop(env.now() + 5s)));
    CHECK(written().size() == 10);
    all->of(named("one"))->normal(sky, "Said", "while it is stopped");
    all->start();
    all->of(named("one"))->normal(sky, "Said", "again");
    settle();
    CHECK(written().size() == 11);
    CHECK(all->of(named("one"))->stats().dropped == 1);
}

TEST_CASE_FIXTURE(fixture, "recorder_set: however many wait for a server that is silent, all share one deadline") {
    all->start();
    network.set_link("a", testing::link_state::black_hole);
    for (const char* who : {"one", "two", "three"}) all->of(named(who))->normal(sky, "Said", "nobody hears it");
    settle();
    const time_point before = env.now();
    CHECK(!run(all->stop(env.now() + 1min)));
    CHECK(env.now() - before < 6s);
}

TEST_CASE_FIXTURE(fixture, "recorder_set: all go over to other credentials") {
    const auto one = all->of(named("one"));
    all->start();
    server.api.access().set_tokens({{"2", "user"}, {"reader", "user"}});
    all->rebuild(connect(server.config("2")));
    one->normal(sky, "Said", "with the new token");
    all->of(named("two"))->normal(sky, "Said", "made after it");
    settle();
    CHECK(written() == names{"one with the new token", "two made after it"});
}

TEST_CASE_FIXTURE(fixture, "recorder_set: who holds a recorder longer than the set writes nothing with it") {
    const auto kept = all->of(named("one"));
    all->start();
    all.reset();
    kept->normal(sky, "Said", "too late");
    settle();
    CHECK(written().empty());
}

TEST_CASE_FIXTURE(fixture, "recorder_set: metrics say what became of the notes of each who reports") {
    metrics_registry registry;
    registry.collect([this](metrics_writer& out) { all->write_metrics(out, "a"); });
    all->start();
    for (int i = 0; i < 3; ++i) all->of(named("one"))->normal(sky, "Said", "the same");
    settle();
    const std::string text = registry.text();
    const auto has = [&](const std::string& line) { return text.find(line + "\n") != std::string::npos; };
    CHECK(has("kcontrol_events_total{cluster=\"a\",controller=\"one\",outcome=\"created\"} 1"));
    CHECK(has("kcontrol_events_total{cluster=\"a\",controller=\"one\",outcome=\"repeated\"} 2"));
    CHECK(has("kcontrol_events_queued{cluster=\"a\",controller=\"one\"} 0"));
}
