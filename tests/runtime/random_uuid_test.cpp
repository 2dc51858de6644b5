#include <kcontrol/runtime/random_uuid.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;

TEST_CASE("random_uuid: the form of RFC 9562, version 4") {
    const std::uint64_t ones = ~std::uint64_t{0};
    CHECK(uuid_of_random(0, 0) == "00000000-0000-4000-8000-000000000000");
    CHECK(uuid_of_random(ones, ones) == "ffffffff-ffff-4fff-bfff-ffffffffffff");
    CHECK(uuid_of_random(0, ones) == "00000000-0000-4000-bfff-ffffffffffff");
    CHECK(uuid_of_random(ones, 0) == "ffffffff-ffff-4fff-8000-000000000000");
}
