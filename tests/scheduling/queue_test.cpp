// The queue of pods that wait: every call in every state as a table, and the rules of time, order and events.
#include <kcontrol/scheduling/scheduling_queue.hpp>

#include "scheduling/objects.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using scheduling::changes_of;
using scheduling::cluster_event;
using scheduling::event_actions;
using scheduling::event_kind;
using scheduling::interned_name;
using scheduling::plugin_set;
using scheduling::pod_info;
using scheduling::queue_rank;
using scheduling::queue_state;
using scheduling::queued_pod;
using scheduling::scheduling_queue;
using scheduling::scheduling_queue_options;

namespace {

using pod_pointer = std::shared_ptr<const pod_info>;

constexpr time_point start{1000s};

const cluster_event node_added{{interned_name("Node"), event_actions::add}, {}, {}};
const cluster_event pod_deleted{{interned_name("Pod"), event_actions::delete_}, {}, {}};

pod_pointer waiting(const std::string& name, const std::string& labels = "{}", const std::string& more = {}) {
    return pod_of(name, requesting(R"({"cpu":"1"})", more), labels);
}

const char* name_of(queue_state state) {
    switch (state) {
    case queue_state::active: return "active";
    case queue_state::backoff: return "backoff";
    case queue_state::unschedulable: return "unschedulable";
    case queue_state::gated: return "gated";
    case queue_state::in_flight: return "in flight";
    }
    return "?";
}

std::string state_of(const scheduling_queue& in, const char* name = "web") {
    const auto* const pod = in.find("default", name);
    if (pod == nullptr) return "-";
    CHECK(in.size(pod->state) >= 1);
    return name_of(pod->state);
}

// A queue whose plugin wants to hear of nodes that are added and of pods' labels; pods with the label "gate" are gated.
struct stage {
    scheduling_queue queue{scheduling_queue_options().gate([](const pod_info& pod) {
        return pod.pod().metadata.labels.contains("gate") ? plugin_set{1} : plugin_set{0};
    })};
    plugin_set fit = *queue.add_plugin(
        "fit", {{interned_name("Node"), event_actions::add}, {interned_name("Pod"), event_actions::update_pod_label}});
    plugin_set other = *queue.add_plugin("other", {{interned_name("Pod"), event_actions::delete_}});
    time_point now = start;

    void begin(const std::string& state) {
        if (state == "none") return;
        queue.set(waiting("web", state == "gated" ? R"({"gate":"x"})" : "{}"), now);
        if (state == "active" || state == "gated") return;
        REQUIRE(queue.pop(now) != nullptr);
        if (state == "backoff") queue.fail(*waiting("web"), now);
        if (state == "unschedulable" || state == "long unschedulable") queue.reject(*waiting("web"), fit, now);
        if (state == "long unschedulable") now += 60s;
    }

    void happen(const std::string& what) {
        const auto web = waiting("web");
        if (what == "set same")
            return queue.set(queue.find("default", "web") == nullptr ? web : queue.find("default", "web")->shared, now);
        if (what == "set label") return queue.set(waiting("web", R"({"a":"b"})"), now);
        if (what == "set gate") return queue.set(waiting("web", R"({"gate":"x"})"), now);
        if (what == "set another") return queue.set(another(), now);
        if (what == "remove") return void(queue.remove("default", "web", "uid-web"));
        if (what == "remove another") return void(queue.remove("default", "web", "uid-2"));
        if (what == "pop") return void(queue.pop(now));
        if (what == "take") return void(queue.take(*web, now));
        if (what == "take another") return void(queue.take(*another(), now));
        if (what == "done") return queue.done(*web);
        if (what == "reject") return queue.reject(*web, fit, now);
        if (what == "reject by nobody") return queue.reject(*web, 0, now);
        if (what == "fail") return queue.fail(*web, now);
        if (what == "fail another") return queue.fail(*another(), now);
        if (what == "put back") return queue.put_back(*web, now);
        if (what == "node added") return void(queue.event(node_added, now));
        if (what == "pod deleted") return void(queue.event(pod_deleted, now));
        if (what == "activate") return void(queue.activate(*web, now));
        if (what == "0.9 s") return queue.advance(now + 900ms);
        if (what == "1 s") return queue.advance(now + 1s);
        if (what == "5 min") return queue.advance(now + 5min);
        FAIL("no such call: " << what);
    }

    static pod_pointer another() {
        auto made = std::make_shared<core::pod>(waiting("web")->pod());
        made->metadata.uid = "uid-2";
        return std::make_shared<const pod_info>(std::move(made));
    }
};

struct row {
    const char* state;
    const char* call;
    const char* after;
};

constexpr row transitions[] = {
    {"none", "set same", "active"},
    {"none", "set gate", "gated"},
    {"none", "remove", "-"},
    {"none", "pop", "-"},
    {"none", "take", "-"},
    {"none", "done", "-"},
    {"none", "reject", "-"},
    {"none", "fail", "-"},
    {"none", "put back", "-"},
    {"none", "node added", "-"},
    {"none", "activate", "-"},

    {"active", "set same", "active"},
    {"active", "set label", "active"},
    {"active", "set gate", "gated"},
    {"active", "set another", "active"},
    {"active", "remove", "-"},
    {"active", "remove another", "active"},
    {"active", "pop", "in flight"},
    {"active", "take", "in flight"},
    {"active", "take another", "active"},
    {"active", "done", "active"},
    {"active", "reject", "active"},
    {"active", "fail", "active"},
    {"active", "put back", "active"},
    {"active", "node added", "active"},
    {"active", "activate", "active"},
    {"active", "5 min", "active"},

    {"backoff", "set same", "backoff"},
    {"backoff", "set label", "backoff"},
    {"backoff", "set another", "active"},
    {"backoff", "remove", "-"},
    {"backoff", "pop", "backoff"},
    {"backoff", "take", "in flight"},
    {"backoff", "done", "backoff"},
    {"backoff", "reject", "backoff"},
    {"backoff", "fail", "backoff"},
    {"backoff", "put back", "backoff"},
    {"backoff", "node added", "backoff"},
    {"backoff", "activate", "backoff"},
    {"backoff", "0.9 s", "backoff"},
    {"backoff", "1 s", "active"},

    {"unschedulable", "set same", "unschedulable"},
    {"unschedulable", "set label", "backoff"},
    {"unschedulable", "set gate", "gated"},
    {"unschedulable", "set another", "active"},
    {"unschedulable", "remove", "-"},
    {"unschedulable", "pop", "unschedulable"},
    {"unschedulable", "take", "in flight"},
    {"unschedulable", "done", "unschedulable"},
    {"unschedulable", "reject", "unschedulable"},
    {"unschedulable", "fail", "unschedulable"},
    {"unschedulable", "put back", "unschedulable"},
    {"unschedulable", "node added", "backoff"},
    {"unschedulable", "pod deleted", "unschedulable"},  // of another plugin
    {"unschedulable", "activate", "backoff"},
    {"unschedulable", "1 s", "unschedulable"},
    {"unschedulable", "5 min", "active"},

    {"long unschedulable", "set label", "active"},
    {"long unschedulable", "node added", "active"},
    {"long unschedulable", "activate", "active"},

    {"gated", "set gate", "gated"},
    {"gated", "set label", "active"},
    {"gated", "set another", "active"},
    {"gated", "remove", "-"},
    {"gated", "pop", "gated"},
    {"gated", "take", "gated"},
    {"gated", "done", "gated"},
    {"gated", "reject", "gated"},
    {"gated", "fail", "gated"},
    {"gated", "put back", "gated"},
    {"gated", "node added", "gated"},  // the gate is asked again, and is closed
    {"gated", "activate", "gated"},
    {"gated", "5 min", "gated"},

    {"in flight", "set same", "in flight"},
    {"in flight", "set label", "in flight"},
    {"in flight", "set another", "active"},
    {"in flight", "remove", "-"},
    {"in flight", "remove another", "in flight"},
    {"in flight", "pop", "in flight"},
    {"in flight", "take", "in flight"},
    {"in flight", "done", "-"},
    {"in flight", "reject", "unschedulable"},
    {"in flight", "reject by nobody", "backoff"},
    {"in flight", "fail", "backoff"},
    {"in flight", "fail another", "in flight"},
    {"in flight", "put back", "active"},
    {"in flight", "node added", "in flight"},
    {"in flight", "activate", "in flight"},
    {"in flight", "5 min", "in flight"},
};

std::vector<std::string> popped(scheduling_queue& from, time_point now) {
    std::vector<std::string> out;
    while (const auto* const pod = from.pop(now)) out.emplace_back(pod->pod->name());
    return out;
}

}  // namespace

TEST_CASE("scheduling_queue: each call in each state of a pod") {
    for (const auto& one : transitions) {
        CAPTURE(one.state);
        CAPTURE(one.call);
        stage s;
        s.begin(one.state);
        s.happen(one.call);
        CHECK(state_of(s.queue) == one.after);
        CHECK(s.queue.size() == (std::string(one.after) == "-" ? 0 : 1));
    }
}

TEST_CASE("scheduling_queue: the higher priority first, then the one that waits longer") {
    scheduling_queue queue;
    queue.set(waiting("low", "{}", R"(,"priority":-1)"), start);
    queue.set(waiting("first"), start);
    queue.set(waiting("second"), start);
    queue.set(waiting("late"), start + 1s);
    queue.set(waiting("high", "{}", R"(,"priority":10)"), start + 2s);
    CHECK(popped(queue, start + 2s) == std::vector<std::string>{"high", "first", "second", "late", "low"});
}

TEST_CASE("scheduling_queue: a pod that comes back from an attempt comes after those that wait longer since") {
    scheduling_queue queue;
    const auto fit = *queue.add_plugin("fit", {{interned_name("Node"), event_actions::add}});
    for (const char* name : {"a", "b"}) queue.set(waiting(name), start);
    REQUIRE(popped(queue, start) == std::vector<std::string>{"a", "b"});
    queue.reject(*waiting("a"), fit, start + 2s);
    queue.fail(*waiting("b"), start + 3s);
    queue.set(waiting("new"), start + 1s);
    queue.event(node_added, start + 10s);
    CHECK(popped(queue, start + 10s) == std::vector<std::string>{"new", "a", "b"});
    queue.put_back(*waiting("a"), start + 20s);  // no attempt: its place is the same
    queue.put_back(*waiting("new"), start + 21s);
    CHECK(popped(queue, start + 30s) == std::vector<std::string>{"new", "a"});
}

TEST_CASE("scheduling_queue: a rank of one's own, which may change") {
    std::int64_t sign = 1;
    int asked = 0;
    scheduling_queue queue(scheduling_queue_options().rank([&](const queued_pod& pod) {
        ++asked;
        return queue_rank{sign * pod.pod->name()[0]};
    }));
    for (const char* name : {"b", "d", "c", "a"}) queue.set(waiting(name), start);
    CHECK(asked == 4);  // and not for each comparison
    sign = -1;
    queue.sort();
    CHECK(popped(queue, start) == std::vector<std::string>{"d", "c", "b", "a"});
}

TEST_CASE("scheduling_queue: a function of a plugin that throws concerns that pod only") {
    std::vector<std::string> failures;
    bool gate_throws = true;
    scheduling_queue queue(scheduling_queue_options()
                               .rank([](const queued_pod& pod) {
                                   if (pod.pod->name() == "a") throw std::runtime_error("no rank");
                                   return queue_rank{1};
                               })
                               .gate([&](const pod_info& pod) -> plugin_set {
                                   if (pod.name() == "b" && gate_throws) throw 7;
                                   return 0;
                               })
                               .on_failure([&](const pod_info& pod, const error& what) {
                                   failures.push_back(std::string(pod.name()) + ": " + std::string(what.message()));
                               }));
    const auto fit = *queue.add_plugin("fit", {{interned_name("Node"), event_actions::add}},
                                       [](const pod_info& pod, const cluster_event&) -> bool {
                                           if (pod.name() == "c") throw std::runtime_error("no hint");
                                           return true;
                                       });
    for (const char* name : {"d", "c", "b", "a"}) queue.set(waiting(name), start);
    CHECK(failures == std::vector<std::string>{"b: pre_enqueue threw: an exception that is no std::exception",
                                               "a: queue_sort threw: no rank"});
    CHECK(popped(queue, start) == std::vector<std::string>{"a", "d", "c"});  // a has the default rank: priority 0
    gate_throws = false;
    CHECK(queue.next_deadline() == start + 1s);
    CHECK(popped(queue, start + 1s) == std::vector<std::string>{"b"});
    failures.clear();
    for (const char* name : {"c", "d"}) queue.reject(*waiting(name), fit, start + 1s);
    CHECK(queue.event(node_added, start + 5s) == 2);
    CHECK(failures == std::vector<std::string>{"c: plugin fit: hint threw: no hint"});
    CHECK(popped(queue, start + 5s) == std::vector<std::string>{"d", "c"});
}

TEST_CASE("scheduling_queue: activate() of a pod in flight counts when it is rejected") {
    stage s;
    s.begin("in flight");
    CHECK(s.queue.activate(*waiting("web"), start));
    s.happen("reject");
    CHECK(state_of(s.queue) == "backoff");
}

TEST_CASE("scheduling_queue: what happens to a pod itself does not help it") {
    stage s;
    s.begin("unschedulable");
    const auto itself = any_object(waiting("web")->shared_pod());
    const auto another = any_object(waiting("db")->shared_pod());
    const interned_name pods("Pod");
    const auto labels = event_actions::update_pod_label;
    CHECK(s.queue.event({{pods, labels}, itself, itself}, start) == 0);
    CHECK(s.queue.event({{pods, labels}, another, another}, start) == 1);
    stage flying;
    flying.begin("in flight");
    flying.queue.event({{pods, labels}, itself, {}}, start);
    flying.happen("reject");
    CHECK(state_of(flying.queue) == "unschedulable");
}

TEST_CASE("scheduling_queue: times that are too long end at the end of time") {
    scheduling_queue queue(
        scheduling_queue_options().flush_after(duration::max()).backoff(duration::max() / 2 + 1ns, duration::max()));
    const auto fit = *queue.add_plugin("fit", {{interned_name("Node"), event_actions::add}});
    queue.set(waiting("web"), start);
    REQUIRE(queue.pop(start) != nullptr);
    queue.reject(*waiting("web"), fit, start);
    CHECK(state_of(queue) == "unschedulable");
    CHECK(queue.next_deadline() == time_point::max());
    for (int i = 0; i < 3; ++i) {
        REQUIRE(queue.take(*waiting("web"), start) != nullptr);
        queue.fail(*waiting("web"), start);
        CHECK(state_of(queue) == "backoff");
    }
    CHECK(queue.next_deadline() == time_point::max());
}

TEST_CASE("scheduling_queue: backoff of 1 s, which doubles to 10 s") {
    scheduling_queue queue;
    queue.set(waiting("web"), start);
    time_point now = start;
    for (const auto pause : {1s, 2s, 4s, 8s, 10s, 10s}) {
        REQUIRE(queue.pop(now) != nullptr);
        queue.fail(*waiting("web"), now);
        CHECK(queue.next_deadline() == now + pause);
        CHECK(queue.pop(now + pause - 1ns) == nullptr);
        now += pause;
    }
    // Rejections count by themselves, and end a series of failures.
    const auto fit = *queue.add_plugin("fit", {{interned_name("Node"), event_actions::add}});
    REQUIRE(queue.pop(now) != nullptr);
    queue.reject(*waiting("web"), fit, now);
    queue.event(node_added, now);
    CHECK(queue.next_deadline() == now + 1s);
    REQUIRE(queue.pop(now + 1s) != nullptr);
    queue.fail(*waiting("web"), now + 1s);
    CHECK(queue.next_deadline() == now + 2s);
    CHECK(queue.find("default", "web")->attempts == 8);
}

TEST_CASE("scheduling_queue: a pod that fails backs off alone") {
    scheduling_queue queue;
    queue.set(waiting("refused", "{}", R"(,"priority":100)"), start);
    queue.set(waiting("a"), start);
    queue.set(waiting("b"), start);
    CHECK(std::string(queue.pop(start)->pod->name()) == "refused");
    queue.fail(*waiting("refused"), start);
    CHECK(popped(queue, start) == std::vector<std::string>{"a", "b"});
    CHECK(popped(queue, start + 1s) == std::vector<std::string>{"refused"});
}

TEST_CASE("scheduling_queue: what happened while a pod was in flight counts") {
    stage s;
    s.begin("in flight");
    s.happen("node added");
    s.happen("reject");
    CHECK(state_of(s.queue) == "backoff");
    s.queue.advance(s.now += 1s);
    REQUIRE(s.queue.pop(s.now) != nullptr);
    s.happen("pod deleted");  // helps another plugin's pods
    s.happen("reject");
    CHECK(state_of(s.queue) == "unschedulable");

    stage updated;
    updated.begin("in flight");
    updated.happen("set label");
    updated.happen("reject");
    CHECK(state_of(updated.queue) == "backoff");
}

TEST_CASE("scheduling_queue: events are remembered for those in flight, and no longer than needed") {
    scheduling_queue queue(scheduling_queue_options().remembered_events(2));
    const auto fit = *queue.add_plugin("fit", {{interned_name("Node"), event_actions::add}});
    const auto other = *queue.add_plugin("fit", {{interned_name("Pod"), event_actions::delete_}});
    for (const char* name : {"a", "b", "c"}) queue.set(waiting(name), start);
    REQUIRE(queue.pop(start) != nullptr);  // a
    queue.event(node_added, start);
    REQUIRE(queue.pop(start) != nullptr);  // b missed nothing
    queue.reject(*waiting("b"), fit, start);
    CHECK(state_of(queue, "b") == "unschedulable");
    queue.reject(*waiting("a"), fit, start);
    CHECK(state_of(queue, "a") == "backoff");
    REQUIRE(queue.pop(start) != nullptr);  // c misses more than is remembered
    for (int i = 0; i < 3; ++i) queue.event(pod_deleted, start);
    queue.reject(*waiting("c"), fit, start);
    CHECK(state_of(queue, "c") == "backoff");
    static_cast<void>(other);
}

TEST_CASE("scheduling_queue: a hint looks closer at an event") {
    scheduling_queue queue;
    const auto fit = *queue.add_plugin("fit", {{interned_name("*"), event_actions::all}},
                                       [](const pod_info& pod, const cluster_event&) { return pod.name() == "b"; });
    for (const char* name : {"a", "b"}) queue.set(waiting(name), start);
    popped(queue, start);
    for (const char* name : {"a", "b"}) queue.reject(*waiting(name), fit, start);
    CHECK(queue.event(node_added, start + 30s) == 1);
    CHECK(state_of(queue, "a") == "unschedulable");
    CHECK(state_of(queue, "b") == "active");
    CHECK(queue.next_deadline() == start + 5min);
}

TEST_CASE("scheduling_queue: a gate opens with an event that its plugin named") {
    bool open = false;
    plugin_set gate = 0;
    scheduling_queue queue(
        scheduling_queue_options().gate([&](const pod_info&) { return open ? plugin_set{0} : gate; }));
    gate = *queue.add_plugin("fit", {{interned_name("Node"), event_actions::add}});
    queue.set(waiting("web"), start);
    CHECK(state_of(queue) == "gated");
    open = true;
    CHECK(queue.event(pod_deleted, start) == 0);
    CHECK(state_of(queue) == "gated");
    CHECK(queue.event(node_added, start) == 1);
    CHECK(state_of(queue) == "active");
    open = false;
    REQUIRE(queue.pop(start) != nullptr);
    queue.fail(*waiting("web"), start);
    CHECK(state_of(queue) == "gated");
}

TEST_CASE("scheduling_queue: what is taken for nothing is put back where it was") {
    stage s;
    s.begin("unschedulable");
    REQUIRE(s.queue.take(*waiting("web"), start + 2min) != nullptr);
    s.queue.put_back(*waiting("web"), start + 3min);
    CHECK(state_of(s.queue) == "unschedulable");
    CHECK(s.queue.next_deadline() == start + 5min);
    CHECK(s.queue.find("default", "web")->attempts == 1);
    REQUIRE(s.queue.take(*waiting("web"), start + 3min) != nullptr);
    s.happen("node added");
    s.queue.put_back(*waiting("web"), start + 3min);
    CHECK(state_of(s.queue) == "active");
}

TEST_CASE("scheduling_queue: 64 plugins and no more") {
    scheduling_queue queue;
    for (int i = 0; i < 64; ++i) CHECK(queue.add_plugin("p" + std::to_string(i), {}).has_value());
    const auto one_more = queue.add_plugin("one more", {});
    REQUIRE(one_more.has_error());
    CHECK(one_more.error() == errc::limit_exceeded);
    CHECK(one_more.error().message() == "plugin one more: a scheduling queue has at most 64 plugins");
    CHECK(queue.names_of(plugin_set{5}) == std::vector<std::string_view>{"p0", "p2"});
}

TEST_CASE("changes_of: what schedulers look at, and no heartbeat") {
    const auto node =
        node_of("n1", R"({"cpu":"4"})", R"({"a":"b"})",
                R"(,"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"2026-01-01T00:00:00Z"}])");
    const auto changed = [&](const auto& edit) {
        core::node after = *node;
        edit(after);
        return changes_of(*node, after);
    };
    CHECK(changed([](core::node&) {}) == event_actions::none);
    CHECK(changed([](core::node& n) { n.status.conditions[0].last_heartbeat_time = {}; }) == event_actions::none);
    CHECK(changed([](core::node& n) { n.spec.unschedulable = false; }) == event_actions::none);
    CHECK(changed([](core::node& n) { n.status.conditions[0].status = "False"; }) ==
          event_actions::update_node_condition);
    CHECK(changed([](core::node& n) { n.spec.unschedulable = true; }) == event_actions::update_node_taint);
    CHECK(changed([](core::node& n) { n.spec.taints.emplace_back().key = "k"; }) == event_actions::update_node_taint);
    CHECK(changed([](core::node& n) { n.status.allocatable["cpu"] = "5"; }) == event_actions::update_node_allocatable);
    CHECK(changed([](core::node& n) { n.metadata.labels["a"] = "c"; }) == event_actions::update_node_label);
    CHECK(changed([](core::node& n) { n.metadata.annotations["a"] = "c"; }) == event_actions::update_node_annotation);

    const auto pod = waiting("web", R"({"a":"b"})", R"(,"schedulingGates":[{"name":"g"}])");
    const auto pod_changed = [&](const auto& edit) {
        auto after = std::make_shared<core::pod>(pod->pod());
        edit(*after);
        return changes_of(*pod, pod_info(std::move(after)));
    };
    CHECK(pod_changed([](core::pod& p) { p.status.conditions.emplace_back().type = "PodScheduled"; }) ==
          event_actions::none);
    CHECK(pod_changed([](core::pod& p) { p.metadata.labels["a"] = "c"; }) == event_actions::update_pod_label);
    CHECK(pod_changed([](core::pod& p) { p.metadata.annotations["a"] = "c"; }) == event_actions::update_pod_annotation);
    CHECK(pod_changed([](core::pod& p) { p.spec.tolerations.emplace_back().key = "k"; }) ==
          event_actions::update_pod_toleration);
    CHECK(pod_changed([](core::pod& p) { p.spec.scheduling_gates.clear(); }) ==
          event_actions::update_pod_scheduling_gates);
    CHECK(pod_changed([](core::pod& p) { p.spec.containers[0].resources.requests["cpu"] = "500m"; }) ==
          event_actions::update_pod_scale_down);
    CHECK(pod_changed([](core::pod& p) { p.spec.containers[0].resources.requests["cpu"] = "2"; }) ==
          event_actions::none);
}
