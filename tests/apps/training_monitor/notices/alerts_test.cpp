// What receivers were told of, and that it is over.
#include "notices/alerts.hpp"

#include "notices/support.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;
using namespace training_monitor::notices;
namespace tests = training_monitor::notices::tests;
using training_monitor::notices::job_condition;

namespace {

notice told(std::string name, job_state to, job_condition condition = job_condition::none, bool lasted = false) {
    auto out = tests::make_notice(tests::job(name, to), job_state::running, to);
    out.thread = name;
    out.condition = condition;
    if (lasted) out.lasted = std::chrono::minutes(20);
    return out;
}

std::string said(const std::vector<ended_alert>& all) {
    std::string out;
    for (const auto& each : all) {
        out += (out.empty() ? "" : " ") + std::to_string(each.receiver) + ":" + each.what.thread;
        if (each.what.earlier > 0) out += "+" + std::to_string(each.what.earlier);
    }
    return out;
}

}  // namespace

TEST_CASE("what ends what was told of a job") {
    const auto state = [](job_state s) { return told("a", s); };
    const auto condition = [](job_condition c) { return told("a", job_state::running, c); };
    const struct {
        notice what;
        standing to;
        bool ends;
    } table[] = {
        {state(job_state::failed), standing(), true},
        {state(job_state::failed), job_state::running, false},
        {state(job_state::restarting), job_state::running, true},
        {state(job_state::restarting), job_state::failed, false},
        {state(job_state::restarting), job_state::succeeded, true},
        {told("a", job_state::pending, job_condition::none, true), job_state::running, true},
        {told("a", job_state::pending, job_condition::none, true), job_state::failed, false},
        {told("a", job_state::pending, job_condition::none, true), job_state::suspended, true},
        {condition(job_condition::gpus_idle), job_state::running, false},
        {condition(job_condition::gpus_idle), job_state::succeeded, true},
        {condition(job_condition::gpus_idle), standing(), true},
    };
    for (const auto& row : table) {
        alerts open;
        open.told(3, row.what);
        REQUIRE(open.size() == 1);
        const auto ended = open.moved(tests::job("a"), row.to);
        CAPTURE(row.what.to_text());
        CAPTURE(to_string(row.what.condition));
        CHECK(said(ended) == (row.ends ? "3:a" : ""));
        CHECK(open.size() == (row.ends ? 0 : 1));
    }
}

TEST_CASE("a condition that is over, or gave way to a failure") {
    alerts open;
    open.told(0, told("a", job_state::running, job_condition::incomplete));
    CHECK(open.over(tests::job("a"), job_condition::gpus_idle).empty());
    CHECK(open.over(tests::job("b"), job_condition::incomplete).empty());
    CHECK(said(open.over(tests::job("a"), job_condition::incomplete)) == "0:a");
    open.told(0, told("a", job_state::running, job_condition::incomplete));
    CHECK(open.over(tests::job("a", job_state::failed), job_condition::incomplete).empty());
    CHECK(said(open.moved(tests::job("a"), standing())) == "0:a");
    open.told(1, told("a", job_state::running, job_condition::gpus_idle));
    open.told(1, told("b", job_state::running, job_condition::gpus_idle));
    const auto still = tests::job("b");
    CHECK(said(open.only("prod-1", job_condition::gpus_idle, {&still})) == "1:a");
    CHECK(open.only("prod-2", job_condition::gpus_idle, {}).empty());
}

TEST_CASE("a group is over when it is for all its jobs; each receiver for itself") {
    alerts open;
    auto group = told("a", job_state::failed);
    group.members = {told("b", job_state::failed), told("c", job_state::failed)};
    open.told(0, group);
    open.told(1, told("b", job_state::failed));
    auto more = told("d", job_state::failed);
    more.thread = "a";
    more.earlier = 3;
    open.told(0, more);
    CHECK(open.moved(tests::job("a"), standing()).empty());
    CHECK(said(open.moved(tests::job("b"), standing())) == "1:b");
    CHECK(open.moved(tests::job("d"), standing()).empty());
    CHECK(said(open.moved(tests::job("c"), standing())) == "0:a+3");
    CHECK(open.size() == 0);
}

TEST_CASE("a rule that tells of the end itself: it is not told twice") {
    alerts open;
    open.told(0, told("a", job_state::restarting));
    open.told(1, told("a", job_state::restarting));
    open.told(0, told("a", job_state::running));
    CHECK(said(open.moved(tests::job("a"), job_state::running)) == "1:a");
}

TEST_CASE("of a cluster that was removed nothing is kept, and a group across clusters is over when the rest is") {
    alerts open;
    auto group = told("a", job_state::failed);
    auto elsewhere = tests::job("b", job_state::failed);
    elsewhere.cluster = "prod-2";
    group.members = {tests::make_notice(elsewhere, job_state::running, job_state::failed)};
    open.told(0, group);
    open.told(0, told("c", job_state::failed));
    open.forget("prod-1");
    CHECK(open.size() == 1);
    CHECK(open.moved(tests::job("c"), standing()).empty());
    CHECK(said(open.moved(elsewhere, standing())) == "0:a+1");
    open.told(0, group);
    open.forget("prod-2");
    open.forget("prod-1");
    CHECK(open.size() == 0);
}

TEST_CASE("they are bounded") {
    alerts open(2);
    for (const auto* name : {"a", "b", "c"}) open.told(0, told(name, job_state::failed));
    CHECK(open.size() == 2);
    open.told(0, told("a", job_state::failed));
    CHECK(open.size() == 2);
}
