// Several views of one watch, of which one is decoded by a function of the program's own that throws.
#include <kcontrol/cache/detail/joint_kind.hpp>

#include "cache/fixture.hpp"
#include "support/throws.hpp"

#include <doctest/doctest.h>

#include <new>
#include <string>
#include <string_view>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

// Throws at some names.
void throw_at(std::string_view name) {
    if (name == "exception") throw_it(thrown::runtime_error);
    if (name == "int") throw_it(thrown::an_int);
    if (name == "memory") throw std::bad_alloc();
}

result<any_object> decode_node(const resource_info&, json::node from, share_pool* pool) {
    throw_at(from["metadata"]["name"].as_string());
    return resource_of<widget>().decode(from, pool);
}

any_object decode_cursor(const resource_info&, json::cursor& from, share_pool* pool) {
    any_object out = resource_of<widget>().decode(from, pool);
    if (out) throw_at(out.meta().name);
    return out;
}

// The two ways in which a program may decode: from what is parsed, and besides from the text.
const resource_info& wild(bool at_cursor) {
    static const resource_info parsed(resource_of<widget>().gvk, "widgets", resource_scope::namespaced, decode_node,
                                      resource_of<widget>().encoder());
    static const resource_info both(resource_of<widget>().gvk, "widgets", resource_scope::namespaced, decode_node,
                                    resource_of<widget>().encoder(), nullptr, decode_cursor);
    return at_cursor ? both : parsed;
}

TEST_CASE("joint_kind: what one reader throws is why that one has no object") {
    for (const bool at_cursor : {false, true}) {
        const detail::joint_kind joint({&wild(at_cursor), &resource_of<widget>()});
        const auto text_of_widget = [](const std::string& name) {
            return R"({"apiVersion":"test.kcontrol.dev/v1","kind":"Widget","metadata":{"name":")" + name + R"("}})";
        };
        const auto decoded = joint.decode_text(text_of_widget("exception"));
        REQUIRE(decoded.has_value());
        const auto& parts = decoded->get<detail::joint_object>().parts;
        REQUIRE(parts.size() == 2);
        REQUIRE_FALSE(parts[0]);
        CHECK(parts[0].error() == errc::decode_failed);
        CHECK(parts[0].error().what() == "the function that decodes Widget threw: boom");
        CHECK(parts[1].has_value());
        // Lack of memory is not the object's fault.
        CHECK_THROWS_AS((void)joint.decode_text(text_of_widget("memory")), std::bad_alloc);
    }
}

TEST_CASE_FIXTURE(informer_fixture,
                  "shared watch: an object at which one view's function throws is the others' all the same") {
    for (const char* name : {"exception", "int", "sound"}) server.create(name, 1);
    std::string spoiled;
    const auto note = [&](const invalid_object& o) { spoiled += std::string(o.metadata.name) + " "; };
    any_informer parsed(watched, wild(false)), at_cursor(watched, wild(true));
    const auto held_parsed = parsed.on_invalid(note), held_at_cursor = at_cursor.on_invalid(note);
    const auto held_own = watched.on_invalid([&](const invalid_object&) { spoiled += "own "; });
    watched.start();
    parsed.start();
    at_cursor.start();
    settle();
    CHECK(take() == "+exception(initial) +int(initial) +sound(initial) ");
    CHECK(std::exchange(spoiled, {}) == "exception int exception int ");
    CHECK(parsed.objects().size() == 1);
    CHECK(at_cursor.status().invalid == 2);
    CHECK(watched.status().invalid == 0);
    for (const char* name : {"int", "sound"}) server.set_value(name, 2);
    settle();
    CHECK(take() == "~int ~sound ");
    CHECK(spoiled == "int int ");
    CHECK(watched.get({"default", "int"})->spec.value == 2);
    for (any_informer* one : {&parsed, &at_cursor}) ends_within(1s, one->stop());
}

}  // namespace
