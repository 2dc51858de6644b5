// Random objects survive writing and reading, for any seed.
#include <kcontrol/codec/codec.hpp>

#include "codec/random_filler.hpp"
#include "model/pod.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;

TEST_CASE("round trip: decode after encode gives an equal object") {
    std::size_t different = 0;
    for (unsigned seed = 1; seed <= 500; ++seed) {
        CAPTURE(seed);
        kcontrol_test::pod value;
        test::random_filler(seed).fill(describe<kcontrol_test::pod>(), &value);
        const std::string text = to_json(value);
        const auto again = from_json<kcontrol_test::pod>(text);
        REQUIRE(again.has_value());
        const bool same = equal(value, *again);
        CHECK(same);
        CHECK(to_json(*again) == text);

        kcontrol_test::pod other;
        test::random_filler(seed + 1).fill(describe<kcontrol_test::pod>(), &other);
        const bool equal_to_other = equal(value, other);
        CHECK(equal_to_other == (to_json(other) == text));
        if (!equal_to_other) ++different;
    }
    CHECK(different > 490);
}
