// What controllers of one name have counted together.
#include <kcontrol/controller/stats.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

controller_stats with_priority(int priority, std::uint64_t adds) {
    controller_stats out;
    priority_counters counters(priority);
    counters.adds = adds;
    counters.depth = 1;
    out.by_priority.emplace_back(counters);
    out.by_priority.back().longest_running = std::chrono::seconds(priority < 0 ? 1 : priority);
    out.by_priority.back().unfinished_work = 2s;
    out.by_priority.back().work_duration.observe(1s);
    return out;
}

std::string priorities_of(const controller_stats& stats) {
    std::string out;
    for (const auto& one : stats.by_priority) {
        out += priority_label(one.counters) + "=" + std::to_string(one.counters.adds) + " ";
    }
    return out;
}

}  // namespace

TEST_CASE("counts and histograms are added, gauges too, and of what runs longest it is the longest") {
    controller_stats all, other;
    all.succeeded = 1;
    other.succeeded = 2;
    other.errors = 3;
    all.active_workers = 1;
    other.active_workers = 2;
    other.reconcile_time.observe(1s);
    other.reconcile_time.observe(2s);
    all.add(other);
    CHECK(all.succeeded == 3);
    CHECK(all.reconciles() == 6);
    CHECK(all.active_workers == 3);
    CHECK(all.reconcile_time.count() == 2);
    CHECK(all.reconcile_time.sum() == 3);
    all.add(with_priority(5, 1));
    all.add(with_priority(5, 2));
    REQUIRE(all.by_priority.size() == 1);
    CHECK(all.by_priority[0].longest_running == 5s);
    CHECK(all.by_priority[0].unfinished_work == 4s);
    CHECK(all.by_priority[0].counters.depth == 2);
    CHECK(all.by_priority[0].work_duration.count() == 2);
    // Of one that is gone only what was counted stays.
    all.retire();
    CHECK(all.succeeded == 3);
    CHECK(all.active_workers == 0);
    CHECK(all.by_priority[0].counters.depth == 0);
    CHECK(all.by_priority[0].counters.adds == 3);
    CHECK(all.by_priority[0].longest_running == 0s);
    CHECK(all.by_priority[0].unfinished_work == 0s);
}

TEST_CASE("priorities are merged, the highest first, and there are never more of them than one controller has") {
    controller_stats all;
    for (const int priority : {0, -100, 7, 0, -100}) all.add(with_priority(priority, 1));
    CHECK(priorities_of(all) == "7=1 0=2 -100=2 ");
    for (int priority = 1000; priority < 1100; ++priority) all.add(with_priority(priority, 1));
    CHECK(all.by_priority.size() == most_counted_priorities + 1);
    CHECK(priority_label(all.by_priority.back().counters) == "exceeded_cardinality_limit");
    CHECK(all.by_priority.back().counters.adds == 100 - (most_counted_priorities - 3));
    CHECK(all.by_priority.front().counters.priority == 1021);
    controller_stats twice = all;
    twice.add(all);
    CHECK(twice.by_priority.size() == all.by_priority.size());
    CHECK(twice.by_priority.back().counters.adds == 2 * all.by_priority.back().counters.adds);
}
