#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/watch/detail/initial_objects.hpp>

#include "simulation/widget.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace {

using namespace kcontrol;

any_object object(const std::string& name, const std::string& version) {
    auto made = std::make_shared<test::widget>();
    made->metadata.namespace_ = "default";
    made->metadata.name = name;
    made->metadata.uid = "u-" + name;
    made->metadata.resource_version = version;
    return any_object(std::shared_ptr<const test::widget>(made));
}

invalid_object bad(const std::string& name) {
    return {object(name, "9").meta(), error(errc::decode_failed, "no number")};
}

std::string text_of(const listed_objects& all) {
    std::string out;
    for (const auto& one : all.objects) out += one.meta().name.str() + one.meta().resource_version.str() + " ";
    for (const auto& one : all.invalid) out += "!" + one.metadata.name.str() + " ";
    return out;
}

TEST_CASE("initial objects: as they come") {
    detail::initial_objects all;
    all.added(object("a", "1"));
    all.added(object("b", "2"));
    all.invalid(bad("c"));
    CHECK(text_of(all.take()) == "a1 b2 !c ");
    CHECK(text_of(all.take()).empty());
}

TEST_CASE("initial objects: changes and deletions among them") {
    detail::initial_objects all;
    all.added(object("a", "1"));
    all.added(object("b", "2"));
    all.added(object("c", "3"));
    all.modified(object("a", "4"));
    all.deleted({"default", "b"});
    all.added(object("b", "5"));
    all.deleted({"default", "unknown"});
    all.modified(object("d", "6"));
    all.added(object("d", "7"));
    CHECK(text_of(all.take()) == "a4 c3 b5 d7 ");
    all.deleted({"default", "a"});
    all.added(object("a", "8"));
    CHECK(text_of(all.take()) == "a8 ");
}

TEST_CASE("initial objects: what can't be read takes the place of what could, and the other way round") {
    detail::initial_objects all;
    all.added(object("a", "1"));
    all.deleted({"default", "x"});
    all.invalid(bad("a"));
    all.invalid(bad("b"));
    CHECK(text_of(all.take()) == "!a !b ");
    all.invalid(bad("a"));
    all.invalid(bad("b"));
    all.modified(object("a", "2"));
    all.deleted({"default", "b"});
    CHECK(text_of(all.take()) == "a2 ");
}

}  // namespace
