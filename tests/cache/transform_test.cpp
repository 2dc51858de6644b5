// What a function of the program makes of objects before they are stored, and what an informer's options say of all its
// handlers.
#include <kcontrol/codec/metadata_object.hpp>

#include "cache/fixture.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

struct fixture : widget_world {
    explicit fixture() : server(add("a")) {}
    ~fixture() {
        if (watched) ends_within(1s, watched->stop());
        context.run_for(1s);
    }
    void begin(object_transform f, list_streaming streaming = list_streaming::off) {
        watched = std::make_unique<informer<widget>>(env, home, connect(server.config()),
                                                     informer_options().transform(std::move(f)).streaming(streaming));
        held = watched->subscribe([this](const any_event& e) { log += informer_fixture::describe(e); });
        bad = watched->on_invalid(
            [this](const invalid_object& o) { invalid += o.describe() + ": " + o.why.what() + "\n"; });
        watched->start();
        settle();
    }
    void settle() { context.run_for(1s); }
    std::int64_t value(const std::string& name) { return watched->get({"default", name})->spec.value; }

    widget_server& server;
    std::unique_ptr<informer<widget>> watched;
    subscription held, bad;
    std::string log, invalid;
};

TEST_CASE_FIXTURE(fixture, "transform: what it returns is stored and told, from lists, events and deletions") {
    server.create("x", 1);
    begin(transform_of<widget>([](widget& w) { w.spec.value += 100; }));
    CHECK(value("x") == 101);
    std::int64_t last = 0;
    const auto deletions = watched->subscribe([&](const any_event& e) { last = e.object().as<widget>()->spec.value; });
    server.create("y", 2);
    settle();
    CHECK(value("y") == 102);
    server.set_value("y", 3);
    settle();
    CHECK(value("y") == 103);
    server.remove("y");
    settle();
    CHECK(last == 103);
    CHECK(log == "+x(initial) +y ~y -y ");
    CHECK(invalid == "");
}

TEST_CASE_FIXTURE(fixture,
                  "transform: of what a relist brings only the news are made anew, for one view and for several") {
    list_streaming streaming = list_streaming::off;
    SUBCASE("in pages") {}
    SUBCASE("streamed") { streaming = list_streaming::on; }
    for (int i = 0; i < 5; ++i) server.create("w" + std::to_string(i), i);
    int called = 0;
    begin(transform_of<widget>([&](widget& w) { ++called, w.spec.value += 100; }), streaming);
    CHECK(called == 5);
    // An object of the list has one part, and then two.
    const resource_info metadata = metadata_resource(resource_of<widget>().gvk, "widgets");
    any_informer names(*watched, metadata);
    for (const bool both : {false, true}) {
        if (both) {
            names.start();
            settle();
            ends_within(1s, names.stop());
        }
        called = 0;
        ends_within(1s, watched->stop());
        server.set_value("w3", both ? 8 : 7);
        server.api.compact(server.api.resource_version());
        watched->start();
        if (both) names.start();
        context.run_for(10s);  // more lists in a second than a server is asked for
        CHECK(called == 1);
        CHECK(value("w3") == (both ? 108 : 107));
        CHECK(value("w4") == 104);
    }
    CHECK(names.objects().size() == 5);
    ends_within(1s, names.stop());
}

TEST_CASE_FIXTURE(fixture, "transform: of an object at which it fails the last good version stays, and it is told") {
    server.create("x", 1);
    server.create("odd", 1);
    begin([](const any_object& object) {
        const auto read = object.as<widget>();
        if (read->metadata.name == "odd" && read->spec.value == 1) throw std::runtime_error("no odd ones");
        if (read->spec.value == 7) return any_object();
        if (read->spec.value != 8) return object;
        const auto renamed = std::make_shared<widget>(*read);
        renamed->metadata.name = "other";
        return any_object(std::shared_ptr<const widget>(renamed));
    });
    CHECK(log == "+x(initial) ");
    CHECK(invalid == "default/odd: a transform of objects (default/odd) threw: no odd ones\n");
    CHECK(watched->status().invalid == 1);
    CHECK(watched->status().state == informer_state::live);
    invalid.clear();
    server.set_value("x", 7);
    settle();
    CHECK(value("x") == 1);
    CHECK(invalid ==
          "default/x: the transform of objects of kind Widget returned no object; return the one that it got, "
          "or a changed copy\n");
    invalid.clear();
    server.set_value("x", 8);
    settle();
    CHECK(value("x") == 1);
    CHECK(invalid.find("changed the object's name") != std::string::npos);
    server.set_value("x", 9);
    server.set_value("odd", 2);
    settle();
    CHECK(value("x") == 9);
    CHECK(watched->status().invalid == 0);
    // A last state that it can't take is a deletion all the same.
    server.set_value("x", 7);
    server.remove("x");
    settle();
    CHECK(watched->get({"default", "x"}) == nullptr);
    CHECK(log == "+x(initial) ~x +odd -x(inferred) ");  // what it was last is not known
}

TEST_CASE_FIXTURE(fixture, "transform: other views of the watch pass a typed one as they are") {
    server.create("x", 1);
    begin(transform_of<widget>([](widget& w) { w.spec.value = 0; }));
    const resource_info metadata = metadata_resource(resource_of<widget>().gvk, "widgets");
    any_informer other(*watched, metadata);
    other.start();
    settle();
    CHECK(value("x") == 0);
    CHECK(other.objects().size() == 1);
    CHECK(other.status().invalid == 0);
    CHECK(ends_within(1s, other.stop()));
}

TEST_CASE_FIXTURE(fixture, "informer_options: a resync period holds for handlers that set none") {
    server.create("x");
    informer<widget> periodic(env, home, connect(server.config()), informer_options().resync_period(10min));
    std::string all, rarely;
    const auto by_default = periodic.subscribe([&](const any_event& e) { all += informer_fixture::describe(e); });
    const auto own = periodic.subscribe([&](const any_event& e) { rarely += informer_fixture::describe(e); }, 20min);
    periodic.start();
    context.run_for(21min);
    CHECK(all == "+x(initial) ~x(resync) ~x(resync) ");
    CHECK(rarely == "+x(initial) ~x(resync) ");
    CHECK(ends_within(1s, periodic.stop()));
    settle();
}

}  // namespace
