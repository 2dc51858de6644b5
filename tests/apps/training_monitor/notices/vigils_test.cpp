#include "notices/vigils.hpp"

#include "notices/support.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;
using namespace training_monitor::notices;
namespace tests = training_monitor::notices::tests;
using std::chrono::minutes;

namespace {

const kcontrol::time_point start{std::chrono::hours(1)};

notice pending(std::string name = "bert") {
    return tests::make_notice(tests::job(std::move(name), job_state::pending), job_state::created, job_state::pending);
}

}  // namespace

TEST_CASE("vigils: over when the state has lasted, once for each receiver and time") {
    vigils v;
    CHECK(!v.next());
    v.begin(pending(), minutes(0), {{0, minutes(30)}, {1, minutes(30)}, {0, minutes(60)}}, start);
    CHECK(v.next() == start + minutes(30));
    CHECK(v.take(start + minutes(29)).empty());
    auto over = v.take(start + minutes(30));
    REQUIRE(over.size() == 2);
    CHECK(over[0].receiver == 0);
    CHECK(over[1].receiver == 1);
    CHECK(over[0].what.lasted == minutes(30));
    CHECK(v.next() == start + minutes(60));
    over = v.take(start + minutes(90));
    REQUIRE(over.size() == 1);
    CHECK(over[0].what.lasted == minutes(60));
    CHECK(v.size() == 0);
}

TEST_CASE("vigils: what a state has lasted already counts, and what is over already is not told") {
    vigils v;
    v.begin(pending(), minutes(20), {{0, minutes(30)}, {1, minutes(20)}, {2, minutes(10)}}, start);
    CHECK(v.next() == start + minutes(10));
    CHECK(v.take(start + minutes(100)).size() == 1);
}

TEST_CASE("vigils: a job's next change ends them, another job's does not") {
    vigils v;
    v.begin(pending("a"), minutes(0), {{0, minutes(30)}}, start);
    v.begin(pending("b"), minutes(0), {{0, minutes(30)}}, start);
    v.begin(pending("b"), minutes(0), {}, start);
    v.end(tests::job("c"));
    const auto over = v.take(start + minutes(30));
    REQUIRE(over.size() == 1);
    CHECK(over[0].what.job->name == "a");
}
