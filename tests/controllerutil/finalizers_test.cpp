#include <kcontrol/controllerutil/finalizers.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

constexpr const char* cleanup = "test.kcontrol.dev/cleanup";
const testing::group_resource sites{"test.kcontrol.dev", "sites"};

}  // namespace

TEST_CASE("a finalizer is added once and removed however often it is there") {
    object_meta meta;
    CHECK(!remove_finalizer(meta, cleanup));
    CHECK(add_finalizer(meta, cleanup));
    CHECK(!add_finalizer(meta, cleanup));
    CHECK(add_finalizer(meta, "example.com/other"));
    CHECK(meta.finalizers == list<text>{cleanup, "example.com/other"});
    meta.finalizers.emplace_back(cleanup);
    CHECK(has_finalizer(meta, cleanup));
    CHECK(remove_finalizer(meta, cleanup));
    CHECK(meta.finalizers == list<text>{"example.com/other"});
    CHECK(!has_finalizer(meta, "example.com"));
}

TEST_CASE_FIXTURE(world_fixture, "ensure_finalizer writes once, from a snapshot that is old as well") {
    const site old = create_site();
    write_status_behind({{"phase", "Ready"}});
    const auto made = world.run(ensure_finalizer(c, old, cleanup, stop));
    REQUIRE(made.has_value());
    CHECK(has_finalizer(made->metadata, cleanup));
    CHECK(made->status.phase == "Ready");
    const auto writes = asked("patch");
    CHECK(writes == 2);  // one met a conflict
    CHECK(world.run(ensure_finalizer(c, *made, cleanup, stop)).value() == *made);
    CHECK(asked("patch") == writes);
    // From the old snapshot it is a conflict, a look, and nothing to be done.
    CHECK(world.run(ensure_finalizer(c, old, cleanup, stop))->metadata.finalizers.size() == 1);
    CHECK(asked("patch") == writes + 1);
}

TEST_CASE_FIXTURE(world_fixture, "ensure_finalizer keeps the others, and an answer that is lost is looked up") {
    site made = create_site();
    made = world.run(ensure_finalizer(c, made, "example.com/other", stop)).value();
    bool lost = false;
    server.api().set_faults([&lost](const http::server_request& r) {
        if (r.method != "PATCH" || lost) return testing::fault();
        lost = true;
        return testing::fault().drop_response();
    });
    const auto both = world.run(ensure_finalizer(c, made, cleanup, stop));
    REQUIRE(both.has_value());
    CHECK(lost);
    CHECK(both->metadata.finalizers == list<text>{"example.com/other", cleanup});
}

TEST_CASE_FIXTURE(world_fixture, "ensure_finalizer refuses names, and objects that are being deleted or replaced") {
    const site made = create_site();
    for (const char* name : {"cleanup", "", "a b/c", "example.com/"}) {
        CAPTURE(name);
        const auto refused = world.run(ensure_finalizer(c, made, name, stop));
        CHECK(refused.error() == errc::invalid_argument);
        CHECK(refused.error().message().find("Site default/web: finalizer \"" + std::string(name)) == 0);
    }
    CHECK(asked("patch") == 0);
    site kept = world.run(ensure_finalizer(c, made, "example.com/other", stop)).value();
    CHECK(server.api().remove(sites, {"default", "web"}).has_value());
    // The snapshot knows nothing of the deletion.
    CHECK(world.run(ensure_finalizer(c, kept, cleanup, stop)).error() == errc::invalid_argument);

    const site first = create_site("two");
    CHECK(server.api().remove(sites, {"default", "two"}).has_value());
    CHECK(world.run(ensure_finalizer(c, first, cleanup, stop)).error() == api_errc::not_found);
    create_site("two");
    CHECK(world.run(ensure_finalizer(c, first, cleanup, stop)).error() == api_errc::not_found);
    CHECK(stored("two").metadata.finalizers.empty());
}

TEST_CASE_FIXTURE(world_fixture, "finalize cleans up before the object goes, and again if that failed") {
    const site made = world.run(ensure_finalizer(c, create_site(), cleanup, stop)).value();
    int calls = 0;
    result<void> outcome = error(errc::unavailable, "the bucket is locked");
    auto clean = [&](const site& object) -> awaitable<result<void>> {
        ++calls;
        CHECK(object.metadata.name == "web");
        co_return outcome;
    };
    const auto early = world.run(finalize(c, made, cleanup, clean, stop));
    CHECK(early.error() == errc::invalid_argument);
    CHECK(calls == 0);

    CHECK(server.api().remove(sites, {"default", "web"}).has_value());
    const site deleted = stored();
    REQUIRE(is_being_deleted(deleted.metadata));
    const auto failed = world.run(finalize(c, deleted, cleanup, clean, stop));
    CHECK(failed.error().message() == "Site default/web: the bucket is locked");
    CHECK(has_finalizer(stored().metadata, cleanup));
    outcome = {};
    CHECK(world.run(finalize(c, deleted, cleanup, clean, stop)).has_value());
    CHECK(calls == 2);
    CHECK(!server.api().get(sites, {"default", "web"}).has_value());
    // From a cache that has yet to hear of it.
    CHECK(world.run(finalize(c, deleted, cleanup, clean, stop)).has_value());
    CHECK(calls == 3);
}

TEST_CASE_FIXTURE(world_fixture, "finalize leaves the finalizers of others, and an object without its own") {
    site made = world.run(ensure_finalizer(c, create_site(), cleanup, stop)).value();
    made = world.run(ensure_finalizer(c, made, "example.com/other", stop)).value();
    CHECK(server.api().remove(sites, {"default", "web"}).has_value());
    int calls = 0;
    auto clean = [&](const site&) -> awaitable<result<void>> {
        ++calls;
        co_return result<void>();
    };
    CHECK(world.run(finalize(c, stored(), cleanup, clean, stop)).has_value());
    CHECK(stored().metadata.finalizers == list<text>{"example.com/other"});
    CHECK(world.run(finalize(c, stored(), cleanup, clean, stop)).has_value());
    CHECK(calls == 1);
}
