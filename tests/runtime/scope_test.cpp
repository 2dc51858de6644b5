#include <kcontrol/runtime/scope.hpp>

#include <doctest/doctest.h>

#include <memory>

using namespace kcontrol;

TEST_CASE("a scope runs until it is stopped, for good") {
    scope s;
    const auto token = s.token();
    CHECK(token.stop_possible());
    CHECK(!s.stopped());
    CHECK(s.generation() == 1);
    s.stop();
    s.stop();
    CHECK(s.stopped());
    CHECK(token.stop_requested());
    CHECK(s.generation() == 1);
}

TEST_CASE("rebuild ends one generation and starts the next") {
    scope s;
    const auto first = s.token();
    const auto second = s.rebuild();
    CHECK(first.stop_requested());
    CHECK(!second.stop_requested());
    CHECK(second == s.token());
    CHECK(s.generation() == 2);
    s.stop();
    CHECK(second.stop_requested());
    const auto third = s.rebuild();  // a stopped scope starts again
    CHECK(!third.stop_requested());
    CHECK(s.generation() == 3);
    CHECK(first.stop_requested());
}

TEST_CASE("a parent stops its children in every generation, and siblings notice nothing") {
    scope parent;
    scope child(parent.token());
    scope sibling(parent.token(), 7);
    CHECK(sibling.generation() == 7);
    child.stop();
    CHECK(!parent.stopped());
    CHECK(!sibling.stopped());
    const auto again = child.rebuild();
    CHECK(!again.stop_requested());
    parent.stop();
    CHECK(again.stop_requested());
    CHECK(sibling.stopped());
    CHECK(child.rebuild().stop_requested());  // under a stopped parent
    scope late(parent.token());
    CHECK(late.stopped());
}

TEST_CASE("destruction stops, and tokens may outlive the scope") {
    std::stop_token token;
    {
        const scope s;
        token = s.token();
        CHECK(!token.stop_requested());
    }
    CHECK(token.stop_requested());
}

TEST_CASE("a stop callback may ask, stop and rebuild the scope") {
    scope s;
    std::uint64_t seen = 0;
    const std::stop_callback callback(s.token(), [&] {
        seen = s.generation();
        s.stop();
    });
    s.rebuild();
    CHECK(seen == 1);
    CHECK(s.generation() == 2);
    CHECK(!s.stopped());
}
