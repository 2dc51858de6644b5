#include <kcontrol/controllerutil/create_or.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

const testing::group_resource sites{"test.kcontrol.dev", "sites"};

auto with_image(const char* image) {
    return [image](site& s) { s.spec.image = image; };
}

}  // namespace

TEST_CASE_FIXTURE(world_fixture, "create_or_update creates, updates, and leaves alone") {
    const site wanted = named<site>("web");
    auto outcome = world.run(create_or_update(c, wanted, with_image("a"))).value();
    CHECK(outcome.outcome == write_outcome::created);
    CHECK(to_string(outcome.outcome) == "created");
    CHECK(!outcome.object.metadata.uid.empty());
    outcome = world.run(create_or_update(c, wanted, with_image("a"))).value();
    CHECK(outcome.outcome == write_outcome::unchanged);
    const auto version = outcome.object.metadata.resource_version;
    outcome = world.run(create_or_update(c, wanted, with_image("b"))).value();
    CHECK(outcome.outcome == write_outcome::updated);
    CHECK(outcome.object.spec.image == "b");
    CHECK(outcome.object.metadata.resource_version != version);
    CHECK(asked("create") == 1);
    CHECK(asked("update") == 1);
    CHECK(stored().spec.image == "b");
}

TEST_CASE_FIXTURE(world_fixture, "create_or_update keeps what the function does not touch") {
    site there = named<site>("web");
    there.spec.replicas = 5;
    there.metadata.labels["team"] = "x";
    REQUIRE(world.run(c.create(there)).has_value());
    CHECK(world.run(create_or_update(c, named<site>("web"), with_image("a"))).has_value());
    CHECK(stored().spec.replicas == 5);
    CHECK(stored().metadata.labels["team"] == "x");
}

TEST_CASE_FIXTURE(world_fixture, "create_or_update does not lose what another writer writes in between") {
    create_site();
    int writes = 0;
    server.api().set_faults([&](const http::server_request& r) {
        if (r.method == "PUT" && ++writes <= 2) {
            const json::object patch{{"spec", {{"replicas", writes}}}};
            (void)server.api().patch(sites, {"default", "web"}, patch).value();
        }
        return testing::fault();
    });
    CHECK(world.run(create_or_update(c, named<site>("web"), with_image("a")))->outcome == write_outcome::updated);
    CHECK(writes == 3);
    CHECK(stored().spec.replicas == 2);
    CHECK(stored().spec.image == "a");
}

TEST_CASE_FIXTURE(world_fixture, "an object that another writer creates first is updated") {
    server.api().set_faults([&](const http::server_request& r) {
        if (r.method == "POST" && !server.api().get(sites, {"default", "web"})) {
            (void)server.api()
                .create({{"apiVersion", "test.kcontrol.dev/v1"},
                         {"kind", "Site"},
                         {"metadata", {{"name", "web"}, {"namespace", "default"}}},
                         {"spec", {{"replicas", 3}}}})
                .value();
        }
        return testing::fault();
    });
    const auto made = world.run(create_or_patch(c, named<site>("web"), with_image("a")));
    REQUIRE(made.has_value());
    CHECK(made->outcome == write_outcome::updated);
    CHECK(made->object.spec.replicas == 3);
    CHECK(made->object.spec.image == "a");
}

TEST_CASE_FIXTURE(world_fixture,
                  "create_or_patch writes the status as well, and fields that the type does not have stay") {
    const auto edit = [](site& s) {
        s.spec.image = "a";
        s.status.phase = "Ready";
    };
    auto outcome = world.run(create_or_patch(c, named<site>("web"), edit)).value();
    CHECK(outcome.outcome == write_outcome::created);
    CHECK(stored().status.phase == "Ready");
    const auto patches = asked("patch");
    CHECK(world.run(create_or_patch(c, named<site>("web"), edit))->outcome == write_outcome::unchanged);
    CHECK(asked("patch") == patches);

    const json::object patch{{"spec", {{"unknown", 1}, {"image", "z"}}}};
    (void)server.api().patch(sites, {"default", "web"}, patch).value();
    CHECK(world.run(create_or_patch(c, named<site>("web"), edit))->outcome == write_outcome::updated);
    const auto raw = server.api().get(sites, {"default", "web"}).value();
    CHECK(json::find(raw, {"spec", "unknown"}) != nullptr);
    CHECK(stored().spec.image == "a");
    // Only the status differs.
    write_status_behind({{"phase", "Other"}});
    CHECK(world.run(create_or_patch(c, named<site>("web"), edit))->outcome == write_outcome::updated);
    CHECK(stored().status.phase == "Ready");
}

TEST_CASE_FIXTURE(world_fixture, "a function that refuses or renames ends it before anything is sent") {
    const auto refuse = [](site&) -> result<void> { return error(errc::invalid_argument, "no image"); };
    CHECK(world.run(create_or_update(c, named<site>("web"), refuse)).error().message() == "Site default/web: no image");
    const auto rename = [](site& s) { s.metadata.name = "other"; };
    const auto renamed = world.run(create_or_update(c, named<site>("web"), rename));
    CHECK(renamed.error() == errc::invalid_argument);
    CHECK(renamed.error().message() ==
          "Site default/web: the function that edits it renamed it to default/other; name and namespace are those of "
          "the call");
    CHECK(asked("create") == 0);
}
