// typed_api: the objects of a server as a test's own types; and waiting that says what it last saw.
#include <kcontrol/api/apps/v1.hpp>
#include <kcontrol/testing/typed_api.hpp>

#include "controllerutil/site.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using testing::typed_api;

namespace {

// A Deployment of which the test knows little.
struct replicas_only {
    std::optional<std::int32_t> replicas;
    static constexpr auto kcontrol_fields() { return fields(field("replicas", &replicas_only::replicas)); }
};
struct some_deployment {
    static constexpr resource_name kcontrol_resource{"apps", "v1", "Deployment", "deployments"};
    using kcontrol_projection = void;
    object_meta metadata;
    replicas_only spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &some_deployment::spec)); }
};

struct typed_fixture {
    typed_fixture() {
        world.register_resource(testing::resource_type_of(resource_of<site>()));
        cluster = &world.add_server("cluster");
        web.metadata.name = "web";
        web.spec.image = "one";
    }
    testing::sim_world world;
    testing::sim_server* cluster = nullptr;
    site web;
    const namespaced_name key{"default", "web"};
};

bool has(const std::string& text, std::string_view wanted) {
    if (text.find(wanted) != std::string::npos) return true;
    MESSAGE(text);
    return false;
}

}  // namespace

TEST_CASE_FIXTURE(typed_fixture, "typed_api: create, get, patch, list and remove") {
    typed_api api(*cluster);
    const auto made = api.create(web);
    REQUIRE(made);
    CHECK(made->metadata.namespace_ == "default");
    CHECK(!made->metadata.uid.empty());
    CHECK(api.create(web).error() == api_errc::already_exists);
    CHECK(api.get<site>(key)->spec.image == "one");
    CHECK(api.get<site>({"default", "no"}).error() == condition::not_found);

    const auto image = api.patch<site>(key, [](site& edited) { edited.spec.image = "two"; });
    REQUIRE(image);
    CHECK(image->spec.image == "two");
    const auto both = api.patch<site>(key, [](site& edited) {
        edited.spec.image = "three";
        edited.status.phase = "Ready";  // through the subresource
    });
    REQUIRE(both);
    CHECK(both->spec.image == "three");
    CHECK(both->status.phase == "Ready");
    CHECK(api.patch<site>({"default", "no"}, [](site&) {}).error() == condition::not_found);

    site edited = *made;
    edited.spec.image = "four";
    CHECK(api.patch(*made, edited).error() == condition::conflict);
    CHECK(api.get<site>(key)->spec.image == "three");

    CHECK(api.list<site>()->size() == 1);
    CHECK(api.list<site>("other")->empty());
    CHECK(api.remove<site>(key));
    CHECK(api.remove<site>(key).error() == condition::not_found);
    CHECK(api.list<site>()->empty());
}

TEST_CASE_FIXTURE(typed_fixture,
                  "typed_api: what a type does not declare stays, and an edit of nothing writes nothing") {
    typed_api api(cluster->api());
    api::apps::v1::deployment whole;
    whole.metadata.name = "web";
    whole.spec.replicas = 1;
    whole.spec.min_ready_seconds = 7;
    REQUIRE(api.create(whole));
    REQUIRE(api.patch<some_deployment>(key, [](some_deployment& edited) { edited.spec.replicas = 3; }));
    const auto after = api.get<api::apps::v1::deployment>(key);
    REQUIRE(after);
    CHECK(after->spec.replicas == 3);
    CHECK(after->spec.min_ready_seconds == 7);
    const auto version = cluster->api().resource_version();
    CHECK(api.patch<some_deployment>(key, [](some_deployment&) {}));
    CHECK(cluster->api().resource_version() == version);
}

TEST_CASE_FIXTURE(typed_fixture, "run_until: the object, or what was last seen of it") {
    typed_api api(*cluster);
    const auto is_two = [](const site* found) { return found != nullptr && found->spec.image == "two"; };
    const auto none = testing::run_until<site>(world, *cluster, key, is_two, 5min);
    REQUIRE(!none);
    CHECK(none.error() == errc::timeout);
    CHECK(has(none.error().what(), "Site default/web is not as expected after 5m0s of virtual time; last seen: "));
    CHECK(has(none.error().what(), "not found"));

    REQUIRE(api.create(web));
    const auto one = testing::run_until<site>(world, *cluster, key, is_two, 5min);
    REQUIRE(!one);
    CHECK(has(one.error().what(), R"("image":"one")"));

    REQUIRE(api.patch<site>(key, [](site& edited) { edited.spec.image = "two"; }));
    const auto two = testing::run_until<site>(world, *cluster, key, is_two);
    REQUIRE(two);
    CHECK(two->spec.image == "two");
}

TEST_CASE_FIXTURE(typed_fixture, "run_until: what was missing last") {
    int calls = 0;
    CHECK(testing::run_until(world, [&] { return ++calls > 0 ? std::string() : std::string("a call"); }));
    const auto never = testing::run_until(
        world, [] { return std::string("two of three pods"); }, 90s);
    REQUIRE(!never);
    CHECK(never.error() == errc::timeout);
    CHECK(std::string(never.error().what()) == "after 1m30s of virtual time: two of three pods");
}
