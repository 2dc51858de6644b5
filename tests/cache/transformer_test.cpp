// What an informer makes of the objects that a transform returns, as decisions.
#include <kcontrol/cache/detail/transformer.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include "simulation/widget.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using detail::transformer;
using test::widget;

any_object make(const std::string& name, const std::string& version = "7", std::int64_t value = 1) {
    auto made = std::make_shared<widget>();
    made->metadata.namespace_ = "default";
    made->metadata.name = name;
    made->metadata.uid = "u-" + name;
    made->metadata.resource_version = version;
    made->spec.value = value;
    return any_object(std::shared_ptr<const widget>(made));
}

object_transform changes(std::function<void(widget&)> change) { return transform_of<widget>(std::move(change)); }

struct fixture {
    transformer of(const object_transform& function) { return {function, resource_of<widget>(), calls}; }

    testing::manual_environment env;
    guarded_calls calls{env, logger()};
};

TEST_CASE_FIXTURE(fixture, "transformer: what a transform may return, and what it may not") {
    const std::string returned = "the transform of objects of kind Widget ";
    const std::string none = returned + "returned no object; return the one that it got, or a changed copy";
    const std::string other =
        returned + "changed the object's name, namespace, uid or resourceVersion, which must stay";
    struct row {
        const char* what;
        object_transform function;
        std::string fault;
        std::int64_t value;  // of what is stored
    };
    const row rows[] = {
        {"there is none", nullptr, "", 1},
        {"the same", [](const any_object& object) { return object; }, "", 1},
        {"a changed copy", changes([](widget& w) { w.spec.value = 2; }), "", 2},
        {"what is not its identity", changes([](widget& w) { w.metadata.generation = 9; }), "", 1},
        {"nothing", [](const any_object&) { return any_object(); }, none, 1},
        {"another name", changes([](widget& w) { w.metadata.name = "b", w.spec.value = 2; }), other, 1},
        {"another namespace", changes([](widget& w) { w.metadata.namespace_ = "b", w.spec.value = 2; }), other, 1},
        {"another uid", changes([](widget& w) { w.metadata.uid = "b", w.spec.value = 2; }), other, 1},
        {"another version", changes([](widget& w) { w.metadata.resource_version = "8", w.spec.value = 2; }), other, 1},
        {"it throws", [](const any_object&) -> any_object { throw std::runtime_error("no odd ones"); },
         "a transform of objects (default/a) threw: no odd ones", 1},
    };
    for (const auto& r : rows) {
        CAPTURE(r.what);
        any_object object = make("a");
        const auto fault = of(r.function).apply(object);
        REQUIRE(fault.has_value() == !r.fault.empty());
        if (fault) CHECK(*fault == errc::callback_failed);
        if (fault) CHECK(fault->message() == r.fault);
        CHECK(object.get<widget>().spec.value == r.value);
    }
    CHECK(calls.thrown() == 1);
}

TEST_CASE_FIXTURE(fixture, "transformer: of a list, what is stored is passed over, and what fails is invalid") {
    std::string called;
    const object_transform function = [&](const any_object& object) {
        called += object.meta().name.str() + object.meta().resource_version.str() + " ";
        return object.meta().name == "odd" ? any_object() : make(object.meta().name.str(), "7", 2);
    };
    store content;
    content.apply(make("a"));
    content.apply(make("b", "6"));
    listed_objects all;
    // The first is the stored object itself; of the second, another version is stored.
    all.objects = {content.get({"default", "a"}), make("b"), make("odd"), make("c")};
    SUBCASE("with a transform") {
        of(function).apply_to(all, content);
        CHECK(called == "b7 odd7 c7 ");
        std::string text;
        for (const auto& one : all.objects) {
            text += one.meta().name.str() + std::to_string(one.get<widget>().spec.value) + " ";
        }
        CHECK(text == "a1 b2 c2 ");
        REQUIRE(all.invalid.size() == 1);
        CHECK(all.invalid[0].describe() == "default/odd");
        CHECK(all.invalid[0].why == errc::callback_failed);
    }
    SUBCASE("an equal version of another object is not the stored one") {
        all.objects = {make("a")};
        of(function).apply_to(all, content);
        CHECK(called == "a7 ");
    }
    SUBCASE("without one") {
        of(nullptr).apply_to(all, content);
        CHECK(all.objects.size() == 4);
        CHECK(all.invalid.empty());
    }
}

}  // namespace
