// A scheduler without surroundings: what it does for each event and answer, for one pod, for gangs and in preemption.
#include <kcontrol/scheduling/scheduler_core.hpp>

#include "scheduling/first_fit.hpp"
#include "scheduling/objects.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using scheduling::bind_effect;
using scheduling::condition_effect;
using scheduling::effect;
using scheduling::evict_effect;
using scheduling::gang_id;
using scheduling::gang_source;
using scheduling::group_effect;
using scheduling::nominate_effect;
using scheduling::pod_info;
using scheduling::queue_state;
using scheduling::scheduler_core;
using scheduling::scheduler_core_options;

namespace {

constexpr time_point start{1000s};
using object = std::shared_ptr<const core::pod>;

// Metadata and spec of a pod, as a test edits it.
struct wanted_pod {
    std::string name = "web";
    std::string cpu = "1";
    std::string gang;
    std::string size = "2";
    std::string group;
    std::string node;
    std::string phase = "Pending";
    std::string uid;
    std::int32_t priority = 0;
    bool is_gated = false;
    bool is_held = false;
    bool is_deleted = false;
    std::string scheduler = "ours";
    std::string nominated;
    std::string keep;
};

object made(const wanted_pod& of) {
    auto out = std::make_shared<core::pod>();
    out->metadata.namespace_ = "default";
    out->metadata.name = of.name;
    out->metadata.uid = of.uid.empty() ? "uid-" + of.name : of.uid;
    if (!of.gang.empty()) {
        out->metadata.labels["scheduling.kcontrol.dev/gang"] = of.gang;
        out->metadata.annotations["scheduling.kcontrol.dev/gang-size"] = of.size;
    }
    if (!of.keep.empty()) out->metadata.annotations["scheduling.kcontrol.dev/keep-place"] = of.keep;
    if (!of.group.empty()) out->spec.scheduling_group.edit().pod_group_name = of.group;
    if (of.is_gated) out->spec.scheduling_gates.emplace_back().name = "quota";
    if (of.is_held) out->metadata.labels["hold"] = "x";
    if (of.is_deleted) out->metadata.deletion_timestamp = wall_time(24h);
    out->spec.scheduler_name = of.scheduler;
    out->spec.node_name = of.node;
    out->spec.priority = of.priority;
    out->spec.containers.emplace_back().resources.requests["cpu"] = of.cpu;
    out->status.phase = of.phase;
    out->status.nominated_node_name = of.nominated;
    return out;
}

wanted_pod named(const std::string& name, const std::string& node = {}) {
    wanted_pod out;
    out.name = name;
    out.node = node;
    return out;
}
wanted_pod of_gang(const std::string& name, const std::string& node = {}, const std::string& size = "2") {
    wanted_pod out = named(name, node);
    out.gang = "g";
    out.size = size;
    return out;
}

std::string text_of(const effect& one) {
    if (const auto* bind = std::get_if<bind_effect>(&one)) {
        return "bind " + std::string(bind->place.pod->name()) + " to " + bind->place.node;
    }
    if (const auto* wrong = std::get_if<condition_effect>(&one)) {
        return std::string(wrong->pod->name()) + " " + wrong->reason + ": " + wrong->message;
    }
    if (const auto* place = std::get_if<nominate_effect>(&one)) {
        return "nominate " + std::string(place->pod->name()) + " to " + (place->node.empty() ? "nothing" : place->node);
    }
    if (const auto* evicted = std::get_if<evict_effect>(&one)) {
        return "evict " + std::string(evicted->pod->name()) + " from " + evicted->node + " for " +
               (evicted->preemptor != nullptr ? std::string(evicted->preemptor->name())
                                              : "gang " + evicted->gang->name);
    }
    const auto& group = std::get<group_effect>(one);
    return "group " + group.gang.name + (group.is_scheduled ? " is scheduled" : " is not: " + group.message);
}

struct stage {
    first_fit decider;
    scheduler_core core{decider};
    time_point now = start;
    std::vector<bind_effect> bindings;  // that were asked for, and not answered yet

    stage() { decider.begin(core); }

    void node(const std::string& name, const std::string& cpu) {
        core.set_node(node_of(name, R"({"cpu":")" + cpu + R"(","pods":"99"})"), now);
    }
    void pod(const wanted_pod& of) { core.set_pod(made(of), now); }
    void deleted(const wanted_pod& of) {
        core.remove_pod("default", of.name, of.uid.empty() ? "uid-" + of.name : of.uid, now);
    }
    /// Lets that time pass, decides about all that is active, and tells what is to be done.
    std::string run(duration time = {}) {
        now += time;
        core.advance(now);
        int steps = 0;
        while (core.step(now)) REQUIRE(++steps < 1000);
        std::string out;
        for (auto& one : core.take_effects()) {
            out += (out.empty() ? "" : "; ") + text_of(one);
            if (auto* bind = std::get_if<bind_effect>(&one)) bindings.push_back(std::move(*bind));
        }
        return out;
    }
    scheduling::assumption take_binding(const std::string& name) {
        for (auto one = bindings.begin(); one != bindings.end(); ++one) {
            if (one->place.pod->name() != name) continue;
            const auto out = one->place.assumed;
            bindings.erase(one);
            return out;
        }
        FAIL("no binding of " << name);
        return {};
    }
    void bound(const std::string& name) { core.bound(take_binding(name), now); }
    void refused(const std::string& name, scheduling::plugin_set by = 0) {
        core.refused(take_binding(name), {by, "no"}, now);
    }
    std::int64_t used(const std::string& node) { return core.nodes().snapshot().find(node)->requested().cpu_milli; }
    std::string state(const std::string& name) {
        const auto* const found = core.queue().find("default", name);
        if (found == nullptr) return "-";
        const char* const names[] = {"active", "backoff", "unschedulable", "gated", "in flight"};
        return names[static_cast<std::size_t>(found->state)];
    }
};

}  // namespace

TEST_CASE("scheduler_core: a pod is bound, and counts from the decision on") {
    stage s;
    s.node("n1", "2");
    s.pod(named("web"));
    CHECK(s.run() == "bind web to n1");
    CHECK(s.used("n1") == 1000);
    CHECK(s.state("web") == "in flight");
    CHECK(s.run(1h).empty());  // nothing ends it by time
    s.bound("web");
    CHECK(s.state("web") == "-");
    s.pod(named("web"));  // a version that is older than the binding
    CHECK(s.run().empty());
    s.pod(named("web", "n1"));
    CHECK(s.run().empty());
    CHECK(s.core.binding_count() == 0);
    CHECK(s.core.nodes().assumed_count() == 0);
    s.deleted(named("web"));
    CHECK(s.used("n1") == 0);
}

TEST_CASE("scheduler_core: each answer to a binding, before and after what the watch shows") {
    struct row {
        const char* before;
        const char* answer;
        const char* state;
        std::int64_t n1;
        std::int64_t n2;
        bool is_reserved;
    };
    const row rows[] = {
        {"", "bound", "-", 1000, 0, true},
        {"", "refused", "backoff", 0, 0, false},
        {"", "read on n1", "-", 1000, 0, true},
        {"", "read on n2", "-", 0, 1000, false},
        {"", "read pending", "backoff", 0, 0, false},
        {"", "read nothing", "backoff", 0, 0, false},
        {"", "read another", "backoff", 0, 0, false},
        {"on n1", "bound", "-", 1000, 0, true},
        {"on n1", "refused", "-", 1000, 0, false},  // a binding that succeeded and was answered with an error
        {"on n1", "read on n1", "-", 1000, 0, true},
        {"on n2", "refused", "-", 0, 1000, false},
        {"on n2", "read on n2", "-", 0, 1000, true},
        {"deleted", "bound", "-", 0, 0, true},
        {"deleted", "refused", "-", 0, 0, false},
        {"deleted", "read nothing", "-", 0, 0, false},
        {"deleting", "refused", "-", 0, 0, false},
        {"another", "refused", "unschedulable", 0, 0, false},
        {"another", "bound", "unschedulable", 0, 0, true},
    };
    for (const auto& one : rows) {
        CAPTURE(one.before);
        CAPTURE(one.answer);
        stage s;
        s.node("n1", "2");
        s.pod(named("web"));
        REQUIRE(s.run() == "bind web to n1");
        s.node("n2", "2");
        const std::string before = one.before;
        wanted_pod changed = named("web");
        if (before == "on n1") s.pod(named("web", "n1"));
        if (before == "on n2") s.pod(named("web", "n2"));
        if (before == "deleted") s.deleted(named("web"));
        if (before == "deleting") changed.is_deleted = true, s.pod(changed);
        if (before == "another") changed.uid = "2", changed.cpu = "9", s.pod(changed);
        s.run();
        const std::string answer = one.answer;
        changed = named("web");
        if (answer == "bound") s.bound("web");
        if (answer == "refused") s.refused("web");
        if (answer == "read on n1") s.core.settle(s.take_binding("web"), made(named("web", "n1")), s.now);
        if (answer == "read on n2") s.core.settle(s.take_binding("web"), made(named("web", "n2")), s.now);
        if (answer == "read pending") s.core.settle(s.take_binding("web"), made(changed), s.now);
        if (answer == "read nothing") s.core.settle(s.take_binding("web"), nullptr, s.now);
        if (answer == "read another") changed.uid = "2", s.core.settle(s.take_binding("web"), made(changed), s.now);
        CHECK(s.state("web") == one.state);
        CHECK(s.used("n1") == one.n1);
        CHECK(s.used("n2") == one.n2);
        CHECK(s.decider.reserved.contains("uid-web") == one.is_reserved);
        CHECK(s.core.binding_count() == 0);
    }
}

TEST_CASE("scheduler_core: an answer to an earlier decision ends none that was made since") {
    stage s;
    s.node("n1", "2");
    s.pod(named("web"));
    s.run();
    const auto first = s.take_binding("web");
    s.core.settle(first, made(named("web")), s.now);
    CHECK(s.run(1s) == "bind web to n1");
    s.core.refused(first, {0, "late"}, s.now);
    s.core.bound(first, s.now);
    s.core.settle(first, nullptr, s.now);
    CHECK(s.run().empty());
    CHECK(s.used("n1") == 1000);
    CHECK(s.state("web") == "in flight");
    s.bound("web");
    CHECK(s.state("web") == "-");
}

TEST_CASE("scheduler_core: a condition is written when it changes") {
    stage s;
    wanted_pod big = named("big");
    big.cpu = "4";
    s.pod(big);
    CHECK(s.run() == "big Unschedulable: 0/0 nodes are available");
    s.node("n1", "2");
    CHECK(s.run(1s) == "big Unschedulable: 0/1 nodes are available");
    s.node("n1", "3");
    CHECK(s.run(2s).empty());  // the same
    CHECK(s.decider.decisions == 3);
    s.core.condition_failed(pod_info(made(big)));
    s.node("n1", "2");
    CHECK(s.run(4s) == "big Unschedulable: 0/1 nodes are available");
    s.node("n1", "4");
    CHECK(s.run(8s) == "bind big to n1");
    s.refused("big");
    CHECK(s.run() == "big SchedulerError: no");

    // A pod whose condition says it already, as after a restart.
    stage again;
    auto told = std::make_shared<core::pod>(*made(big));
    auto& condition = told->status.conditions.emplace_back();
    condition.type = "PodScheduled";
    condition.status = "False";
    condition.reason = "Unschedulable";
    condition.message = "0/0 nodes are available";
    again.core.set_pod(told, start);
    CHECK(again.run().empty());
}

TEST_CASE("scheduler_core: which pods are decided on") {
    stage s;
    s.node("n1", "9");
    const auto none = [&](const wanted_pod& of) {
        s.pod(of);
        CHECK(s.run() == "");
        CHECK(s.state(of.name) == "-");
    };
    wanted_pod one = named("theirs");
    one.scheduler = "theirs";
    none(one);
    one = named("deleted");
    one.is_deleted = true;
    none(one);
    one = named("done");
    one.phase = "Succeeded";
    none(one);
    none(named("placed", "n1"));
    one = named("gated");
    one.is_gated = true;
    s.pod(one);
    CHECK(s.run() == "");
    CHECK(s.state("gated") == "gated");
    one.is_gated = false;
    s.pod(one);
    CHECK(s.run() == "bind gated to n1");
    one = named("held");
    one.is_held = true;
    s.pod(one);
    CHECK(s.run() == "");
    CHECK(s.state("held") == "gated");
    one.is_held = false;
    s.pod(one);
    CHECK(s.run() == "bind held to n1");
    one = named("wrong");
    one.cpu = "-1";
    s.pod(one);
    CHECK(s.run() ==
          "wrong SchedulerError: pod default/wrong: spec.containers[0].resources.requests[cpu]: \"-1\" is negative");
    CHECK(s.state("wrong") == "unschedulable");
    // Another profile has it, since the configuration changed.
    one = named("web");
    s.pod(one);
    one.scheduler = "theirs";
    s.pod(one);
    CHECK(s.state("web") == "-");
}

TEST_CASE("scheduler_core: capacity that is free again wakes who waits for it") {
    for (const char* const how : {"deleted", "ended", "refused", "read pending"}) {
        CAPTURE(how);
        stage s;
        s.node("n1", "1");
        s.pod(named("first"));
        CHECK(s.run() == "bind first to n1");
        s.pod(named("second"));
        CHECK(s.run() == "second Unschedulable: 0/1 nodes are available");
        s.now += 1ms;
        wanted_pod first = named("first", "n1");
        first.phase = "Failed";
        if (how == std::string("deleted")) s.deleted(first);
        if (how == std::string("ended")) s.pod(first);
        if (how == std::string("refused")) s.refused("first");
        if (how == std::string("read pending")) s.core.settle(s.take_binding("first"), made(named("first")), s.now);
        // A binding that failed comes after the other pod, which waits longer; both are in their first backoff.
        CHECK(s.run(1s).find("bind second to n1") != std::string::npos);
    }
}

TEST_CASE("scheduler_core: a binding that a plugin refuses waits for that plugin's events") {
    stage s;
    s.node("n1", "1");
    s.pod(named("web"));
    s.run();
    s.refused("web", scheduling::plugin_set{1} << 2);  // Fit
    CHECK(s.state("web") == "unschedulable");          // its own place, which is free now, does not wake it
    CHECK(s.run(10s) == "web Unschedulable: no");
    s.node("n2", "1");
    CHECK(s.run(10s) == "bind web to n1");
}

TEST_CASE("scheduler_core: pods that other schedulers place beyond what a node has are counted") {
    stage s;
    s.node("n1", "2");
    s.pod(named("ours"));
    s.run();
    wanted_pod theirs = named("theirs", "n1");
    theirs.scheduler = "theirs";
    s.pod(theirs);
    CHECK(s.core.foreign_overcommits() == 0);
    theirs.name = "more";
    s.pod(theirs);
    CHECK(s.core.foreign_overcommits() == 1);
    s.pod(theirs);
    CHECK(s.core.foreign_overcommits() == 1);
}

TEST_CASE("scheduler_core: a gang waits for its members, and is placed at once") {
    stage s;
    s.node("n1", "2");
    s.pod(of_gang("a"));
    CHECK(s.run().empty());
    CHECK(s.state("a") == "gated");
    CHECK(s.core.next_deadline() == start + 1s);
    CHECK(s.run(1s) == "a Unschedulable: gang g: 1 of 2 members exist");
    s.pod(of_gang("b"));
    CHECK(s.run() == "bind a to n1; bind b to n1");
    CHECK(s.core.next_deadline() == std::nullopt);
    s.bound("a");
    s.bound("b");
    s.pod(of_gang("a", "n1"));
    s.pod(of_gang("b", "n1"));
    // One more than the minimum is placed by itself.
    s.pod(of_gang("c"));
    CHECK(s.run() == "c Unschedulable: 0/1 nodes are available");
    CHECK(s.core.next_deadline() == s.now + 5min);
}

TEST_CASE("scheduler_core: a gang that does not fit as a whole holds nothing") {
    stage s;
    s.node("n1", "2");
    for (const char* name : {"a", "b", "c"}) s.pod(of_gang(name, {}, "3"));
    CHECK(s.run().empty());
    CHECK(s.used("n1") == 0);
    CHECK(s.decider.reserved.empty());
    CHECK(s.run(999ms).empty());
    const std::string message = " Unschedulable: gang g: 2 of 3 members fit: 0/1 nodes are available";
    CHECK(s.run(1ms) == "a" + message + "; b" + message + "; c" + message);
    // Another pod takes what is free; then there is one more node.
    s.pod(named("other"));
    CHECK(s.run() == "bind other to n1");
    s.node("n2", "2");
    CHECK(s.run(5s) == "bind a to n1; bind b to n2; bind c to n2");
}

TEST_CASE("scheduler_core: a message of a gang that changes each second is written when it stays") {
    stage s;
    for (int i = 0; i < 20; ++i) {
        s.pod(of_gang("p" + std::to_string(i), {}, "30"));
        CHECK(s.run(900ms).empty());
    }
    const std::string all = s.run(100ms);
    CHECK(all.starts_with("p0 Unschedulable: gang g: 20 of 30 members exist; p1 "));
    CHECK(s.run(1h).empty());
    s.pod(of_gang("p0", {}, "30"));  // which was told
    CHECK(s.run().empty());
}

TEST_CASE("scheduler_core: a member that fails to bind is placed again") {
    stage s;
    s.node("n1", "2");
    s.pod(of_gang("a"));
    s.pod(of_gang("b"));
    s.run();
    s.bound("a");
    s.refused("b");
    CHECK(s.run(999ms) == "b SchedulerError: no");
    CHECK(s.run(1ms) == "bind b to n1");
    // Nobody can be evicted before something is bound; after that, 5 minutes.
    s.refused("b");
    s.pod(of_gang("a", "n1"));
    const auto since = s.now;
    wanted_pod other = named("other");
    s.pod(other);
    CHECK(s.run() == "bind other to n1");
    std::string told;
    while (s.now < since + 5min) told += s.run(1s);
    CHECK(told.find("evict a from n1 for gang g") != std::string::npos);
    CHECK(s.run(5s).empty());
    // The eviction did not succeed: 10 s after the first.
    s.core.eviction_failed(pod_info(made(of_gang("a", "n1"))), s.now);
    CHECK(s.run(5s) == "evict a from n1 for gang g");
    s.deleted(of_gang("a"));
    CHECK(s.run(1h).find("evict") == std::string::npos);
}

TEST_CASE("scheduler_core: gangs of other schedulers are not evicted, and their PodGroups not written") {
    stage s;
    s.node("n1", "2");
    wanted_pod theirs = of_gang("a", "n1");
    theirs.scheduler = "theirs";
    s.pod(theirs);
    CHECK(s.run(1h).empty());
    const gang_id group{"default", "pg", gang_source::pod_group};
    theirs = named("b");
    theirs.scheduler = "theirs";
    theirs.group = "pg";
    s.pod(theirs);
    s.core.set_group(group, {2, 5min}, s.now);
    CHECK(s.run(1h).empty());
}

TEST_CASE("scheduler_core: a gang that lost a member comes first") {
    stage s;
    s.node("n1", "2");
    s.pod(of_gang("a", "n1"));
    s.pod(of_gang("b", "n1"));
    wanted_pod urgent = named("urgent");
    urgent.priority = 100;
    s.pod(urgent);
    CHECK(s.run() == "urgent Unschedulable: 0/1 nodes are available");
    s.deleted(of_gang("b"));
    s.pod(of_gang("c"));
    CHECK(s.run(1s).starts_with("bind c to n1"));
}

TEST_CASE("scheduler_core: PodGroups, which may come last, and what they are told") {
    stage s;
    s.node("n1", "1");
    const gang_id group{"default", "pg", gang_source::pod_group};
    wanted_pod a = named("a");
    a.group = "pg";
    wanted_pod b = a;
    b.name = "b";
    s.pod(a);
    s.pod(b);
    const std::string missing = "gang pg: PodGroup default/pg of scheduling.k8s.io does not exist";
    CHECK(s.run(1s) ==
          "a Unschedulable: " + missing + "; b Unschedulable: " + missing + "; group pg is not: " + missing);
    s.core.set_group(group, {2, 5min}, s.now);
    const std::string misfit = "gang pg: 1 of 2 members fit: 0/1 nodes are available";
    CHECK(s.run().empty());
    CHECK(s.run(1s) == "a Unschedulable: " + misfit + "; b Unschedulable: " + misfit + "; group pg is not: " + misfit);
    s.node("n1", "2");
    CHECK(s.run(1s) == "bind a to n1; bind b to n1");
    for (auto* one : {&a, &b}) {
        s.bound(one->name);
        one->node = "n1";
        s.pod(*one);
    }
    CHECK(s.run() == "group pg is scheduled");
    s.pod(a);
    s.core.set_group(group, {2, 5min}, s.now);
    CHECK(s.run(1h).empty());
}

TEST_CASE("scheduler_core: members that a gate keeps out") {
    stage s;
    s.node("n1", "2");
    wanted_pod b = of_gang("b");
    b.is_held = true;
    s.pod(of_gang("a"));
    s.pod(b);
    CHECK(s.run().empty());
    CHECK(s.run(1s).starts_with("a Unschedulable: gang g: 1 of 2 members fit: pod default/b is gated by Hold"));
    b.is_held = false;
    s.pod(b);
    CHECK(s.run() == "bind b to n1; bind a to n1");
}

TEST_CASE("scheduler_core: gangs whose pods contradict each other") {
    stage s;
    s.node("n1", "9");
    s.pod(of_gang("a"));
    s.pod(of_gang("b", {}, "3"));
    CHECK(s.run(1s).starts_with("a Unschedulable: gang g: pod default/b: metadata.annotations"));
    s.deleted(of_gang("b"));
    s.pod(of_gang("b"));
    CHECK(s.run() == "bind a to n1; bind b to n1");
}

TEST_CASE("scheduler_core: preemption keeps the place until the preemptor has it") {
    stage s;
    s.decider.may_preempt = true;
    s.node("n1", "2");
    s.pod(named("low1", "n1"));
    s.pod(named("low2", "n1"));
    wanted_pod high = named("high");
    high.priority = 10;
    s.pod(high);
    CHECK(s.run() == "high Unschedulable: 0/1 nodes are available; nominate high to n1; evict low1 from n1 for high");
    CHECK(s.core.nominations().size() == 1);
    // While the victim leaves, nobody else is evicted, whatever happens.
    s.node("n1", "2500m");
    CHECK(s.run(10s).empty());
    wanted_pod leaving = named("low1", "n1");
    leaving.is_deleted = true;
    s.pod(leaving);
    s.node("n1", "2");
    CHECK(s.run(10s).empty());
    // The victim is made again, and comes before the preemptor; it does not get the place.
    s.deleted(leaving);
    wanted_pod again = named("again");
    s.pod(again);
    CHECK(s.core.step(s.now));
    CHECK(s.run(10s) == "again Unschedulable: 0/1 nodes are available; bind high to n1");
    CHECK(s.core.nominations().empty());
}

TEST_CASE("scheduler_core: a nomination that comes to nothing is given up") {
    const auto begin = [](stage& s) {
        s.decider.may_preempt = true;
        s.node("n1", "1");
        s.pod(named("low", "n1"));
        wanted_pod high = named("high");
        high.priority = 10;
        s.pod(high);
        REQUIRE(s.run().find("nominate high to n1; evict low from n1 for high") != std::string::npos);
        return high;
    };
    {  // The preemptor goes: who stayed away for it is woken.
        stage s;
        const auto high = begin(s);
        s.deleted(named("low"));
        s.pod(named("other"));
        CHECK(s.core.step(s.now));
        s.deleted(high);
        CHECK(s.run(1s) == "other Unschedulable: 0/1 nodes are available; bind other to n1");
    }
    {  // The node goes.
        stage s;
        begin(s);
        s.core.remove_node("n1", s.now);
        CHECK(s.run() == "nominate high to nothing");
        CHECK(s.core.nominations().empty());
    }
    {  // Another scheduler takes the place.
        stage s;
        const auto high = begin(s);
        s.deleted(named("low"));
        wanted_pod theirs = named("theirs", "n1");
        theirs.scheduler = "theirs";
        theirs.priority = 20;
        s.pod(theirs);
        CHECK(s.run(1s) == "nominate high to nothing");
    }
    {  // The eviction fails: it is tried again.
        stage s;
        begin(s);
        s.core.eviction_failed(pod_info(made(named("low", "n1"))), s.now);
        CHECK(s.run(1s) == "evict low from n1 for high");
    }
    {  // The binding fails: the place is kept until it succeeds.
        stage s;
        begin(s);
        s.deleted(named("low"));
        s.pod(named("other"));
        CHECK(s.run(1s).find("bind high to n1") != std::string::npos);
        s.refused("high");
        CHECK(s.core.nominations().size() == 1);
        CHECK(s.run(999ms).find("bind") == std::string::npos);
        CHECK(s.run(1s).starts_with("bind high to n1"));
    }
    // Its gang lost the others: it waits for them, and keeps no place meanwhile. The same while its binding is under
    // way.
    for (const bool is_bound : {false, true}) {
        CAPTURE(is_bound);
        const auto member = [](const std::string& name, const std::string& node) {
            wanted_pod out = of_gang(name, node);
            out.priority = 10;
            return out;
        };
        stage s;
        s.decider.may_preempt = true;
        s.node("n0", "2");
        s.node("n1", "1");
        for (const char* name : {"a", "b"}) s.pod(member(name, "n0"));
        s.pod(named("low", "n1"));
        s.pod(member("c", ""));
        REQUIRE(s.run().find("nominate c to n1; evict low from n1 for c") != std::string::npos);
        if (is_bound) {
            s.deleted(named("low"));
            REQUIRE(s.run(1s).find("bind c to n1") != std::string::npos);
        }
        for (const char* name : {"a", "b"}) s.deleted(of_gang(name, "n0"));
        const std::string meanwhile = s.run(1s);
        CHECK((meanwhile.find("nominate c to nothing") == std::string::npos) == is_bound);
        if (is_bound) {
            s.refused("c");
            CHECK(s.run().find("nominate c to nothing") != std::string::npos);
        }
        CHECK(s.core.nominations().empty());
    }
    {  // There is a place elsewhere.
        stage s;
        begin(s);
        s.node("n0", "1");
        CHECK(s.run(1s) == "bind high to n0");
        CHECK(s.core.nominations().empty());
    }
}

namespace {

/// "a" is on the only node, and asks that its place be kept; a rival waits, and "a" comes again.
struct kept_stage : stage {
    wanted_pod old = named("a", "n1"), next = named("a");

    explicit kept_stage(const std::string& keep = "60s") {
        old.keep = next.keep = keep;
        next.uid = "uid-next";
        node("n1", "1");
        pod(old);
        pod(named("rival"));
        REQUIRE(run() == "rival Unschedulable: 0/1 nodes are available");
    }
};

}  // namespace

TEST_CASE("scheduler_core: the place of a pod that was deleted is kept for the next one of its name") {
    {
        kept_stage s;
        s.deleted(s.old);
        CHECK(s.run(10s).empty());
        s.pod(s.next);
        CHECK(s.run(10s) == "bind a to n1");
        CHECK(s.core.nominations().empty());
    }
    {  // As a kubelet reports it.
        kept_stage s;
        s.old.is_deleted = true;
        s.pod(s.old);
        s.old.phase = "Failed";
        for (int i = 0; i < 2; ++i) {
            s.pod(s.old);
            CHECK(s.run(10s).empty());
        }
        s.deleted(s.old);
        CHECK(s.run(10s).empty());
        s.pod(s.next);
        CHECK(s.run(10s) == "bind a to n1");
    }
    {  // The watch has missed its end.
        kept_stage s;
        s.pod(s.next);
        CHECK(s.run(10s) == "bind a to n1");
    }
    {  // Refused in between.
        kept_stage s;
        s.deleted(s.old);
        s.node("n1", "500m");
        s.pod(s.next);
        CHECK(s.run(10s) == "a Unschedulable: 0/1 nodes are available");
        s.node("n1", "1");
        CHECK(s.run(10s) == "bind a to n1");
    }
    // Its new gang is incomplete for a while.
    stage s;
    s.node("n1", "1");
    s.node("n2", "1");
    for (const auto& [name, on] : {std::pair("a", "n1"), std::pair("b", "n2")}) {
        wanted_pod old = of_gang(name, on);
        old.keep = "60s";
        s.pod(old);
    }
    for (const char* name : {"a", "b"}) s.deleted(named(name));
    for (const char* name : {"a", "b"}) {
        wanted_pod next = of_gang(name);
        next.gang = "next";
        next.uid = std::string("uid-next-") + name;
        s.pod(next);
        s.pod(named(std::string("rival-") + name));
        const auto effects = s.run(10s);
        CHECK(effects.find("bind rival") == std::string::npos);
        for (const char* bound : {"bind a to n1", "bind b to n2"})
            CHECK((effects.find(bound) != std::string::npos) == (name == std::string("b")));
    }
}

TEST_CASE("scheduler_core: a place is kept for no longer, and from no pod of higher priority") {
    {
        kept_stage s;
        s.deleted(s.old);
        CHECK(s.run(59s).empty());
        CHECK(s.core.next_deadline() <= s.now + 1s);
        CHECK(s.run(11s) == "bind rival to n1");
        CHECK(s.core.nominations().empty());
    }
    {  // The next one has come, and does not fit.
        kept_stage s;
        s.deleted(s.old);
        s.next.cpu = "2";
        s.pod(s.next);
        CHECK(s.run(59s) == "a Unschedulable: 0/1 nodes are available");
        CHECK(s.run(21s) == "bind rival to n1");
    }
    {  // At most five minutes.
        kept_stage s("24h");
        s.deleted(s.old);
        CHECK(s.run(299s).empty());
        CHECK(s.run(21s) == "bind rival to n1");
    }
    {
        kept_stage s;
        s.deleted(s.old);
        wanted_pod high = named("high");
        high.priority = 10;
        s.pod(high);
        CHECK(s.run(10s) == "bind high to n1");
    }
    for (const char* const none : {"", "soon", "0s", "-60s"}) {
        CAPTURE(none);
        kept_stage s(none);
        s.deleted(s.old);
        CHECK(s.run(10s) == "bind rival to n1");
    }
    {  // It has ended by itself.
        kept_stage s;
        s.old.phase = "Succeeded";
        s.pod(s.old);
        s.deleted(s.old);
        CHECK(s.run(10s) == "bind rival to n1");
    }
    {  // It was evicted for another one.
        kept_stage s;
        s.decider.may_preempt = true;
        wanted_pod high = named("high");
        high.priority = 10;
        s.pod(high);
        REQUIRE(s.run(10s).find("evict a from n1 for high") != std::string::npos);
        s.deleted(s.old);
        CHECK(s.run(10s).find("bind high to n1") != std::string::npos);
        CHECK(s.core.nominations().empty());
    }
    {  // The node is deleted.
        kept_stage s;
        s.deleted(s.old);
        s.core.remove_node("n1", s.now);
        CHECK(s.core.nominations().empty());
        s.node("n2", "2");
        s.pod(s.next);
        const auto effects = s.run(10s);
        for (const char* bound : {"bind rival to n2", "bind a to n2"}) CHECK(effects.find(bound) != std::string::npos);
    }
    {  // The next one is bound already when it is seen.
        kept_stage s;
        s.deleted(s.old);
        s.next.node = "n1";
        s.pod(s.next);
        CHECK(s.core.nominations().empty());
        CHECK(s.run(10s).empty());
    }
}

TEST_CASE("scheduler_core: nominations of before a restart") {
    stage s;
    s.node("n1", "1");
    wanted_pod high = named("high");
    high.priority = 10;
    high.nominated = "n1";
    wanted_pod leaving = named("low", "n1");
    leaving.is_deleted = true;
    s.pod(leaving);
    s.pod(high);
    s.pod(named("other"));
    CHECK(s.run() == "high Unschedulable: 0/1 nodes are available; other Unschedulable: 0/1 nodes are available");
    s.deleted(leaving);
    CHECK(s.run(1s) == "bind high to n1");
}
