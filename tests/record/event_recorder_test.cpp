#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/events/v1.hpp>
#include <kcontrol/record/event_recorder.hpp>

#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

template <class Event>
std::string text_of(const Event& e) {
    if constexpr (std::is_same_v<Event, api::core::v1::event>) {
        return std::string(e.message) + " x" + std::to_string(e.count.value_or(0));
    } else {
        return std::string(e.note) + " x" + std::to_string(e.series ? e.series->count : 1);
    }
}

struct fixture : widget_world {
    fixture() : server(add("a")) {
        server.api.register_resource(testing::resource_type_of(resource_of<api::events::v1::event>()));
        sky.metadata.name = "sky";
        sky.metadata.namespace_ = "default";
        sky.metadata.uid = "u1";
    }
    // A context that dies with coroutines suspended on their own events would leak them.
    ~fixture() {
        if (recorder) ends_within(1min, stop());
    }
    void make(event_recorder_options options = event_recorder_options("test")) {
        recorder.emplace(env, home, connect(server.config("1")), options.instance("here"),
                         logger([this](const auto& r) {
                             told.push_back(std::string(r.message));
                             for (const auto& f : r.fields) told.back() += " " + std::string(f.name) + "=" + f.value;
                         }));
        recorder->start();
    }
    awaitable<void> stop(duration drain = 5s) { drained = co_await recorder->stop(drain); }
    void settle(duration d = 1s) { context.run_for(d); }

    template <class Event = api::events::v1::event>
    std::vector<Event> events() {
        const auto all = world.run(connect(server.config("2")).list<Event>());
        REQUIRE(all);
        std::vector<Event> out;
        for (const auto& one : *all) out.push_back(*one);
        return out;
    }
    template <class Event = api::events::v1::event>
    std::string texts() {
        std::string out;
        for (const auto& e : events<Event>()) out += (out.empty() ? "" : ", ") + text_of(e);
        return out;
    }

    widget_server& server;
    widget sky;
    std::optional<event_recorder> recorder;
    std::vector<std::string> told;
    bool drained = false;
};

TEST_CASE_FIXTURE(fixture, "event_recorder: an Event of events.k8s.io/v1 says what happened to what, and who reports") {
    make();
    recorder->warning(sky, "Clouded", "the sun is gone");
    settle();
    const auto all = events();
    REQUIRE(all.size() == 1);
    const auto& e = all.front();
    CHECK(e.type == "Warning");
    CHECK(e.reason == "Clouded");
    CHECK(e.action == "Clouded");
    CHECK(e.note == "the sun is gone");
    CHECK(e.regarding.api_version == "test.kcontrol.dev/v1");
    CHECK(e.regarding.kind == "Widget");
    CHECK(e.regarding.namespace_ == "default");
    CHECK(e.regarding.name == "sky");
    CHECK(e.regarding.uid == "u1");
    CHECK(e.reporting_controller == "test");
    CHECK(e.reporting_instance == "here");
    CHECK(e.event_time.present());
    CHECK(e.metadata.namespace_ == "default");
    CHECK(e.metadata.name.str().starts_with("sky."));
    CHECK(recorder->stats().created == 1);
    CHECK(told.empty());
}

TEST_CASE_FIXTURE(fixture, "event_recorder: repeats raise the count of one Event, in either API") {
    bool core = false;  // a server of its own each: both APIs show the same Events
    SUBCASE("events.k8s.io/v1") { core = false; }
    SUBCASE("v1") { core = true; }
    make(event_recorder_options("test").core_v1(core));
    recorder->normal(sky, "Blue", "as ever");
    settle();
    const auto first = core ? texts<api::core::v1::event>() : texts();
    CHECK(first == "as ever x1");
    for (int i = 0; i < 3; ++i) recorder->normal(sky, "Blue", "as ever");
    settle();
    CHECK((core ? texts<api::core::v1::event>() : texts()) == "as ever x4");
    CHECK(recorder->stats().created == 1);
    CHECK(recorder->stats().repeated == 3);
    ends_within(1min, stop());
}

TEST_CASE_FIXTURE(fixture, "event_recorder: an Event has its note's annotations, and its repeats keep them") {
    bool core = false;
    SUBCASE("events.k8s.io/v1") { core = false; }
    SUBCASE("v1") { core = true; }
    make(event_recorder_options("test").core_v1(core));
    const auto note = [](const char* value) {
        return event_note::normal("Blue", "as ever").annotation("a.test/x", value).annotation("a.test/y", "2");
    };
    recorder->record(reference_to(sky), note("1"));
    recorder->record(reference_to(sky), note("other"));
    settle();
    const auto annotations =
        core ? events<api::core::v1::event>().at(0).metadata.annotations : events().at(0).metadata.annotations;
    CHECK(annotations.size() == 2);
    CHECK(*annotations.get("a.test/x") == "1");
    CHECK(*annotations.get("a.test/y") == "2");
    CHECK((core ? texts<api::core::v1::event>() : texts()) == "as ever x2");
}

TEST_CASE_FIXTURE(fixture, "event_recorder: a cluster-scoped object's Events are in the namespace default") {
    make();
    recorder->record({{"", "v1", "Node"}, {"", "n1"}, "u2"}, event_note::normal("Ready", "it is").action("Checking"));
    settle();
    REQUIRE(events().size() == 1);
    CHECK(events().front().metadata.namespace_ == "default");
    CHECK(events().front().regarding.namespace_ == "");
    CHECK(events().front().action == "Checking");
}

TEST_CASE_FIXTURE(fixture, "event_recorder: what is longer than the API takes is cut off between characters") {
    make();
    std::string message(1019, 'x');
    message += "\u00e9\u00e9\u00e9";  // two bytes each
    recorder->record(reference_to(sky), event_note::normal(std::string(200, 'R'), message));
    sky.metadata.name = std::string(253, 'n');
    recorder->normal(sky, "Long", "name");
    settle();
    const auto all = events();
    REQUIRE(all.size() == 2);
    for (const auto& e : all) {
        CHECK(e.metadata.name.str().size() <= 253);
        if (e.note == "name") continue;
        CHECK(e.note == std::string(1019, 'x') + "\u00e9...");
        CHECK(e.reason.str().size() == 128);
    }
}

TEST_CASE_FIXTURE(fixture, "event_recorder: an Event that has expired meanwhile is created again") {
    make();
    recorder->normal(sky, "Blue", "as ever");
    settle();
    (void)server.api.remove({"events.k8s.io", "events"}, {"default", std::string(events().front().metadata.name)});
    recorder->normal(sky, "Blue", "as ever");
    settle();
    CHECK(texts() == "as ever x2");
    CHECK(recorder->stats().created == 2);
}

TEST_CASE_FIXTURE(fixture, "event_recorder: while nobody answers it is tried again, told once, and nothing waits") {
    make();
    network.set_link("a", testing::link_state::refused);
    recorder->normal(sky, "Blue", "as ever");
    recorder->normal(sky, "Grey", "now and then");
    settle(45s);
    CHECK(recorder->stats().created == 0);
    CHECK(recorder->stats().queued == 1);
    CHECK(told.size() == 1);
    network.set_link("a", testing::link_state::up);
    settle(11s);
    CHECK(texts() == "as ever x1, now and then x1");
    REQUIRE(told.size() == 2);
    CHECK(told[0].find("an Event can't be written reason=") == 0);
    CHECK(told[0].find("object=Widget default/sky") != std::string::npos);
    CHECK(told[1].find("Events are written again after_seconds=") == 0);
}

TEST_CASE_FIXTURE(fixture, "event_recorder: after so many tries a note is given up, and the next one has its own") {
    make(event_recorder_options("test").retries(3, 10s));
    network.set_link("a", testing::link_state::refused);
    recorder->normal(sky, "Blue", "as ever");
    settle(30s);
    CHECK(recorder->stats().failed == 1);
    network.set_link("a", testing::link_state::up);
    recorder->normal(sky, "Grey", "now and then");
    settle();
    CHECK(texts() == "now and then x1");
}

TEST_CASE_FIXTURE(fixture, "event_recorder: what the server refuses is told and not tried again") {
    make();
    server.api.set_faults([](const http::server_request& request) {
        testing::fault out;
        if (request.method == "POST") out.status(403, "Forbidden", "no rights");
        return out;
    });
    recorder->normal(sky, "Blue", "as ever");
    recorder->normal(sky, "Grey", "now and then");
    settle(1min);
    CHECK(recorder->stats().failed == 2);
    CHECK(server.api.request_log().count("create", "events") == 2);
    REQUIRE(told.size() == 1);
    CHECK(told[0].find("no rights") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "event_recorder: a full queue drops what comes, told once a minute") {
    make(event_recorder_options("test").queue(2));
    network.set_link("a", testing::link_state::black_hole);
    recorder->normal(sky, "R", "0");
    settle();
    for (int i = 1; i <= 6; ++i) recorder->normal(sky, "R", std::to_string(i));
    CHECK(recorder->stats().queued == 2);
    CHECK(recorder->stats().dropped == 4);
    REQUIRE(told.size() == 1);
    CHECK(told[0] == "Events are dropped: too many wait to be written dropped=1");
}

TEST_CASE_FIXTURE(fixture, "event_recorder: a stop writes what waits, and takes no more") {
    make();
    for (int i = 0; i < 5; ++i) recorder->normal(sky, "R", std::to_string(i));
    CHECK(ends_within(1s, stop()));
    CHECK(drained);
    CHECK(events().size() == 5);
    recorder->normal(sky, "R", "late");
    settle();
    CHECK(events().size() == 5);
    CHECK(recorder->stats().dropped == 1);
}

TEST_CASE_FIXTURE(fixture, "event_recorder: a stop is no longer than its drain") {
    make();
    network.set_link("a", testing::link_state::black_hole);
    for (int i = 0; i < 5; ++i) recorder->normal(sky, "R", std::to_string(i));
    settle();
    CHECK(ends_within(6s, stop(5s)));
    CHECK(!drained);
    CHECK(recorder->stats().queued == 0);
    CHECK(recorder->stats().dropped == 4);
    CHECK(network.open_exchanges("a") == 0);
}

TEST_CASE_FIXTURE(fixture, "event_recorder: it starts again, also while it stops") {
    make();
    recorder->normal(sky, "R", "1");
    CHECK(ends_within(1s, stop()));
    recorder->start();
    recorder->normal(sky, "R", "2");
    settle();
    CHECK(texts() == "1 x1, 2 x1");
    recorder->normal(sky, "R", "3");
    asio::co_spawn(home, stop(), asio::detached);
    settle(1ms);
    recorder->start();
    recorder->start();
    recorder->normal(sky, "R", "4");
    settle();
    CHECK(texts() == "1 x1, 2 x1, 3 x1, 4 x1");
}

TEST_CASE_FIXTURE(fixture, "event_recorder: a stopped parent ends it") {
    make();
    ends_within(1s, stop());
    std::stop_source parent;
    recorder->start(parent.get_token());
    settle();
    parent.request_stop();
    settle();
    recorder->normal(sky, "R", "1");
    settle();
    CHECK(events().empty());
    recorder->start();
    settle();
    CHECK(events().size() == 1);
}

}  // namespace
