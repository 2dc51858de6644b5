#include "pods/look_ups.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using namespace training_monitor;

namespace {

const job_ref first{"a", "ml", "Job", "first"}, second{"b", "ml", "Job", "second"};
const kcontrol::time_point start{};

}  // namespace

TEST_CASE("look-ups: a job that waits is asked for less and less often") {
    look_ups list;
    list.want(first, false, start);
    CHECK_FALSE(list.take(start + 2s));
    auto now = start;
    for (const auto pause : {3s, 15s, 60s, 240s, 600s, 600s}) {
        now += pause;
        CHECK_FALSE(list.take(now - 1s));
        list.want(first, false, now - 1s);  // a change of the job begins nothing anew
        CHECK(list.take(now) == first);
    }
    list.drop(first);
    CHECK_FALSE(list.next_due());
}

TEST_CASE("look-ups: one that failed is asked for twice") {
    look_ups list;
    list.want(first, true, start);
    CHECK(list.take(start + 3s) == first);
    CHECK(list.take(start + 18s) == first);
    CHECK_FALSE(list.next_due());
    CHECK(list.size() == 0);
}

TEST_CASE("look-ups: one that waited and failed then is asked for anew") {
    look_ups list;
    list.want(first, false, start);
    CHECK(list.take(start + 3s) == first);
    list.want(first, true, start + 4s);
    CHECK(list.take(start + 7s) == first);
}

TEST_CASE("look-ups: who looks is answered at once, and not more often than each 10 s") {
    look_ups list;
    CHECK(list.look(first, start));
    CHECK_FALSE(list.look(first, start + 9s));
    CHECK(list.look(first, start + 10s));
}

TEST_CASE("look-ups: bounded; the jobs of a cluster leave with it") {
    look_ups list(1);
    list.want(first, false, start);
    list.want(second, false, start);
    CHECK(list.size() == 1);
    list.drop_cluster("a");
    CHECK(list.size() == 0);
    CHECK_FALSE(list.next_due());
    list.want(second, false, start);
    CHECK(list.take(start + 3s) == second);
}
