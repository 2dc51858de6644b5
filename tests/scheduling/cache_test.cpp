// What an event or an answer means for a pod that counts, as a table; and what a snapshot shows.
#include <kcontrol/scheduling/cache.hpp>

#include "scheduling/objects.hpp"
#include "support/heap_bytes.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::assumption;
using scheduling::cache;
using scheduling::interned_name;
using scheduling::node_info;
using scheduling::placement_change;
using scheduling::pod_change;
using scheduling::pod_info;
using scheduling::topology;

namespace {

std::shared_ptr<const pod_info> version_of(const std::string& uid, const std::string& node, const std::string& phase) {
    return std::make_shared<const pod_info>(object_of<core::pod>(
        R"({"metadata":{"namespace":"default","name":"web","uid":")" + uid + R"("},"spec":{"nodeName":")" + node +
        R"(","containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":")" + phase +
        R"("}})"));
}

const char* name_of(pod_change change) {
    switch (change) {
    case pod_change::none: return "none";
    case pod_change::placed: return "placed";
    case pod_change::updated: return "updated";
    case pod_change::confirmed: return "confirmed";
    case pod_change::moved: return "moved";
    case pod_change::removed: return "removed";
    }
    return "?";
}

// The state of pod "web": "-", or its uid, node, and how it counts there.
std::string state_of(const cache& of) {
    const auto* const pod = of.snapshot().find_pod("default", "web");
    if (pod == nullptr) return "-";
    return std::string(pod->pod->uid()) + "@" + std::string(pod->node->name()) + (pod->is_assumed ? " assumed" : "");
}

std::string title(const std::shared_ptr<const pod_info>& version) {
    if (version == nullptr) return "-";
    return std::string(version->uid()) + "@" + version->pod().spec.node_name.str();
}

// A cache in a state of pod "web", the decision that led there, and what it reported.
struct stage {
    std::string reported;
    cache all{[this](const placement_change& one) {
        reported += (reported.empty() ? "" : ", ") + title(one.before) + ">" + title(one.after);
    }};
    assumption ours;

    explicit stage(const std::string& state) {
        all.set_node(node_of("n1", R"({"cpu":"4"})"));
        all.set_node(node_of("n2", R"({"cpu":"4"})"));
        if (state == "placed") REQUIRE(all.set_pod(version_of("1", "n1", "Running")) == pod_change::placed);
        if (state == "assumed" || state == "bound") ours = assume("1", "n1");
        if (state == "bound") REQUIRE(all.confirm(ours));
        if (state == "assumed again") {  // with an answer to an earlier decision on its way
            ours = assume("1", "n1");
            REQUIRE(all.roll_back(ours));
            REQUIRE(assume("1", "n2"));
        }
        reported.clear();
    }

    assumption assume(const std::string& uid, const std::string& node) {
        return all.assume(version_of(uid, "", "Pending"), node);
    }

    std::string happen(const std::string& event) {
        const auto text = [](bool answer) { return std::string(answer ? "true" : "false"); };
        if (event == "event pending") return name_of(all.set_pod(version_of("1", "", "Pending")));
        if (event == "event on n1") return name_of(all.set_pod(version_of("1", "n1", "Pending")));
        if (event == "event on n2") return name_of(all.set_pod(version_of("1", "n2", "Pending")));
        if (event == "event ended") return name_of(all.set_pod(version_of("1", "n1", "Failed")));
        if (event == "event of another") return name_of(all.set_pod(version_of("2", "", "Pending")));
        if (event == "another on n2") return name_of(all.set_pod(version_of("2", "n2", "Pending")));
        if (event == "deleted") return name_of(all.remove_pod("default", "web", "1"));
        if (event == "another deleted") return name_of(all.remove_pod("default", "web", "2"));
        if (event == "assume n2") return text(static_cast<bool>(assume("1", "n2")));
        if (event == "assume another") return text(static_cast<bool>(assume("2", "n2")));
        if (event == "assume nowhere") return text(static_cast<bool>(assume("1", "n9")));
        if (event == "confirm") return text(all.confirm(ours));
        if (event == "forget") return text(all.forget(ours));
        if (event == "roll back") return text(all.roll_back(ours));
        if (event == "read pending") return name_of(all.settle(ours, version_of("1", "", "Pending")));
        if (event == "read on n1") return name_of(all.settle(ours, version_of("1", "n1", "Pending")));
        if (event == "read on n2") return name_of(all.settle(ours, version_of("1", "n2", "Pending")));
        if (event == "read ended") return name_of(all.settle(ours, version_of("1", "n1", "Succeeded")));
        if (event == "read another") return name_of(all.settle(ours, version_of("2", "n2", "Pending")));
        FAIL("no such event: " << event);
        return {};
    }
};

struct row {
    const char* state;
    const char* event;
    const char* answer;
    const char* after;
    const char* reported = "";
};

// Every event in every state. Of each pair of states "assumed" and "bound" they differ where an answer is late.
constexpr row transitions[] = {
    {"none", "event pending", "none", "-"},
    {"none", "event on n1", "placed", "1@n1", "->1@n1"},
    {"none", "event ended", "none", "-"},
    {"none", "deleted", "none", "-"},
    {"none", "assume n2", "true", "1@n2 assumed"},
    {"none", "assume nowhere", "false", "-"},
    {"none", "confirm", "false", "-"},
    {"none", "forget", "false", "-"},
    {"none", "roll back", "false", "-"},
    {"none", "read on n1", "none", "-"},  // an answer never brings back a pod that was deleted
    {"none", "read pending", "none", "-"},

    {"assumed", "event pending", "updated", "1@n1 assumed"},
    {"assumed", "event on n1", "confirmed", "1@n1", "->1@n1"},
    {"assumed", "event on n2", "moved", "1@n2", "1@>-, ->1@n2"},
    {"assumed", "event ended", "removed", "-", "1@>-"},
    {"assumed", "event of another", "removed", "-", "1@>-"},
    {"assumed", "another on n2", "placed", "2@n2", "1@>-, ->2@n2"},
    {"assumed", "deleted", "removed", "-", "1@>-"},
    {"assumed", "another deleted", "none", "1@n1 assumed"},
    {"assumed", "assume n2", "false", "1@n1 assumed"},
    {"assumed", "assume another", "true", "2@n2 assumed", "1@>-"},
    {"assumed", "confirm", "true", "1@n1 assumed"},
    {"assumed", "forget", "true", "-", "1@>-"},
    {"assumed", "roll back", "true", "-"},
    {"assumed", "read pending", "removed", "-", "1@>-"},
    {"assumed", "read on n1", "updated", "1@n1 assumed"},
    {"assumed", "read on n2", "moved", "1@n2 assumed", "1@>-"},
    {"assumed", "read ended", "removed", "-", "1@>-"},
    {"assumed", "read another", "none", "1@n1 assumed"},

    {"bound", "event pending", "updated", "1@n1 assumed"},
    {"bound", "event on n1", "confirmed", "1@n1", "->1@n1"},
    {"bound", "event on n2", "moved", "1@n2", "1@>-, ->1@n2"},
    {"bound", "event ended", "removed", "-", "1@>-"},
    {"bound", "deleted", "removed", "-", "1@>-"},
    {"bound", "assume n2", "false", "1@n1 assumed"},
    {"bound", "forget", "false", "1@n1 assumed"},
    {"bound", "roll back", "false", "1@n1 assumed"},
    {"bound", "read pending", "updated", "1@n1 assumed"},  // it was read before it was bound
    {"bound", "read on n1", "updated", "1@n1 assumed"},
    {"bound", "read ended", "removed", "-", "1@>-"},

    {"assumed again", "confirm", "false", "1@n2 assumed"},
    {"assumed again", "forget", "false", "1@n2 assumed"},
    {"assumed again", "roll back", "false", "1@n2 assumed"},
    {"assumed again", "read pending", "none", "1@n2 assumed"},
    {"assumed again", "read on n1", "none", "1@n2 assumed"},
    {"assumed again", "read ended", "none", "1@n2 assumed"},

    {"placed", "event pending", "removed", "-", "1@n1>-"},  // the API server lost the binding: its data was restored
    {"placed", "event on n1", "updated", "1@n1", "1@n1>1@n1"},
    {"placed", "event on n2", "moved", "1@n2", "1@n1>-, ->1@n2"},
    {"placed", "event ended", "removed", "-", "1@n1>-"},
    {"placed", "event of another", "removed", "-", "1@n1>-"},
    {"placed", "another on n2", "placed", "2@n2", "1@n1>-, ->2@n2"},
    {"placed", "deleted", "removed", "-", "1@n1>-"},
    {"placed", "another deleted", "none", "1@n1"},
    {"placed", "assume n2", "false", "1@n1"},
    {"placed", "forget", "false", "1@n1"},
    {"placed", "read pending", "none", "1@n1"},
    {"placed", "read on n2", "none", "1@n1"},
};

}  // namespace

TEST_CASE("cache: each event and answer in each state of a pod") {
    for (const auto& one : transitions) {
        CAPTURE(one.state);
        CAPTURE(one.event);
        stage s(one.state);
        CHECK(s.happen(one.event) == one.answer);
        CHECK(s.reported == one.reported);
        const std::string after = state_of(s.all);
        CHECK(after == one.after);
        CHECK(s.all.assumed_count() == (after.ends_with("assumed") ? 1 : 0));
        // What does not count any more frees what it took.
        std::int64_t used = 0;
        for (const auto* node : s.all.snapshot().nodes()) used += node->requested().cpu_milli;
        CHECK(used == (after == "-" ? 0 : 1000));
    }
}

TEST_CASE("cache: a read that is settled stands against older events") {
    stage s("assumed");
    CHECK(s.happen("read on n2") == "moved");
    CHECK(s.happen("forget") == "false");
    CHECK(s.happen("read pending") == "updated");
    const auto* const read = s.all.snapshot().find_pod("default", "web")->pod;
    CHECK(s.happen("event pending") == "updated");  // older than what was read
    CHECK(s.all.snapshot().find_pod("default", "web")->pod == read);
    CHECK(state_of(s.all) == "1@n2 assumed");
    CHECK(s.happen("event on n2") == "confirmed");
}

TEST_CASE("cache: annotations of a decision stay until the watch shows what the binding made of them") {
    const auto shown = [](const stage& s, const char* key) {
        const auto* const found = s.all.snapshot().find_pod("default", "web")->pod->pod().metadata.annotations.get(key);
        return found == nullptr ? std::string("-") : found->str();
    };
    const auto pending = [](const std::string& own) {
        auto made = std::make_shared<core::pod>(version_of("1", "", "Pending")->pod());
        made->metadata.annotations["own"] = own;
        return std::make_shared<const pod_info>(std::move(made));
    };
    stage s("none");
    const assumption ours = s.all.assume(pending("a"), "n1", {{"devices", "0,1"}});
    REQUIRE(ours);
    CHECK(shown(s, "devices") == "0,1");
    CHECK(ours.pod()->pod().metadata.annotations.contains("devices"));
    s.all.set_pod(pending("b"));
    CHECK(shown(s, "devices") == "0,1");
    CHECK(shown(s, "own") == "b");
    s.all.confirm(ours);
    s.all.set_pod(pending("c"));
    CHECK(shown(s, "devices") == "0,1");
    s.all.set_pod(version_of("1", "n1", "Pending"));
    CHECK(shown(s, "devices") == "-");
}

TEST_CASE("cache: pods count on a node that is gone, and when it is back") {
    cache all;
    CHECK(all.set_pod(version_of("1", "n1", "Running")) == pod_change::placed);
    CHECK(all.snapshot().find("n1") == nullptr);
    CHECK(all.snapshot().nodes().empty());
    all.set_node(node_of("n1", R"({"cpu":"4"})"));
    REQUIRE(all.snapshot().find("n1") != nullptr);
    CHECK(all.snapshot().find("n1")->requested().cpu_milli == 1000);
    all.remove_node("n1");
    CHECK(all.snapshot().find("n1") == nullptr);
    CHECK(all.snapshot().find_pod("default", "web")->node->label("rack") == nullptr);
    CHECK(all.snapshot().find_pod("default", "web")->node->shared_node() == nullptr);
    CHECK_FALSE(all.assume(pod_of("other", requesting(R"({"cpu":"1"})")), "n1"));
    CHECK(all.snapshot().pods_in("default").size() == 1);
    all.set_node(node_of("n1", R"({"cpu":"8"})"));
    CHECK(all.snapshot().find("n1")->requested().cpu_milli == 1000);
    CHECK(all.snapshot().find("n1")->allocatable().cpu_milli == 8000);
    all.remove_node("n1");
    CHECK(all.remove_pod("default", "web", "1") == pod_change::removed);
    CHECK(all.snapshot().slots() == 1);
    CHECK(all.snapshot().at(0) == nullptr);
    all.remove_node("n1");  // unknown ones do no harm
}

TEST_CASE("snapshot: zones alternate in the order of nodes") {
    cache all;
    for (const char* name : {"a1", "a2", "a3", "b1", "c1", "c2"}) {
        const std::string zone(1, name[0]);
        all.set_node(node_of(name, "{}", R"({"topology.kubernetes.io/zone":")" + zone + R"("})"));
    }
    const auto pod = pod_of("web", R"({"containers":[]})");
    const auto order = [&] {
        std::string out;
        for (const auto* node : all.prepare(*pod).nodes()) out.append(node->name()).append(" ");
        return out;
    };
    CHECK(order() == "a1 b1 c1 a2 c2 a3 ");
    all.remove_node("a1");
    all.set_node(node_of("b1", "{}", R"({"failure-domain.beta.kubernetes.io/zone":"a"})"));
    CHECK(order() == "a2 c1 a3 c2 b1 ");
}

TEST_CASE("snapshot: by the labels of the pod that is decided on, and of pods that count") {
    cache all;
    all.set_node(node_of("n1", "{}", R"({"rack":"r1"})"));
    const auto spread = pod_of("spread", R"({"containers":[],"topologySpreadConstraints":[{"topologyKey":"rack"}]})");
    const auto near = pod_of("near", R"({"containers":[],"nodeName":"n1","affinity":{"podAffinity":{
        "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone","labelSelector":{}}]}}})");
    CHECK(all.snapshot().by_label(interned_name("rack")) == nullptr);
    const auto* const racks = all.prepare(*spread, {interned_name("given")}).by_label(interned_name("rack"));
    REQUIRE(racks != nullptr);
    CHECK(racks->value(racks->domain_of(*all.snapshot().find("n1"))) == "r1");
    CHECK(all.snapshot().by_label(interned_name("given")) != nullptr);
    all.set_node(node_of("n2", "{}", R"({"rack":"r1"})"));
    CHECK(racks->nodes_in(racks->find("r1")) == 2);

    all.set_pod(near);
    CHECK(all.snapshot().nodes_with_affinity().size() == 1);
    CHECK(all.snapshot().nodes_with_required_anti_affinity().empty());
    // Of many labels that nobody needs any more a few are kept, and all that pods need.
    for (int i = 0; i < 100; ++i)
        all.prepare(*pod_of("p", R"({"containers":[]})"), {interned_name("l" + std::to_string(i))});
    CHECK(all.snapshot().by_label(interned_name("zone")) != nullptr);
    CHECK(all.snapshot().by_label(interned_name("rack")) == nullptr);
    CHECK(all.snapshot().by_label(interned_name("l99")) != nullptr);
    all.remove_pod("default", "near", "uid-near");
    CHECK(all.snapshot().nodes_with_affinity().empty());
}

TEST_CASE("snapshot: images and namespaces") {
    cache all;
    const std::string images = R"(,"images":[{"names":["web:1"],"sizeBytes":7}])";
    all.set_node(node_of("n1", "{}", "{}", images));
    all.set_node(node_of("n2", "{}", "{}", images));
    CHECK(all.snapshot().nodes_with_image(interned_name("web:1")) == 2);
    all.set_node(node_of("n2", "{}"));
    CHECK(all.snapshot().nodes_with_image(interned_name("web:1")) == 1);
    all.remove_node("n1");
    CHECK(all.snapshot().nodes_with_image(interned_name("web:1")) == 0);

    CHECK(all.snapshot().namespace_labels("team") == nullptr);
    all.set_namespace(object_of<core::namespace_>(R"({"metadata":{"name":"team","labels":{"a":"b"}}})"));
    REQUIRE(all.snapshot().namespace_labels("team") != nullptr);
    CHECK(*all.snapshot().namespace_labels("team")->get("a") == "b");
    all.remove_namespace("team");
    all.remove_namespace("unknown");
    CHECK(all.snapshot().namespace_labels("team") == nullptr);
}

TEST_CASE("cache: at most 2 KB a pod beyond its object") {
    constexpr std::size_t count = 2000;
    std::vector<std::shared_ptr<const core::pod>> objects;
    for (std::size_t i = 0; i < count; ++i) {
        const auto pod =
            pod_of("web-with-a-name-of-usual-length-" + std::to_string(i),
                   requesting(R"({"cpu":"250m","memory":"1Gi","nvidia.com/gpu":"1"})",
                              R"(,"nodeName":"n)" + std::to_string(i % 100) + R"(","affinity":{"podAntiAffinity":{
            "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":{
                "topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"web"}}}}]}})"));
        objects.push_back(pod->shared_pod());
    }
    cache all;
    for (int i = 0; i < 100; ++i) all.set_node(node_of("n" + std::to_string(i), R"({"cpu":"64"})"));
    const std::size_t before = heap_bytes();
    for (const auto& object : objects) all.set_pod(std::make_shared<const pod_info>(object));
    const std::size_t of_pod = (heap_bytes() - before) / count;
    MESSAGE("bytes of a pod beyond its object: " << of_pod);
    CHECK(of_pod <= 2048);
}
