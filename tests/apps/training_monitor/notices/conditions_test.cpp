#include "notices/conditions.hpp"

#include "notices/support.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;
using namespace training_monitor::notices;
namespace tests = training_monitor::notices::tests;
using std::chrono::minutes;
using training_monitor::notices::job_condition;

namespace {

const kcontrol::time_point start{std::chrono::hours(1)};

notice about(job_condition which, std::string name = "bert") {
    auto out = tests::make_notice(tests::job(std::move(name)), job_state::running, job_state::running);
    out.condition = which;
    return out;
}

}  // namespace

TEST_CASE("conditions: each is told once for as long as it goes on, and for itself") {
    conditions c;
    const auto idle = about(job_condition::gpus_idle), incomplete = about(job_condition::incomplete);
    c.holds(idle, minutes(5), {{0, minutes(30)}}, start);
    c.holds(incomplete, minutes(0), {{1, minutes(10)}}, start);
    CHECK(c.next() == start + minutes(10));
    c.holds(idle, minutes(9), {{0, minutes(30)}}, start + minutes(4));  // the same, said again
    const auto first = c.take(start + minutes(10));
    REQUIRE(first.size() == 1);
    CHECK(first[0].receiver == 1);
    CHECK(first[0].what.lasted == minutes(10));
    CHECK(c.next() == start + minutes(25));
    REQUIRE(c.take(start + minutes(25)).size() == 1);
    c.holds(idle, minutes(40), {{0, minutes(30)}}, start + minutes(26));
    CHECK(!c.next());
    c.over(*idle.job, job_condition::gpus_idle);
    c.holds(idle, minutes(0), {{0, minutes(30)}}, start + minutes(27));
    CHECK(c.next() == start + minutes(57));
    c.over(*idle.job);
    CHECK(!c.next());
}

TEST_CASE("conditions: of a cluster's jobs only those that are named go on") {
    conditions c;
    const std::vector<delayed_receiver> wanted{{0, minutes(30)}};
    auto elsewhere = about(job_condition::gpus_idle, "elsewhere");
    auto view = *elsewhere.job;
    view.cluster = "prod-2";
    elsewhere.job = std::make_shared<const job_view>(view);
    const auto bert = about(job_condition::gpus_idle), gpt = about(job_condition::gpus_idle, "gpt");
    for (const auto& each : {bert, gpt, elsewhere}) c.holds(each, minutes(0), wanted, start);
    c.only("prod-1", job_condition::gpus_idle, {&*gpt.job});
    c.only("prod-1", job_condition::incomplete, {});
    const auto over = c.take(start + minutes(30));
    REQUIRE(over.size() == 2);
    CHECK(over[0].what.job->name == "gpt");
    CHECK(over[1].what.job->name == "elsewhere");
}

TEST_CASE("conditions: what no rule asks for is not kept") {
    conditions c;
    c.holds(about(job_condition::incomplete), minutes(0), {}, start);
    CHECK(!c.next());
    c.holds(about(job_condition::incomplete), minutes(10), {{0, minutes(10)}}, start);  // over before it was seen
    CHECK(!c.next());
}
