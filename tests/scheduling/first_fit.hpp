// A decider for tests of scheduler_core: the first node with enough cpu. It preempts, if it may, pods of less priority.
#pragma once

#include <kcontrol/scheduling/decider.hpp>
#include <kcontrol/scheduling/scheduler_core.hpp>

#include "scheduling/objects.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

class first_fit final : public scheduling::decider {
public:
    /// Once for each core: the plugin that refuses, and wakes with each node and each pod that goes.
    void begin(scheduling::scheduler_core& core) {
        using scheduling::event_actions;
        fit_ = *core.add_plugin("Fit", {{scheduling::interned_name("Node"), event_actions::all},
                                        {scheduling::interned_name("Pod"), event_actions::delete_}});
        held_ = *core.add_plugin("Hold", {});
        reserved.clear();
    }

    bool schedules(const core::pod& pod) const override { return pod.spec.scheduler_name == "ours"; }

    scheduling::plugin_set gate(const scheduling::pod_info& pod) override {
        return pod.pod().metadata.labels.contains("hold") ? held_ : 0;
    }

    scheduling::decided_pod decide(std::shared_ptr<const scheduling::pod_info> pod,
                                   const scheduling::decision_inputs& on) override {
        ++decisions;
        scheduling::decided_pod out;
        out.pod = pod;
        for (const auto* node : on.nodes.prepare(*pod).nodes()) {
            if (free_cpu(*node, *pod, on) < pod->requests().cpu_milli) continue;
            out.node = node->name();
            out.assumed = on.nodes.assume(pod, node->name());
            REQUIRE(out.assumed);
            REQUIRE(reserved.insert(std::string(pod->uid())).second);
            return out;
        }
        out.rejected_by = fit_;
        out.message = "0/" + std::to_string(on.nodes.snapshot().nodes().size()) + " nodes are available";
        if (may_preempt) preempt(out, on);
        return out;
    }

    scheduling::decided_gang decide_gang(std::span<const std::shared_ptr<const scheduling::pod_info>> pods,
                                         std::int32_t missing, const scheduling::decision_inputs& on) override {
        scheduling::decided_gang out;
        const bool may = std::exchange(may_preempt, false);  // a gang that waits holds nothing
        for (const auto& pod : pods) {
            out.members.push_back(decide(pod, on));
            if (out.members.back().assumed) ++out.fitting;
        }
        may_preempt = may;
        if (out.fitting >= missing) return out;
        for (auto& one : out.members) {
            if (!one.assumed) continue;
            unreserve(one);
            REQUIRE(on.nodes.roll_back(one.assumed));
            one.assumed = {};
        }
        return out;
    }

    void unreserve(scheduling::decided_pod& of) override { REQUIRE(reserved.erase(std::string(of.pod->uid())) == 1); }

    std::set<std::string> reserved;  // by uid: from the decision on
    std::size_t decisions = 0;
    bool may_preempt = false;

private:
    static std::int64_t free_cpu(const scheduling::node_info& node, const scheduling::pod_info& pod,
                                 const scheduling::decision_inputs& on) {
        std::int64_t out = node.allocatable().cpu_milli - node.requested().cpu_milli;
        for (const auto* kept : on.nominated.on(node.name())) {
            if (kept->pod->uid() != pod.uid() && pod.priority() <= kept->against)
                out -= kept->pod->requests().cpu_milli;
        }
        return out;
    }

    void preempt(scheduling::decided_pod& out, const scheduling::decision_inputs& on) const {
        const auto& pod = *out.pod;
        if (const auto* const kept = on.nominated.find(pod.namespace_(), pod.name())) {
            const auto* const node = on.nodes.snapshot().find(kept->node);
            const auto leaves = [&](const scheduling::pod_info* one) { return on.nominated.is_leaving(*one); };
            if (node != nullptr && std::any_of(node->pods().begin(), node->pods().end(), leaves)) return;
        }
        for (const auto* node : on.nodes.snapshot().nodes()) {
            std::int64_t free = free_cpu(*node, pod, on);
            std::vector<std::shared_ptr<const scheduling::pod_info>> victims;
            std::int32_t against = pod.priority();
            for (const auto* one : node->pods()) {
                if (free >= pod.requests().cpu_milli) break;
                const auto* const placed = on.nodes.snapshot().find_pod(one->namespace_(), one->name());
                if (one->priority() >= pod.priority() || placed->is_assumed || on.nominated.is_leaving(*one)) continue;
                victims.push_back(std::make_shared<const scheduling::pod_info>(one->shared_pod()));
                free += one->requests().cpu_milli;
            }
            if (free < pod.requests().cpu_milli || victims.empty()) continue;
            out.victims = std::move(victims);
            out.kept = scheduling::nomination{out.pod, std::string(node->name()), against};
            return;
        }
    }

    scheduling::plugin_set fit_ = 0;
    scheduling::plugin_set held_ = 0;
};

}  // namespace kcontrol::test
