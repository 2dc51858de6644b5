#include <kcontrol/record/event_correlator.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;

constexpr time_point t0{1h};
constexpr wall_time w0{1000h};
const group_version_kind pods("", "v1", "Pod");

object_reference pod(std::string name) { return {pods, {"default", name}, "uid-" + name}; }

struct table {
    explicit table(event_limits limits = {}) : correlator(limits) {}
    event_decision take(const object_reference& about, const event_note& note) {
        return correlator.take(about, note, t0 + after, w0 + after);
    }
    event_correlator correlator;
    duration after{};
};

TEST_CASE("event_correlator: what is told again is the same Event with a higher count") {
    table t;
    const event_note note = event_note::normal("Started", "it runs");
    const auto first = t.take(pod("a"), note);
    CHECK(first.write);
    CHECK(first.name.empty());
    CHECK(first.count == 1);
    CHECK(first.message == "it runs");
    t.correlator.stored(first.key, "a.1");
    t.after = 1min;
    const auto second = t.take(pod("a"), note);
    CHECK(second.key == first.key);
    CHECK(second.name == "a.1");
    CHECK(second.count == 2);
    CHECK(second.first == w0);
    t.correlator.forget(first.key);
    const auto third = t.take(pod("a"), note);
    CHECK(third.name.empty());
    CHECK(third.count == 3);
}

TEST_CASE("event_correlator: each part tells Events apart") {
    const event_note note = event_note::normal("Started", "it runs");
    const auto key_of_note = [](const object_reference& about, const event_note& n) {
        return table().take(about, n).key;
    };
    const auto key = key_of_note(pod("a"), note);
    CHECK(key_of_note(pod("a"), event_note::normal("Started", "it runs")) == key);
    auto again = pod("a");
    again.uid = "another";
    auto newer = pod("a");
    newer.resource_version = "7";
    CHECK(key_of_note(newer, note) == key);
    for (const auto& other : {key_of_note(pod("b"), note), key_of_note(again, note),
                              key_of_note({{"apps", "v1", "Pod"}, {"default", "a"}, "uid-a"}, note),
                              key_of_note({pods, {"other", "a"}, "uid-a"}, note),
                              key_of_note(pod("a"), event_note::warning("Started", "it runs")),
                              key_of_note(pod("a"), event_note::normal("Stopped", "it runs")),
                              key_of_note(pod("a"), event_note::normal("Started", "it runs again")),
                              key_of_note(pod("a"), event_note(note).action("Binding")),
                              key_of_note(pod("a"), event_note(note).related(pod("b")))}) {
        CHECK(other != key);
    }
}

TEST_CASE("event_correlator: from the tenth different message on all are one Event, until it was quiet for a while") {
    table t;
    const auto note = [](int i) { return event_note::warning("Failed", "try " + std::to_string(i)); };
    for (int i = 1; i <= 9; ++i) CHECK(t.take(pod("a"), note(i)).message == "try " + std::to_string(i));
    const auto tenth = t.take(pod("a"), note(10));
    CHECK(tenth.message == "(combined from similar events): try 10");
    t.after = 10min;
    const auto next = t.take(pod("a"), note(11));
    CHECK(next.key == tenth.key);
    CHECK(next.count == 2);
    // Another reason, and another object, are none of it.
    CHECK(t.take(pod("a"), event_note::normal("Started", "x")).message == "x");
    CHECK(t.take(pod("b"), note(12)).message == "try 12");
    t.after += 10min + 1s;
    CHECK(t.take(pod("a"), note(13)).message == "try 13");
}

TEST_CASE("event_correlator: it remembers at least what was last") {
    table t;
    t.correlator = event_correlator(event_limits().remembered(0));
    CHECK(t.take(pod("a"), event_note::normal("Started", "x")).write);
    CHECK(t.take(pod("a"), event_note::normal("Started", "x")).count == 2);
    CHECK(t.take(pod("b"), event_note::normal("Started", "x")).count == 1);
    CHECK(t.take(pod("a"), event_note::normal("Started", "x")).count == 1);
}

TEST_CASE("event_correlator: about one object so many are written at once, then one a period") {
    table t;
    const auto note = [](int i) { return event_note::normal("R" + std::to_string(i), "m"); };
    for (int i = 0; i < 25; ++i) CHECK(t.take(pod("a"), note(i)).write);
    CHECK(!t.take(pod("a"), note(25)).write);
    CHECK(t.take(pod("b"), note(25)).write);
    t.after = 5min - 1s;
    CHECK(!t.take(pod("a"), note(26)).write);
    t.after = 5min;
    CHECK(t.take(pod("a"), note(27)).write);
    CHECK(!t.take(pod("a"), note(28)).write);
    t.after = 24h;
    for (int i = 0; i < 25; ++i) CHECK(t.take(pod("a"), note(i)).write);
    CHECK(!t.take(pod("a"), note(25)).write);
}

TEST_CASE("event_correlator: a repeat that was not let through is counted in the next that is") {
    table t(event_limits().spam(1, 1min));
    const event_note note = event_note::normal("Started", "it runs");
    CHECK(t.take(pod("a"), note).count == 1);
    CHECK(!t.take(pod("a"), note).write);
    t.after = 1min;
    const auto third = t.take(pod("a"), note);
    CHECK(third.write);
    CHECK(third.count == 3);
}

TEST_CASE("event_correlator: it remembers so many and no more") {
    table t(event_limits().remembered(2));
    const event_note note = event_note::normal("Started", "it runs");
    t.take(pod("a"), note);
    t.take(pod("b"), note);
    t.take(pod("a"), note);
    t.take(pod("c"), note);  // b is forgotten, a was used since
    CHECK(t.take(pod("a"), note).count == 3);
    CHECK(t.take(pod("b"), note).count == 1);
}

TEST_CASE("event_correlator: it remembers 4096 unless it is said") {
    table t;
    const event_note note = event_note::normal("Started", "it runs");
    for (int i = 0; i < 4096; ++i) t.take(pod(std::to_string(i)), note);
    CHECK(t.take(pod("0"), note).count == 2);
    t.take(pod("4096"), note);  // 1 is forgotten
    CHECK(t.take(pod("2"), note).count == 2);
    CHECK(t.take(pod("1"), note).count == 1);
}

}  // namespace
