// How often bookmarks come, and how long a watch may be silent then.
#include <kcontrol/watch/detail/bookmark_cadence.hpp>

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using detail::bookmark_cadence;

TEST_CASE("bookmark cadence: nothing is known before two have come in one watch") {
    bookmark_cadence known;
    CHECK_FALSE(known.period());
    CHECK(known.patience(90s) == 90s);
    known.opened();
    known.bookmark(time_point(100s));
    CHECK_FALSE(known.period());
    known.opened();
    known.bookmark(time_point(300s));
    CHECK_FALSE(known.period());
    known.bookmark(time_point(320s));
    CHECK(known.period() == 20s);
    CHECK(known.patience(90s) == 60s);
}

TEST_CASE("bookmark cadence: the longest of the last four gaps counts, between bounds") {
    bookmark_cadence known;
    time_point now(1000s);
    known.opened();
    known.bookmark(now);
    for (const duration gap : {duration(20s), duration(2s), duration(10s)}) known.bookmark(now += gap);
    CHECK(known.period() == 20s);
    for (int i = 0; i < 4; ++i) known.bookmark(now += 10s);
    CHECK(known.period() == 10s);
    for (int i = 0; i < 4; ++i) known.bookmark(now += 2s);
    CHECK(known.patience(90s) == bookmark_cadence::least_patience);
    CHECK(known.patience(5s) == 5s);
    known.bookmark(now += 60s);
    CHECK(known.patience(90s) == 90s);
    CHECK(known.patience(1h) == 180s);
}

TEST_CASE("bookmark cadence: what has waited for its reader says nothing, nor does the time from there to the next") {
    bookmark_cadence known;
    time_point now(1000s);
    known.opened();
    for (int i = 0; i < 9; ++i) known.bookmark(now);
    known.bookmark(now += 3s);
    CHECK_FALSE(known.period());
    known.bookmark(now += 20s);
    CHECK(known.period() == 20s);
    known.bookmark(now += 100ms);
    known.bookmark(now += 2s);
    CHECK(known.period() == 20s);
}

}  // namespace
