// An apply that sends nothing while there is nothing to change.
#include <kcontrol/controllerutil/compared_apply.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

struct fixture : world_fixture {
    // How many requests it sends, other than reads.
    std::size_t sends(compared_apply& by, const site& wanted) {
        const std::size_t before = asked("patch");
        const auto stored = world.run(by.apply(c, wanted));
        REQUIRE(stored.has_value());
        CHECK((*stored)->metadata.uid == this->stored(wanted.metadata.name.str()).metadata.uid);
        return asked("patch") - before;
    }
    void merge(json::value patch) {
        (void)server.api().patch({"test.kcontrol.dev", "sites"}, {"default", "web"}, patch.as_object()).value();
    }
    static site wanted_site() {
        site out = named<site>("web");
        out.metadata.labels["app"] = "web";
        out.spec.replicas = 3;
        out.spec.image = "a:1";
        return out;
    }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "compared_apply: what is there already is not sent again") {
    compared_apply by(apply_options("test").force());
    const site wanted = wanted_site();
    CHECK(sends(by, wanted) == 1);
    CHECK(sends(by, wanted) == 0);
    // What others own is theirs.
    merge({{"metadata", {{"annotations", {{"other", "x"}}}, {"labels", {{"tier", "front"}}}}}});
    write_status_behind({{"phase", "Ready"}});
    CHECK(sends(by, wanted) == 0);
    CHECK(world.run(by.apply(c, wanted)).value()->status.phase == "Ready");
    // Each of its own fields is watched.
    merge({{"spec", {{"image", "b:2"}}}});
    CHECK(sends(by, wanted) == 1);
    CHECK(stored().spec.image == "a:1");
    merge({{"metadata", {{"labels", {{"app", nullptr}}}}}});
    CHECK(sends(by, wanted) == 1);
    CHECK(stored().metadata.labels["app"] == "web");
    CHECK(sends(by, wanted) == 0);
}

TEST_CASE_FIXTURE(fixture, "compared_apply: what is no longer wanted is taken off, and a new object is applied") {
    compared_apply by(apply_options("test"));
    site wanted = wanted_site();
    CHECK(sends(by, wanted) == 1);
    wanted.spec.replicas.reset();
    wanted.metadata.labels = {};
    CHECK(sends(by, wanted) == 1);
    CHECK(!stored().spec.replicas.has_value());
    CHECK(stored().metadata.labels.empty());
    CHECK(sends(by, wanted) == 0);
    // Deleted, and created by another: this manager owns nothing of it.
    REQUIRE(world.run(c.delete_<site>({"default", "web"})).has_value());
    CHECK(sends(by, wanted) == 1);
    REQUIRE(world.run(c.delete_<site>({"default", "web"})).has_value());
    REQUIRE(world.run(c.create(wanted)).has_value());
    CHECK(sends(by, wanted) == 1);
    // Others of its kind are others.
    site other = wanted;
    other.metadata.name = "other";
    CHECK(sends(by, other) == 1);
    CHECK(sends(by, wanted) == 0);
    CHECK(sends(by, other) == 0);
}

TEST_CASE_FIXTURE(fixture, "compared_apply: a failure is not remembered, and some options ask each time") {
    compared_apply by(apply_options("test"));
    const site wanted = wanted_site();
    CHECK(sends(by, wanted) == 1);
    merge({{"spec", {{"image", "b:2"}}}});
    CHECK(world.run(by.apply(c, wanted)).error() == condition::conflict);
    merge({{"spec", {{"image", "a:1"}}}});
    CHECK(sends(by, wanted) == 1);
    CHECK(sends(by, wanted) == 0);
    compared_apply dry(apply_options("test").dry_run());
    CHECK(sends(dry, wanted) == 1);
    CHECK(sends(dry, wanted) == 1);
}
