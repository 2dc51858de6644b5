// Predicates, one row a change.
#include <kcontrol/controller/predicate.hpp>
#include <kcontrol/controller/selector_predicate.hpp>
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

TEST_CASE("create_only, deletion and resync_only let one thing pass each") {
    const auto marked = [](object_meta& m) { m.deletion_timestamp = kcontrol::wall_time(std::chrono::hours(1)); };
    const auto marked_later = [](object_meta& m) { m.resource_version = "3", m.finalizers = {}; };
    const any_event being_deleted = change(marked, 1);
    const any_event still = updated(being_deleted.new_object, change(marked_later, 1).new_object);
    any_event resync = updated(make_thing("a"), make_thing("a"));
    resync.resync = true;
    struct row {
        const char* name;
        any_event event;
        bool create, deletion_, resync_;
    };
    const row rows[] = {
        {"added", added(make_thing("a")), true, false, false},
        {"added when it was being deleted", added(being_deleted.new_object), true, true, false},
        {"status", change([](object_meta&) {}, 1), false, false, false},
        {"deletion asked for", being_deleted, false, true, false},
        {"another object of that name", change([](object_meta& m) { m.uid = "u2"; }, 1), false, true, false},
        {"gone", deleted(make_thing("a")), false, true, false},
        {"resync", resync, false, false, true},
        {"the same version again", updated(make_thing("a"), make_thing("a")), false, false, true},
        {"generic", any_event(event_type::generic, any_object(), make_thing("a")), false, false, false},
    };
    for (const row& r : rows) {
        CAPTURE(r.name);
        CHECK(create_only(r.event) == r.create);
        CHECK(deletion(r.event) == r.deletion_);
        CHECK(resync_only(r.event) == r.resync_);
    }
    CHECK_FALSE(deletion(still));  // it was told before
    CHECK(not_(resync_only)(still));
}

TEST_CASE("generic events pass every predicate on changes") {
    const any_event e(event_type::generic, any_object(), make_thing("a"));
    for (const predicate& p : {predicate(resource_version_changed), predicate(generation_changed),
                               predicate(spec_changed), predicate(label_changed), predicate(annotation_changed)}) {
        CHECK(p(e));
    }
}

TEST_CASE("what leaves a selection is told once more, by a selector and by a function of the object") {
    const auto labelled = [](const char* tier) {
        return [tier](object_meta& m) {
            if (tier != nullptr) m.labels["tier"] = tier;
        };
    };
    const auto object = [&](const char* tier) { return change(labelled(tier), 1).new_object; };
    const auto selector = label_selector::parse("tier in (web,api)").value();
    const predicate by_labels = labels_match(selector);
    const predicate by_function = predicate_on<thing>([](const thing& t) {
        const auto* const tier = t.metadata.labels.get("tier");
        return tier != nullptr && (*tier == "web" || *tier == "api");
    });
    struct row {
        const char* name;
        any_event event;
        bool passes;
    };
    const row rows[] = {
        {"added inside", added(object("web")), true},
        {"added outside", added(object("db")), false},
        {"added without labels", added(object(nullptr)), false},
        {"enters", updated(object("db"), object("web")), true},
        {"stays", updated(object("web"), object("api")), true},
        {"leaves", updated(object("web"), object("db")), true},
        {"loses its label", updated(object("web"), object(nullptr)), true},
        {"stays outside", updated(object("db"), object("cache")), false},
        {"deleted inside", deleted(object("web")), true},
        {"deleted outside", deleted(object("db")), false},
        {"generic inside", any_event(event_type::generic, any_object(), object("web")), true},
    };
    for (const row& r : rows) {
        CAPTURE(r.name);
        CHECK(by_labels(r.event) == r.passes);
        CHECK(by_function(r.event) == r.passes);
    }
}

TEST_CASE("combinations of predicates on a kind wait for it") {
    const auto red = [](const thing& t) { return t.color == "red"; };
    const auto recolored = [](const event<thing>& e) {
        return e.type == event_type::updated && e.old_object->color != e.new_object->color;
    };
    const predicate p = predicate_on<thing>(and_(not_(recolored), or_(red, resource_version_changed)));
    CHECK(p(added(make_thing("a", "1", "red"))));
    CHECK_FALSE(p(updated(make_thing("a", "1", "red"), make_thing("a", "2", "blue"))));
    CHECK(p(updated(make_thing("a", "1", "blue"), make_thing("a", "2", "blue"))));
    CHECK_FALSE(p(updated(make_thing("a", "1", "blue"), make_thing("a", "1", "blue"))));
}

TEST_CASE("predicate_on takes functions of the event, the typed event or the object") {
    const any_event e = updated(make_thing("a", "1", "red"), make_thing("a", "2", "blue"));
    CHECK(predicate_on<thing>([](const any_event& x) { return x.type == event_type::updated; })(e));
    CHECK(predicate_on<thing>([](const event<thing>& x) { return x.old_object->color != x.new_object->color; })(e));
    CHECK(predicate_on<thing>([](const thing& x) { return x.color == "blue"; })(e));
    CHECK(predicate_on<thing>(resource_version_changed)(e));
    CHECK(predicate_on<thing>([](const thing& x) { return x.color == "red"; })(deleted(make_thing("a", "1", "red"))));
}
