#include <kcontrol/base/fnv1a.hpp>

#include <doctest/doctest.h>

using kcontrol::fnv1a;

TEST_CASE("the hashes of the draft's test vectors") {
    CHECK(fnv1a().value() == 0xcbf29ce484222325U);
    CHECK(fnv1a().add("a").value() == 0xaf63dc4c8601ec8cU);
    CHECK(fnv1a().add("foobar").value() == 0x85944171f73967e8U);
    CHECK(fnv1a().add("foo").add("bar").value() == fnv1a().add("foobar").value());
}

TEST_CASE("texts that end do not run into each other") {
    CHECK(fnv1a().add("ab").end().add("c").end().value() != fnv1a().add("a").end().add("bc").end().value());
}
