// What an informer's objects take, and what it keeps where that is more than it may be.
#include "cache/fixture.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

struct fixture : widget_world {
    fixture() : server(add("a")) {
        for (int i = 0; i < 20; ++i) server.create("w" + std::to_string(i), 1 + i);
    }
    ~fixture() {
        if (watched) ends_within(1s, watched->stop());
        context.run_for(1s);
    }
    void begin(std::uint64_t budget, list_streaming streaming = list_streaming::off) {
        auto options = informer_options().memory_budget(budget).streaming(streaming).log(logger([this](const auto& r) {
            if (r.level >= log_level::error) errors += std::string(r.message) + "\n";
        }));
        watched = std::make_unique<informer<widget>>(env, home, connect(server.config()), std::move(options));
        held = watched->subscribe([this](const any_event& e) {
            log += informer_fixture::describe(e);
            if (e.type != event_type::deleted) last = e.new_object.as<widget>()->spec.value;
        });
        watched->start();
        settle();
    }
    void settle() { context.run_for(1s); }
    std::int64_t value(const std::string& name) { return watched->get({"default", name})->spec.value; }
    std::string take() { return std::exchange(log, {}); }

    widget_server& server;
    std::unique_ptr<informer<widget>> watched;
    subscription held;
    std::string log, errors;
    std::int64_t last = 0;
};

TEST_CASE_FIXTURE(fixture, "memory: what the objects take grows and shrinks with them") {
    begin(0);
    const std::uint64_t all = watched->status().bytes;
    const std::uint64_t objects = watched->objects().bytes();
    CHECK(all >= objects);
    CHECK(objects > 20 * sizeof(widget));
    server.create("one-more", 1);
    settle();
    const std::uint64_t one = watched->objects().bytes() - objects;
    CHECK(one > sizeof(widget));
    CHECK(one < 4096);
    server.set_value("one-more", 2);
    settle();
    CHECK(watched->objects().bytes() - objects < 2 * one);
    server.remove("one-more");
    settle();
    CHECK(watched->objects().bytes() == objects);
    // A list counts anew what it brings, and not what stays.
    ends_within(1s, watched->stop());
    server.remove("w0");
    server.api.compact(server.api.resource_version());
    watched->start();
    settle();
    CHECK(watched->objects().size() == 19);
    const std::uint64_t left = watched->objects().bytes();
    CHECK(left < objects);
    CHECK(left > objects * 18 / 20);
    CHECK_FALSE(watched->status().metadata_only);
}

TEST_CASE_FIXTURE(fixture, "memory budget: beyond it metadata is kept, handlers go on with whole objects") {
    list_streaming streaming = list_streaming::off;
    SUBCASE("in pages") {}
    SUBCASE("streamed") { streaming = list_streaming::on; }
    begin(1000, streaming);
    CHECK(log.find("~") == std::string::npos);  // that less is kept is no event
    CHECK(take().size() == std::string("+w0(initial) ").size() * 10 + std::string("+w10(initial) ").size() * 10);
    CHECK(last == 10);  // of w9, the last by name: the first list told of it whole
    const informer_status status = watched->status();
    CHECK(status.metadata_only);
    CHECK(watched->metadata_only());
    CHECK(status.state == informer_state::live);
    CHECK(status.reason.find("memory budget of 1000 bytes") != std::string::npos);
    CHECK(errors == "the objects take more memory than they may: only their metadata is kept from now on\n");
    CHECK(watched->objects().size() == 20);
    CHECK(value("w7") == 0);
    CHECK(watched->get({"default", "w7"})->metadata.name == "w7");

    server.set_value("w7", 70);
    settle();
    CHECK(take() == "~w7 ");
    CHECK(last == 70);
    CHECK(value("w7") == 0);
    server.create("new", 99);
    settle();
    CHECK(take() == "+new ");
    CHECK(last == 99);

    // What a list finds is told whole too, and what it finds unchanged is not told.
    ends_within(1s, watched->stop());
    server.set_value("w3", 33);
    server.remove("w4");
    server.api.compact(server.api.resource_version());
    watched->start();
    context.run_for(10s);
    CHECK(take() == "-w4(inferred) ~w3 ");
    CHECK(last == 33);
    CHECK(value("w3") == 0);
    CHECK(watched->objects().size() == 20);

    // The server has the rest.
    const auto whole = run(watched->fetch({"default", "w3"}, {}));
    REQUIRE(whole.has_value());
    CHECK(whole->as<widget>()->spec.value == 33);
    CHECK(run(watched->fetch({"default", "nobody"}, {})).error() == api_errc::not_found);
    CHECK(errors.size() < 120);  // said once
}

TEST_CASE_FIXTURE(fixture, "memory budget: it is looked at after each event") {
    begin(0);
    const std::uint64_t now = watched->objects().bytes();
    ends_within(1s, watched->stop());
    take();
    begin(now + 200);
    CHECK_FALSE(watched->metadata_only());
    CHECK(value("w7") == 8);
    server.create("a-long-name-that-takes-some-memory-of-its-own", 5);
    server.create("b-long-name-that-takes-some-memory-of-its-own", 6);
    settle();
    CHECK(watched->metadata_only());
    CHECK(value("w7") == 0);
}

}  // namespace
