#include "history/slot_ring.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

using namespace gpu_labeler;

namespace {

constexpr auto power = metric::power;

// The slots from the oldest to the newest: "1 . 3"; '.' where nothing is.
std::string shown(const slot_ring& ring, metric which = power) {
    std::string out;
    for (auto at = ring.oldest(); at <= ring.newest(); at += ring.seconds()) {
        const auto value = ring.at(which, at);
        if (!out.empty()) out += ' ';
        out += value ? std::to_string(std::lround(*value)) : ".";
    }
    return out;
}

}  // namespace

TEST_CASE("slots: gaps, wrapping, and clocks that jump") {
    struct step {
        std::int64_t at;
        double value;  // < 0: nothing is measured
        const char* shown;
    };
    struct row {
        const char* name;
        std::vector<step> steps;
    };
    const row rows[] = {
        {"in order", {{0, 1, ". . . 1"}, {10, 2, ". . 1 2"}, {29, 3, ". 1 2 3"}, {30, 4, "1 2 3 4"}}},
        {"it wraps",
         {{0, 1, ". . . 1"}, {10, 2, ". . 1 2"}, {20, 3, ". 1 2 3"}, {30, 4, "1 2 3 4"}, {40, 5, "2 3 4 5"}}},
        {"a gap stays a gap", {{0, 1, ". . . 1"}, {20, 3, ". 1 . 3"}, {30, -1, "1 . 3 ."}}},
        {"a gap as long as all", {{0, 1, ". . . 1"}, {40, 5, ". . . 5"}, {80'000'000'040, 6, ". . . 6"}}},
        {"the mean of a slot", {{0, 1, ". . . 1"}, {3, 3, ". . . 2"}, {9, 8, ". . . 4"}, {10, 9, ". . 4 9"}}},
        {"back by a slot", {{20, 3, ". . . 3"}, {30, 4, ". . 3 4"}, {25, 5, ". . . 4"}, {31, 6, ". . 4 6"}}},
        {"back by more than all", {{50, 6, ". . . 6"}, {60, 7, ". . 6 7"}, {0, 1, ". . . 1"}, {60, 2, ". . . 2"}}},
        {"back, then forward over what was",
         {{0, 1, ". . . 1"}, {10, 2, ". . 1 2"}, {20, 3, ". 1 2 3"}, {5, 5, ". . . 3"}, {20, 9, ". 3 . 9"}}},
        {"before 1970", {{-1, 1, ". . . 1"}, {0, 2, ". . 1 2"}, {-11, 3, ". . . 3"}}},
    };
    for (const auto& one : rows) {
        CAPTURE(one.name);
        slot_ring ring({10, 4});
        for (const auto& s : one.steps) {
            CAPTURE(s.at);
            ring.move_to(s.at);
            if (s.value >= 0) ring.add(power, s.value);
            CHECK(shown(ring) == s.shown);
        }
    }
}

TEST_CASE("slots: metrics are apart, what is not a number is not taken, and nothing is outside") {
    slot_ring ring({10, 3});
    CHECK_FALSE(ring.at(power, 0));
    ring.move_to(100);
    ring.add(power, 250.5);
    ring.add(metric::temperature, 40);
    ring.add(metric::sm_clock, std::numeric_limits<double>::infinity());
    ring.add(metric::sm_clock, std::nan(""));
    CHECK(ring.at(power, 100) == 250.5F);
    CHECK(ring.at(metric::temperature, 100) == 40.0F);
    CHECK_FALSE(ring.at(metric::sm_clock, 100));
    for (const std::int64_t outside : {70, 110, -1'000'000}) CHECK_FALSE(ring.at(power, outside));
    CHECK(ring.bytes() == metrics.size() * 3 * sizeof(float));
}
