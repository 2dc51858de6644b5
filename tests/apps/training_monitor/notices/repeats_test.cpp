#include "notices/repeats.hpp"

#include "notices/support.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

using namespace training_monitor;
using namespace training_monitor::notices;
namespace tests = training_monitor::notices::tests;
using std::chrono::minutes;

namespace {

const kcontrol::time_point start{std::chrono::hours(1)};

// One job that goes from state to state.
struct life {
    repeats again{minutes(10)};
    standing last;

    // What is told at once: "FROM->TO xCHANGES", or nothing.
    std::string go(standing to, kcontrol::duration at) {
        const auto from = std::exchange(last, to);
        const auto answer = again.push(
            tests::make_notice(tests::job("bert", to.state().value_or(job_state::running)), from, to), start + at);
        return answer.now ? text(*answer.now) : "";
    }
    static std::string text(const notice& n) {
        return std::string(n.from_text()) + "->" + std::string(n.to_text()) + " x" + std::to_string(n.changes);
    }
};

}  // namespace

TEST_CASE("repeats: each state is told at once the first time") {
    life job;
    CHECK(job.go(job_state::created, minutes(0)) == "New->Created x1");
    CHECK(job.go(job_state::pending, minutes(0)) == "Created->Pending x1");
    CHECK(job.go(job_state::running, minutes(1)) == "Pending->Running x1");
    CHECK(job.go(job_state::restarting, minutes(2)) == "Running->Restarting x1");
    CHECK(!job.again.next());
}

TEST_CASE("repeats: a job that goes back and forth makes one notice of many, when the time is over or it ends") {
    life job;
    job.go(job_state::running, minutes(0));
    job.go(job_state::restarting, minutes(1));
    for (int i = 0; i < 4; ++i) {
        CHECK(job.go(job_state::running, minutes(2)).empty());
        CHECK(job.go(job_state::restarting, minutes(2)).empty());
    }
    CHECK(job.again.held() == 1);
    CHECK(job.again.next() == start + minutes(10));  // Running was told at 0
    CHECK(job.again.take(start + minutes(9)).empty());
    const auto due = job.again.take(start + minutes(10));
    REQUIRE(due.size() == 1);
    CHECK(life::text(due[0]) == "Restarting->Restarting x8");
    CHECK(job.go(job_state::running, minutes(11)) == "Restarting->Running x1");  // not told for more than ten minutes
    CHECK(job.go(job_state::restarting, minutes(12)).empty());
    CHECK(job.go(job_state::failed, minutes(13)) == "Running->Failed x2");
    CHECK(job.again.held() == 0);
    // It is another life after that.
    CHECK(job.go(job_state::running, minutes(14)) == "Failed->Running x1");
}

TEST_CASE("repeats: an end is always told, and jobs do not share what they were told") {
    repeats again{minutes(10)};
    const auto told = [&](std::string name, standing to) {
        return again.push(tests::make_notice(tests::job(std::move(name)), job_state::running, to), start)
            .now.has_value();
    };
    CHECK(told("a", job_state::failed));
    CHECK(told("a", job_state::failed));
    CHECK(told("a", standing()));
    CHECK(told("a", job_state::pending));
    CHECK(told("b", job_state::pending));
    CHECK_FALSE(told("b", job_state::pending));
}

TEST_CASE("repeats: zero holds nothing") {
    repeats again{kcontrol::duration::zero()};
    for (int i = 0; i < 3; ++i) {
        CHECK(again.push(tests::failed_notice(), start).now);
        CHECK(again.push(tests::make_notice(tests::job("a"), standing(), job_state::running), start).now);
    }
    CHECK(!again.next());
}

TEST_CASE("repeats: what a later notice covers is given back, so that its receiver is done with it") {
    repeats again{minutes(10)};
    const auto push = [&](std::string id) {
        auto n = tests::make_notice(tests::job("a"), job_state::restarting, job_state::running);
        n.id = std::move(id);
        return again.push(std::move(n), start);
    };
    CHECK(push("1").now->id == "1");
    CHECK(!push("2").covered);
    CHECK(push("3").covered->id == "2");
}
