// The message about a pod that no node takes, and the scale of scores.
#include <kcontrol/scheduling/default_plugins.hpp>
#include <kcontrol/scheduling/node_scores.hpp>
#include <kcontrol/scheduling/refusals.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

using namespace kcontrol::scheduling;

namespace {

// Refused for these reasons.
status refused_for(const std::vector<std::string>& reasons) {
    status out(status_code::unschedulable);
    for (const auto& reason : reasons) out.add_reason(interned_name(reason));
    return out;
}

}  // namespace

TEST_CASE("refusals: the message of kube-scheduler") {
    const std::string gpu = "Insufficient nvidia.com/gpu", cpu = "Insufficient cpu",
                      taint = "node(s) had untolerated taint(s)";
    struct row {
        std::size_t nodes;
        std::vector<std::vector<std::string>> refused;
        std::string message;
    };
    const std::vector<row> rows = {
        {0, {}, "no nodes available to schedule pods"},
        {1, {{cpu}}, "0/1 nodes are available: 1 Insufficient cpu."},
        {5,
         {{taint}, {gpu}, {taint}, {taint}, {gpu}},
         "0/5 nodes are available: 2 Insufficient nvidia.com/gpu, 3 node(s) had untolerated taint(s)."},
        // A node counts for each of its reasons.
        {2, {{cpu, gpu}, {cpu}}, "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 2 Insufficient cpu."},
        // Sorted as texts: 10 is before 2.
        {12,
         {{gpu}, {gpu}, {cpu}, {cpu}, {cpu}, {cpu}, {cpu}, {cpu}, {cpu}, {cpu}, {cpu}, {cpu}},
         "0/12 nodes are available: 10 Insufficient cpu, 2 Insufficient nvidia.com/gpu."},
        {3, {{taint}}, "0/3 nodes are available: 1 node(s) had untolerated taint(s)."},
        {3, {}, "0/3 nodes are available:"},
    };
    for (const auto& [nodes, refused, message] : rows) {
        refusals counts;
        for (const auto& reasons : refused) counts.add(refused_for(reasons));
        CHECK(counts.message(nodes) == message);
    }
}

TEST_CASE("refusals: nodes that no plugin named, and pods that pre_filter refuses") {
    const std::vector<std::string_view> one = {"NodeAffinity"}, two = {"VolumeBinding", "NodeAffinity"};
    refusals counts;
    counts.add(not_named_by(one), 4);
    counts.add(refused_for({"Insufficient cpu"}));
    CHECK(counts.message(5) ==
          "0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't satisfy plugin(s) [NodeAffinity].");
    CHECK(not_named_by(two).reason(0) == "node(s) didn't satisfy plugin(s) [NodeAffinity VolumeBinding]");
    CHECK(pre_filter_message(5, none_named_by(two)) ==
          "0/5 nodes are available: node(s) didn't satisfy plugin(s) [NodeAffinity VolumeBinding] simultaneously.");
    CHECK(not_named_by(one).code() == status_code::unschedulable_and_unresolvable);
}

TEST_CASE("node scores: counts are brought onto the scale") {
    using scores = std::vector<std::int64_t>;
    struct row {
        scores counts;
        score_order order;
        scores expected;
    };
    const auto more = score_order::more_is_better, fewer = score_order::fewer_is_better;
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const std::vector<row> rows = {
        {{}, more, {}},
        {{0, 0}, more, {0, 0}},
        {{0, 0}, fewer, {100, 100}},
        {{1, 2, 3}, more, {33, 66, 100}},
        {{1, 2, 3}, fewer, {67, 34, 0}},
        {{7}, more, {100}},
        {{most, most / 2, 1}, more, {100, 50, 0}},
    };
    for (const auto& [counts, order, expected] : rows) {
        scores normalized = counts;
        normalize_by_greatest(normalized, order);
        CHECK(normalized == expected);
    }
}

TEST_CASE("default plugins: kube-scheduler's weights and order") {
    std::string text;
    for (const auto& one : default_plugins) text += std::string(one.name) + " " + std::to_string(one.weight) + "\n";
    CHECK(text ==
          "NodeUnschedulable 0\nNodeName 0\nTaintToleration 3\nNodeAffinity 2\nNodePorts 0\nNodeResourcesFit 1\n"
          "VolumeBinding 1\nPodTopologySpread 2\nInterPodAffinity 2\nNodeResourcesBalancedAllocation 1\n"
          "ImageLocality 1\n");
}
