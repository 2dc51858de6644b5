// An informer whose server is away, refuses, lacks the kind, is another one or an older one, or sends what can't be
// read.
#include <kcontrol/runtime/wait.hpp>

#include "cache/fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using testing::link_state;
using fixture = informer_fixture;

TEST_CASE_FIXTURE(fixture, "informer: a half-open watch is noticed by its silence and resumed without a list") {
    server.create("x");
    watched.start();
    settle();
    take();
    network.freeze_connections("a");
    server.set_value("x", 9);
    settle(89s);
    CHECK(take().empty());
    settle(3s);
    CHECK(take() == "~x ");
    CHECK(server.lists() == 1);
    CHECK(server.watches() == 2);
}

// The server of these tests sends a bookmark every 20 s.
TEST_CASE_FIXTURE(fixture,
                  "informer: a half-open watch is noticed within three of the periods of bookmarks it has seen") {
    server.create("x");
    watched.start();
    settle(65s);
    take();
    network.freeze_connections("a");
    server.set_value("x", 9);
    settle(35s);
    CHECK(take().empty());
    settle(27s);
    CHECK(take() == "~x ");
    CHECK(server.lists() == 1);
    CHECK(server.watches() == 2);
    // The next one knows from its beginning.
    network.freeze_connections("a");
    server.set_value("x", 10);
    settle(62s);
    CHECK(take() == "~x ");
    CHECK(server.watches() == 3);
}

TEST_CASE("informer: a watch whose server has gone is ended five seconds after its time, however patient one is") {
    fixture f(informer_options().watch_timeout(30s, 30s).watch_idle(1h));
    f.server.create("x");
    f.watched.start();
    f.settle();
    f.take();
    f.network.freeze_connections("a");
    f.server.set_value("x", 9);
    f.settle(33s);
    CHECK(f.take().empty());
    f.settle(3s);
    CHECK(f.take() == "~x ");
    CHECK(f.server.watches() == 2);
}

TEST_CASE_FIXTURE(fixture, "informer: a kind that is not installed is a state, and is picked up when it appears") {
    server.api.remove_resource(widgets);
    watched.start();
    settle();
    CHECK(watched.status().state == informer_state::not_installed);
    CHECK_FALSE(watched.status().reason.empty());
    server.api.register_resource(widget_type());
    server.create("x");
    settle(6s);
    CHECK(watched.status().state == informer_state::live);
    CHECK(take() == "+x(initial) ");
}

TEST_CASE_FIXTURE(fixture, "informer: a kind that vanishes and returns while nobody can tell is compared") {
    server.create("x");
    watched.start();
    settle();
    take();
    network.set_link("a", link_state::refused);
    network.break_connections("a");
    server.api.remove_resource(widgets);
    settle(3s);
    network.set_link("a", link_state::up);
    settle(40s);
    CHECK(take() == "-x(inferred) ");
    CHECK(watched.status().state == informer_state::not_installed);
    server.api.register_resource(widget_type());
    server.create("y");
    settle(6s);
    CHECK(take() == "+y ");
}

TEST_CASE_FIXTURE(fixture, "informer: forbidden is a state with the server's words, and ends when rights come") {
    const testing::access_rule rule("*", "list", "widgets");
    server.api.access().forbid(rule);
    watched.start();
    settle();
    CHECK(watched.status().state == informer_state::forbidden);
    CHECK(watched.status().reason.find("widgets") != std::string::npos);
    server.api.access().permit(rule);
    settle(6s);
    CHECK(watched.status().state == informer_state::live);
}

TEST_CASE_FIXTURE(fixture, "informer: an unreachable server is a failure with its reason, and ends when it answers") {
    network.set_link("a", link_state::refused);
    watched.start();
    settle();
    CHECK(watched.status().state == informer_state::failed);
    CHECK(watched.status().failure == errc::connection_refused);
    network.set_link("a", link_state::up);
    settle(60s);
    CHECK(watched.status().state == informer_state::live);
    CHECK(watched.status().reason.empty());
}

TEST_CASE_FIXTURE(fixture,
                  "informer: an object that does not decode keeps its last good version and is told as invalid") {
    for (const auto* name : {"x", "y"}) server.create(name, 1);
    std::vector<std::string> told;
    watched.start();
    settle();
    const auto listening = watched.on_invalid([&](const invalid_object& object) {
        told.push_back(object.describe() + "@" + std::string(object.metadata.resource_version) + " " +
                       object.why.message());
    });
    take();
    (void)server.api.patch(widgets, {"default", "x"}, {{"spec", {{"value", "no number"}}}}).value();
    const std::string bad_version = std::to_string(server.api.resource_version());
    server.set_value("y", 2);
    settle();
    CHECK(take() == "~y ");
    REQUIRE(told.size() == 1);
    CHECK(told[0].find("default/x@" + bad_version + " spec.value: expected an integer") == 0);
    CHECK(watched.status().invalid == 1);
    CHECK(watched.status().state == informer_state::live);
    REQUIRE(watched.get({"default", "x"}) != nullptr);
    CHECK(watched.get({"default", "x"})->spec.value == 1);
    // Who comes later is told what is invalid now.
    int late = 0;
    const auto later = watched.on_invalid([&](const invalid_object&) { ++late; });
    CHECK(late == 1);
    // A list that has it changes nothing.
    server.api.compact(server.api.resource_version());
    server.api.break_watches();
    settle(60s);
    CHECK(take().empty());
    CHECK(told.size() == 1);
    CHECK(watched.get({"default", "x"}) != nullptr);
    server.set_value("x", 5);
    settle(60s);
    CHECK(take() == "~x ");
    CHECK(watched.status().invalid == 0);
    (void)server.api.patch(widgets, {"default", "x"}, {{"spec", {{"value", "no number"}}}}).value();
    settle();
    server.remove("x");
    settle();
    CHECK(take() == "-x(inferred) ");
    CHECK(watched.status().invalid == 0);
}

TEST_CASE_FIXTURE(fixture, "informer: a first list with an object that does not decode is complete") {
    server.create("x", 1);
    (void)server.api
        .create({{"apiVersion", "test.kcontrol.dev/v1"},
                 {"kind", "Widget"},
                 {"metadata", {{"name", "bad"}}},
                 {"spec", {{"value", "no number"}}}})
        .value();
    watched.start();
    settle();
    CHECK(take() == "+x(initial) ");
    CHECK(watched.has_synced());
    CHECK(watched.status().state == informer_state::live);
    CHECK(watched.status().invalid == 1);
}

TEST_CASE_FIXTURE(fixture, "informer: another server behind the same address is told exactly by what differs") {
    auto& other = add("b");
    for (const auto* name : {"x", "y"}) server.create(name);
    watched.start();
    settle();
    take();
    other.create("y");
    other.create("z");
    const auto reasons = std::make_shared<std::vector<std::string>>();
    const auto hold = watched.on_status_change([reasons](const informer_status& s) { reasons->push_back(s.reason); });
    network.listen("a", other.api.get_executor(), other.api.handler());
    server.api.break_watches();
    settle(5s);
    CHECK(take() == "-x(inferred) -y(inferred) +y +z ");
    CHECK(watched.status().state == informer_state::live);
    CHECK(watched.status().server_changes == 1);
    CHECK(std::any_of(reasons->begin(), reasons->end(), [](const std::string& r) {
        return r.find("another server answers at this address") != std::string::npos;
    }));
    settle(60s);
    CHECK(watched.status().reason.empty());
    other.set_value("z", 3);
    settle();
    CHECK(take() == "~z ");
}

TEST_CASE_FIXTURE(fixture, "informer: a store that is put back to an older state is noticed and compared by content") {
    for (const auto* name : {"gone", "kept", "changed", "deleted"}) server.create(name, 1);
    watched.start();
    settle();
    const auto then = server.api.snapshot();
    take();
    server.set_value("changed", 2);
    server.create("phantom");
    server.remove("deleted");
    settle();
    take();
    network.set_link("a", link_state::refused);
    server.api.restore(then);
    // Another history: the same versions again, with other content.
    server.set_value("changed", 3);
    server.remove("gone");
    network.set_link("a", link_state::up);
    settle(40s);
    CHECK(take() == "-gone(inferred) -phantom(inferred) ~changed +deleted ");
    CHECK(watched.get({"default", "changed"})->spec.value == 3);
    CHECK(watched.status().rollbacks == 1);
    CHECK(watched.status().state == informer_state::live);
}

TEST_CASE_FIXTURE(fixture, "informer: where kube-system may not be read, silence shows that versions went back") {
    server.api.access().set_tokens({{"t", "u"}});
    server.api.access().forbid(testing::access_rule("u", "*", "namespaces"));
    watched.rebuild(connect(server.config("t")));
    server.create("x", 1);
    watched.start();
    settle();
    const auto then = server.api.snapshot();
    server.create("phantom");
    for (int i = 0; i < 10; ++i) server.set_value("x", i);
    settle();
    take();
    server.api.restore(then);
    settle(30s);
    CHECK(take().empty());
    settle(45s);
    CHECK(take() == "-phantom(inferred) ~x ");
    CHECK(watched.status().rollbacks == 1);
}

TEST_CASE_FIXTURE(fixture, "informer: what a server answers always is not asked more than a few times a minute") {
    server.create("x");
    struct row {
        const char* name;
        std::function<testing::fault()> make;
    };
    const row rows[] = {
        {"410", [] { return testing::fault().status(410, "Expired", "too old"); }},
        {"410 as event", [] { return testing::fault().error_at_event(0, testing::failure::expired("too old")); }},
        {"404", [] { return testing::fault().status(404, "NotFound", "gone"); }},
        {"an end at once", [] { return testing::fault().end_after_events(0); }},
        {"rubbish", [] { return testing::fault().garbage_before_event(0); }},
        {"a cut", [] { return testing::fault().cut_after_events(0); }},
    };
    for (const auto& r : rows) {
        CAPTURE(std::string(r.name));
        server.api.set_faults([&](const http::server_request& request) {
            return request.target.find("watch=") != std::string::npos ? r.make() : testing::fault();
        });
        watched.start();
        server.set_value("x", static_cast<std::int64_t>(r.name[0]));
        settle(100s);
        const auto before = server.lists() + server.watches();
        settle(60s);
        CHECK(server.lists() + server.watches() - before <= 12);
        CHECK(watched.status().state == informer_state::failed);
        CHECK_FALSE(watched.status().reason.empty());
        server.api.set_faults(nullptr);
        settle(90s);
        CHECK(watched.status().state == informer_state::live);
        ends_within(1s, watched.stop());
    }
}

TEST_CASE_FIXTURE(fixture, "informer: memory that runs out in a list is a failure with that reason, and ends") {
    // An informer of a kind of its own, whose decoding has no memory while `scarce`.
    static bool scarce = false;
    static std::size_t decoded = 0;
    static const resource_info hungry(
        {"test.kcontrol.dev", "v1", "Widget"}, "widgets", resource_scope::namespaced,
        [](const resource_info&, json::node from, share_pool* pool) -> result<any_object> {
            if (scarce && ++decoded > 3) throw std::bad_alloc();
            return resource_of<widget>().decode(from, pool);
        },
        resource_of<widget>().encoder());
    scarce = true;
    for (int i = 0; i < 5; ++i) server.create("w" + std::to_string(i));
    any_informer informer(env, home, connect(server.config()), hungry);
    informer.start();
    settle();
    CHECK(informer.status().state == informer_state::failed);
    CHECK(informer.status().failure == errc::out_of_memory);
    CHECK(informer.status().objects == 0);
    scarce = false;
    settle(60s);
    CHECK(informer.status().state == informer_state::live);
    CHECK(informer.status().objects == 5);
    scarce = true;
    server.set_value("w0", 7);
    settle(100ms);
    CHECK(informer.status().failure == errc::out_of_memory);
    scarce = false;
    settle(60s);
    CHECK(informer.status().state == informer_state::live);
    CHECK(informer.objects().get({"default", "w0"}).as<widget>()->spec.value == 7);
    ends_within(1s, informer.stop());
}

// What the store has taken over, the server does not bring again.
TEST_CASE_FIXTURE(fixture, "informer: a handler that had no memory for an event is told of it once there is some") {
    std::string heard;
    int scarce = 0;
    const auto handler = [&](const any_event& event) {
        if (scarce > 0 && scarce-- > 0) throw std::bad_alloc();
        heard += describe(event);
    };
    const auto mine = watched.subscribe(handler);
    std::string others;
    const auto held_other = watched.subscribe([&](const any_event& event) { others += describe(event); });
    for (const char* name : {"a", "b", "c"}) server.create(name);
    scarce = 2;
    watched.start();
    settle(100ms);
    CHECK(watched.status().state == informer_state::failed);
    CHECK(watched.status().failure == errc::out_of_memory);
    CHECK_FALSE(mine.has_synced());
    settle(60s);
    CHECK(watched.status().state == informer_state::live);
    CHECK(heard == "+a(initial) +b(initial) +c(initial) ");
    CHECK(others == heard);
    CHECK(mine.has_synced());
    heard = others = "";
    const auto each = [&](std::function<void()> change, const std::string& expected) {
        for (const int times : {1, 3}) {
            CAPTURE(times);
            scarce = times;
            change();
            settle(100ms);
            CHECK(watched.status().failure == errc::out_of_memory);
            settle(90s);
            CHECK(watched.status().state == informer_state::live);
            CHECK(heard == expected);
            CHECK(others == expected);
            heard = others = "";
        }
    };
    int value = 10;
    each([&] { server.set_value("a", ++value); }, "~a ");
    each(
        [&] {
            server.set_value("b", ++value);
            server.set_value("c", value);
        },
        "~b ~c ");
    const auto come_and_go = [&] {
        server.create("d");
        server.remove("d");
    };
    each(come_and_go, "+d -d ");
    CHECK(watched.status().handler_errors == 0);
    ends_within(1s, watched.stop());
}

TEST_CASE_FIXTURE(fixture, "informer: a handler that never has memory for one object keeps nobody waiting for ever") {
    std::string heard, others;
    const auto mine = watched.subscribe([&](const any_event& event) {
        if (event.object().meta().name == "huge") throw std::bad_alloc();
        heard += describe(event);
    });
    const auto held_other = watched.subscribe([&](const any_event& event) { others += describe(event); });
    watched.start();
    settle();
    server.create("huge");
    server.create("next");
    settle(3min);
    CHECK(heard == "+next ");
    CHECK(others == "+huge +next ");
    CHECK(watched.status().state == informer_state::live);
    CHECK(watched.status().handler_errors == 1);
    ends_within(1s, watched.stop());
}

TEST_CASE_FIXTURE(fixture,
                  "informer: a handler with a queue that had no memory is called again, and others are not late") {
    std::string heard;
    int scarce = 3;
    const auto handler = [&](const any_event& event) -> awaitable<void> {
        co_await sleep_for(env, 1ms, {});
        if (scarce > 0 && scarce-- > 0) throw std::bad_alloc();
        heard += describe(event);
        co_return;
    };
    const auto mine = watched.subscribe(handler);
    server.create("a");
    watched.start();
    settle(100ms);
    CHECK(watched.status().state == informer_state::live);
    CHECK(heard == "");
    settle(10s);
    CHECK(heard == "+a(initial) ");
    CHECK(watched.status().handler_errors == 0);
    scarce = 100;
    server.set_value("a", 2);
    settle(20s);
    CHECK(watched.status().handler_errors == 1);
    scarce = 0;
    server.remove("a");
    settle(10s);
    CHECK(heard == "+a(initial) -a ");
    ends_within(1s, watched.stop());
}

}  // namespace
