// Predicates, one row a change.
#include <kcontrol/controller/predicate.hpp>
#include <kcontrol/testing/fake_source.hpp>

#include "support/thing.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace kcontrol;
using namespace kcontrol::test;
using kcontrol::testing::added;
using kcontrol::testing::deleted;
using kcontrol::testing::updated;

namespace {

any_event change(const std::function<void(object_meta&)>& edit, std::optional<std::int64_t> generation) {
    thing before;
    before.metadata.name = "a";
    before.metadata.uid = "u1";
    before.metadata.resource_version = "1";
    before.metadata.generation = generation;
    thing after = before;
    after.metadata.resource_version = "2";
    edit(after.metadata);
    return updated(any_object(std::make_shared<const thing>(before)), any_object(std::make_shared<const thing>(after)));
}

}  // namespace

TEST_CASE("what each predicate makes of each change") {
    struct row {
        const char* name;
        std::function<void(object_meta&)> edit;
        std::optional<std::int64_t> generation;
        bool resource_version, generation_, spec, label, annotation;
    };
    const row rows[] = {
        {"nothing", [](object_meta& m) { m.resource_version = "1"; }, 1, false, false, false, false, false},
        {"status", [](object_meta&) {}, 1, true, false, false, false, false},
        {"spec", [](object_meta& m) { m.generation = 2; }, 1, true, true, true, false, false},
        {"label", [](object_meta& m) { m.labels["a"] = "b"; }, 1, true, false, false, true, false},
        {"annotation", [](object_meta& m) { m.annotations["a"] = "b"; }, 1, true, false, false, false, true},
        {"finalizer", [](object_meta& m) { m.finalizers = {"f"}; }, 1, true, false, true, false, false},
        {"deletion", [](object_meta& m) { m.deletion_timestamp = kcontrol::wall_time(std::chrono::hours(1)); }, 1, true,
         false, true, false, false},
        {"recreated with the same generation", [](object_meta& m) { m.uid = "u2"; }, 1, true, false, true, false,
         false},
        {"any change of a kind without generation", [](object_meta&) {}, {}, true, false, true, false, false},
        {"nothing, without generation",
         [](object_meta& m) { m.resource_version = "1"; },
         {},
         false,
         false,
         false,
         false,
         false},
    };
    for (const row& r : rows) {
        CAPTURE(r.name);
        const any_event e = change(r.edit, r.generation);
        CHECK(resource_version_changed(e) == r.resource_version);
        CHECK(generation_changed(e) == r.generation_);
        CHECK(spec_changed(e) == r.spec);
        CHECK(label_changed(e) == r.label);
        CHECK(annotation_changed(e) == r.annotation);
    }
}

TEST_CASE("additions and deletions pass every predicate") {
    const auto a = make_thing("a");
    for (const predicate& p : {predicate(resource_version_changed), predicate(generation_changed),
                               predicate(spec_changed), predicate(label_changed), predicate(annotation_changed)}) {
        CHECK(p(added(a)));
        CHECK(p(deleted(a)));
    }
}

TEST_CASE("a resync passes spec_changed and no other") {
    const auto a = make_thing("a");
    any_event resync = updated(a, a);
    resync.resync = true;
    CHECK(spec_changed(resync));
    CHECK_FALSE(resource_version_changed(resync));
    CHECK_FALSE(generation_changed(resync));
}

TEST_CASE("and, or, not combine and stop at the first answer") {
    const any_event e = added(make_thing("a"));
    int asked = 0;
    const auto yes = [&asked](const any_event&) { return ++asked, true; };
    const auto no = [&asked](const any_event&) { return ++asked, false; };
    CHECK(and_(yes, yes)(e));
    CHECK_FALSE(and_(no, yes)(e));
    CHECK(or_(yes, no)(e));
    CHECK_FALSE(or_(no, no)(e));
    CHECK_FALSE(not_(yes)(e));
    CHECK(asked == 2 + 1 + 1 + 2 + 1);
    CHECK(and_()(e));
    CHECK_FALSE(or_()(e));
}

TEST_CASE("predicate_on takes functions of the event, the typed event or the object") {
    const any_event e = updated(make_thing("a", "1", "red"), make_thing("a", "2", "blue"));
    CHECK(predicate_on<thing>([](const any_event& x) { return x.type == event_type::updated; })(e));
    CHECK(predicate_on<thing>([](const event<thing>& x) { return x.old_object->color != x.new_object->color; })(e));
    CHECK(predicate_on<thing>([](const thing& x) { return x.color == "blue"; })(e));
    CHECK(predicate_on<thing>(resource_version_changed)(e));
    CHECK(predicate_on<thing>([](const thing& x) { return x.color == "red"; })(deleted(make_thing("a", "1", "red"))));
}
