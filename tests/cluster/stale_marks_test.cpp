// What a cache is known to be behind with.
#include <kcontrol/cluster/detail/stale_marks.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using detail::stale_marks;

const group_version_kind widget_kind("test.kcontrol.dev", "v1", "Widget");
const namespaced_name x("default", "x");

struct fixture {
    stale_marks marks;
    time_point now{1h};
    bool asks(std::string_view cached) { return marks.asks(widget_kind, x, cached, now); }
    void answered(std::string_view version) { marks.answered(widget_kind, x, version); }
};

TEST_CASE_FIXTURE(fixture, "stale marks: the server is asked until the cache has what it said") {
    CHECK_FALSE(asks("5"));
    marks.mark(widget_kind, x, now);
    // Whatever the cache has by now: nobody knows what the conflict was with.
    CHECK(asks("5"));
    CHECK(asks("6"));
    answered("9");
    CHECK(asks("8"));
    CHECK_FALSE(asks("9"));
    CHECK(marks.empty());
    CHECK_FALSE(asks("8"));

    marks.mark(widget_kind, x, now);
    answered("9");
    CHECK_FALSE(asks("10"));  // a later one, of more digits
}

TEST_CASE_FIXTURE(fixture, "stale marks: of an object that is gone, or of versions without an order") {
    marks.mark(widget_kind, x, now);
    answered("");
    CHECK(asks("5"));
    CHECK_FALSE(asks(""));

    marks.mark(widget_kind, x, now);
    answered("abc");
    CHECK(asks("abb"));
    CHECK(asks(""));
    CHECK_FALSE(asks("abc"));
}

TEST_CASE_FIXTURE(fixture, "stale marks: a look at one of several caches forgets nothing") {
    marks.mark(widget_kind, x, now);
    answered("");
    CHECK_FALSE(marks.marks(widget_kind, x, "", now));
    CHECK(marks.marks(widget_kind, x, "5", now));
    CHECK_FALSE(marks.marks(widget_kind, {"other", "x"}, "5", now));
    CHECK(asks("5"));
    CHECK_FALSE(marks.marks(widget_kind, x, "5", now + stale_marks::lifetime));
    CHECK_FALSE(asks(""));
    CHECK(marks.empty());
}

TEST_CASE_FIXTURE(fixture, "stale marks: a second conflict begins anew, and a minute ends each") {
    marks.mark(widget_kind, x, now);
    answered("9");
    marks.mark(widget_kind, x, now);
    CHECK(asks("9"));
    now += stale_marks::lifetime;
    CHECK_FALSE(asks("9"));
    CHECK(marks.empty());
    marks.answered(widget_kind, x, "10");
    CHECK(marks.empty());
}

TEST_CASE_FIXTURE(fixture, "stale marks: objects of other kinds and names are others; there is a bound") {
    marks.mark(widget_kind, x, now);
    CHECK_FALSE(marks.asks(widget_kind, {"other", "x"}, "1", now));
    CHECK_FALSE(marks.asks({"test.kcontrol.dev", "v1", "Gadget"}, x, "1", now));
    for (std::size_t i = 0; i < 2 * stale_marks::most; ++i) {
        now += 1ms;
        marks.mark(widget_kind, {"default", std::to_string(i)}, now);
    }
    CHECK(marks.size() == stale_marks::most);
    CHECK_FALSE(asks("1"));
    CHECK(marks.asks(widget_kind, {"default", std::to_string(2 * stale_marks::most - 1)}, "1", now));
}

}  // namespace
