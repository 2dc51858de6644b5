// One message for one cause.
#include "notices/grouping.hpp"

#include "notices/support.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace training_monitor;
using namespace training_monitor::notices;
using namespace std::chrono_literals;
namespace tests = training_monitor::notices::tests;
using training_monitor::notices::job_condition;

namespace {

notice failed(std::string name, std::string error = "XID 79", std::string node = "gpu-3") {
    auto view = tests::job(name, job_state::failed);
    if (!error.empty()) view.failure = job_failure{std::move(node), 1, std::move(error), {}};
    auto out = tests::make_notice(std::move(view), job_state::running, job_state::failed);
    out.thread = "thread-of-" + name;
    return out;
}

notice moved(std::string name, job_state to) {
    return tests::make_notice(tests::job(std::move(name), to), job_state::pending, to);
}

// "a+2 b": names of the firsts, how many go with each, how many were told before.
std::string said(const std::vector<notice>& all) {
    std::string out;
    for (const auto& n : all) {
        out += (out.empty() ? "" : " ") + n.job->name;
        if (!n.members.empty()) out += "+" + std::to_string(n.members.size());
        if (n.earlier > 0) out += " after " + std::to_string(n.earlier);
    }
    return out;
}

struct fixture {
    grouping groups{group_options()};
    kcontrol::time_point t0{};
    std::map<std::string, std::shared_ptr<const job_view>> known;

    std::string push(notice n, kcontrol::duration at) {
        const auto passed = groups.push(std::move(n), t0 + at);
        return passed ? passed->job->name : "held";
    }
    std::vector<notice> all(kcontrol::duration at) {
        return groups.take(t0 + at, [this](const notice& n) {
            const auto found = known.find(n.job->name);
            return found == known.end() ? nullptr : found->second;
        });
    }
    std::string take(kcontrol::duration at) { return said(all(at)); }
    std::string next() {
        const auto due = groups.next();
        return due ? std::to_string((*due - t0) / 1s) : "never";
    }
};

}  // namespace

TEST_CASE("fifty jobs that fail on one node are two notices at most") {
    fixture f;
    for (int i = 0; i < 20; ++i) CHECK(f.push(failed("j" + std::to_string(i)), i * 400ms) == "held");
    CHECK(f.next() == "10");
    CHECK(f.take(9s).empty());
    CHECK(f.take(10s) == "j0+19");
    for (int i = 20; i < 50; ++i) CHECK(f.push(failed("j" + std::to_string(i)), 11s + i * 1s) == "held");
    CHECK(f.groups.held() == 30);
    CHECK(f.take(80s).empty());  // they wait for the end of `more`
    CHECK(f.next() == "310");
    const auto more = f.all(310s);
    CHECK(said(more) == "j20+29 after 20");
    CHECK(more[0].thread == "thread-of-j0");
    CHECK(f.take(610s).empty());
    CHECK(f.next() == "never");
    CHECK(f.push(failed("late"), 700s) == "held");
    CHECK(f.take(710s) == "late");  // a new group
}

TEST_CASE("causes are told apart, and what is not known is alike to nothing") {
    fixture f;
    f.push(failed("a"), 0s);
    f.push(failed("b", "no route"), 1s);
    f.push(failed("c", "XID 79", "gpu-4"), 1s);
    f.push(failed("d", ""), 2s);
    f.push(failed("e", ""), 2s);
    f.push(failed("f"), 3s);
    CHECK(f.take(10s) == "a+1");
    CHECK(f.take(12s) == "b c d e");
}

TEST_CASE("why a job failed may be known only later") {
    fixture f;
    f.push(failed("a", ""), 0s);
    f.push(failed("b", ""), 0s);
    for (const auto* name : {"a", "b"}) f.known[name] = failed(name).job;
    const auto sent = f.all(10s);
    CHECK(said(sent) == "a+1");
    CHECK(sent[0].job->failure->node == "gpu-3");
}

TEST_CASE("other notices pass at once, but for those of a job that waits") {
    fixture f;
    CHECK(f.push(moved("a", job_state::running), 0s) == "a");
    f.push(failed("a"), 1s);
    CHECK(f.push(moved("b", job_state::succeeded), 2s) == "b");
    auto gone = failed("a");
    gone.from = job_state::failed;
    gone.to = standing();
    CHECK(f.push(gone, 3s) == "held");
    f.push(failed("c"), 4s);
    const auto sent = f.all(11s);
    REQUIRE(sent.size() == 2);
    // The end of a job is told behind its failure.
    CHECK(said({sent[0]}) == "a+1");
    CHECK(!sent[1].to.state());
    CHECK(f.push(gone, 12s) == "a");
}

TEST_CASE("the end of a job is told behind its failure, also where that waits for the end of `more`") {
    fixture f;
    f.push(failed("a"), 0s);
    CHECK(f.take(10s) == "a");
    f.push(failed("b"), 20s);
    CHECK(f.push(moved("b", job_state::running), 25s) == "held");  // b waits by itself
    CHECK(f.take(30s).empty());
    CHECK(f.push(moved("b", job_state::succeeded), 40s) == "held");  // it waits in the group
    CHECK(f.push(moved("c", job_state::running), 40s) == "c");
    CHECK(f.groups.held() == 3);
    CHECK(f.next() == "310");
    const auto sent = f.all(310s);
    CHECK(said(sent) == "b after 1 b b");
    REQUIRE(sent.size() == 3);
    CHECK(sent[1].to == standing(job_state::running));
    CHECK(sent[2].to == standing(job_state::succeeded));
    CHECK(f.groups.held() == 0);
}

TEST_CASE("without options each notice passes") {
    grouping off{std::nullopt};
    CHECK(off.push(failed("a"), {}).has_value());
    CHECK_FALSE(off.next());
}

TEST_CASE("`by` says what jobs must have in common") {
    group_options how;
    how.by.node = false;
    grouping groups(how);
    for (const auto* node : {"gpu-1", "gpu-2", "gpu-3"}) groups.push(failed(node, "XID 79", node), {});
    CHECK(said(groups.take(kcontrol::time_point(10s), [](const notice&) { return nullptr; })) == "gpu-1+2");
}

TEST_CASE("which notices are of failures") {
    auto n = failed("a");
    CHECK(is_of_failure(n));
    n.resolved = true;
    CHECK_FALSE(is_of_failure(n));
    n = moved("a", job_state::restarting);
    CHECK(is_of_failure(n));
    n.condition = condition_of(trouble::crash_loop);
    CHECK(is_of_failure(n));
    n.condition = job_condition::gpus_idle;
    CHECK_FALSE(is_of_failure(n));
    CHECK_FALSE(is_of_failure(moved("a", job_state::pending)));
    n = failed("a");
    n.cluster_to = "Failed";
    CHECK_FALSE(is_of_failure(n));
}
