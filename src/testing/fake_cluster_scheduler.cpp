// The scheduler and the nodes of a fake_cluster.
#include <kcontrol/model/required_node_affinity.hpp>
#include <kcontrol/testing/fake_cluster.hpp>

#include "testing/fake_core.hpp"
#include "testing/fake_objects.hpp"
#include "testserver/selector_match.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

json::object ready_condition_of_node(bool lost, const std::string& now) {
    json::object ready;
    ready["type"] = "Ready";
    ready["status"] = lost ? "Unknown" : "True";
    ready["reason"] = lost ? "NodeStatusUnknown" : "KubeletReady";
    ready["message"] = lost ? "Kubelet stopped posting node status." : "kubelet is posting ready status";
    ready["lastHeartbeatTime"] = ready["lastTransitionTime"] = now;
    return ready;
}

constexpr std::string_view scheduler_name = "default-scheduler";

// Whether the pod says so already: what is tried again in vain is no news.
bool is_said(const json::value& pod, std::string_view why) {
    for (const auto& one : array_at(pod, {"status", "conditions"})) {
        if (json::get_string(one, {"type"}) == "PodScheduled") return json::get_string(one, {"message"}) == why;
    }
    return false;
}

// The scheduler says which generation of the pod its condition is about.
void observe_generation(json::array& conditions, const json::value& pod) {
    const json::value* generation = json::find(pod, {"metadata", "generation"});
    for (auto& one : conditions) {
        if (generation == nullptr || json::get_string(one, {"type"}) != "PodScheduled") continue;
        one.get_object()["observedGeneration"] = *generation;
    }
}

// A pod of another scheduler waits for that one.
bool is_of_default_scheduler(const json::value& pod) {
    const std::string_view name = json::get_string(pod, {"spec", "schedulerName"});
    return name.empty() || name == scheduler_name;
}

required_node_affinity affinity_of(const json::value& pod) {
    const auto labels = texts_by_name(json::find(pod, {"spec", "nodeSelector"}));
    const json::value* required =
        json::find(pod, {"spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
    if (required == nullptr || !required->is_object()) return required_node_affinity(labels, std::nullopt);
    std::vector<node_selector_term> terms;
    for (const auto& one : array_at(*required, {"nodeSelectorTerms"})) {
        node_selector_term term;
        term.match_expressions = expressions_of(json::find(one, {"matchExpressions"}));
        term.match_fields = expressions_of(json::find(one, {"matchFields"}));
        terms.push_back(std::move(term));
    }
    return required_node_affinity(labels, terms);
}

// As kube-scheduler, which takes a wrong expression for one that the node does not fulfil.
bool fulfils(const json::value& node, const required_node_affinity& affinity) {
    const auto held = affinity.matches(texts_by_name(json::find(node, {"metadata", "labels"})),
                                       json::get_string(node, {"metadata", "name"}));
    return held && *held;
}

/// Why a pod can't be bound to a node: nothing if it can.
class refusal {
public:
    std::vector<std::string> reasons;  ///< in the scheduler's words
    bool for_resources = false;        ///< it would fit if other pods left
};

// The scheduler's filters in their order; the first that refuses says why.
refusal refusal_of(const required_node_affinity& affinity, const json::value& node, const resource_amounts& wanted,
                   const node_usage& used, bool lost) {
    refusal out;
    const json::value* closed = json::find(node, {"spec", "unschedulable"});
    const json::array conditions = array_at(node, {"status", "conditions"});
    if (closed != nullptr && *closed == true) {
        out.reasons = {"node(s) were unschedulable"};
    } else if (lost || (!conditions.empty() && !holds_condition(node, "Ready"))) {
        // A node that somebody made without a status takes pods as well.
        out.reasons = {"node(s) had untolerated taint(s)"};
    } else if (!fulfils(node, affinity)) {
        out.reasons = {"node(s) didn't match Pod's node affinity/selector"};
    } else if (const json::value* room = json::find(node, {"status", "allocatable"})) {
        node_shortage shortage = shortage_on(wanted, used, amounts_of(room));
        out.reasons = std::move(shortage.reasons);
        out.for_resources = !shortage.for_ever;
    }
    return out;
}

// "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. preemption: …"
std::string no_node_text(const std::vector<refusal>& refusals) {
    if (refusals.empty()) return "no nodes available to schedule pods";
    std::map<std::string, std::size_t> counts;
    std::size_t for_resources = 0;
    for (const auto& one : refusals) {
        for_resources += one.for_resources ? 1U : 0U;
        for (const auto& reason : one.reasons) ++counts[reason];
    }
    const std::string none = "0/" + std::to_string(refusals.size()) + " nodes are available: ";
    const auto listed = [&none](std::vector<std::string> texts) {
        std::sort(texts.begin(), texts.end());
        std::string out = none;
        for (const auto& text : texts) out.append(out == none ? "" : ", ").append(text);
        return out + ".";
    };
    std::vector<std::string> reasons, preemption;
    for (const auto& [reason, count] : counts) reasons.push_back(std::to_string(count) + " " + reason);
    const std::size_t hopeless = refusals.size() - for_resources;
    if (for_resources > 0) {
        preemption.push_back(std::to_string(for_resources) + " No preemption victims found for incoming pod");
    }
    if (hopeless > 0) preemption.push_back(std::to_string(hopeless) + " Preemption is not helpful for scheduling");
    return listed(std::move(reasons)) + " no new claims to deallocate, preemption: " + listed(std::move(preemption));
}

}  // namespace

void fake_core::add_node(const std::string& name) {
    json::object metadata;
    metadata["name"] = name;
    metadata["labels"].emplace_object()["kubernetes.io/hostname"] = name;
    json::object node;
    node["apiVersion"] = "v1";
    node["kind"] = "Node";
    node["metadata"] = std::move(metadata);
    const auto made = api_.create(json::value(std::move(node)));
    if (!made) return;
    json::object room;
    room["cpu"] = "64";
    room["memory"] = "256Gi";
    room["pods"] = "110";
    json::object status;
    status["capacity"] = room;
    status["allocatable"] = std::move(room);
    status["conditions"] = json::array({ready_condition_of_node(false, now_text())});
    write_status(fake_nodes, *made, std::move(status));
}

void fake_core::set_lost(const std::string& name, bool lost) {
    if (lost ? !lost_nodes_.insert(name).second : lost_nodes_.erase(name) == 0) return;
    if (const auto node = api_.get(fake_nodes, {"", name})) {
        json::object status;
        status["conditions"] = json::array({ready_condition_of_node(lost, now_text())});
        write_status(fake_nodes, *node, std::move(status));
    }
    wake_pods(name);
}

placement fake_core::choose_node(const json::value& pod) const {
    placement out;
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    std::vector<refusal> refusals;
    const required_node_affinity affinity = affinity_of(pod);
    const resource_amounts wanted = requests_of_pod(pod);
    const node_usage nothing;
    for (const auto& node : api_.list(fake_nodes)) {
        const std::string name = text_at(node, {"metadata", "name"});
        const auto found = used_.find(name);
        const node_usage& used = found == used_.end() ? nothing : found->second;
        refusal refused = refusal_of(affinity, node, wanted, used, lost_nodes_.contains(name));
        if (!refused.reasons.empty()) {
            refusals.push_back(std::move(refused));
        } else if (used.pods < fewest) {
            fewest = used.pods;
            out.node = name;
        }
    }
    if (out.node.empty()) out.why = no_node_text(refusals);
    return out;
}

// Keeps the sums of what pods hold; when one ends, those that found no node are tried again.
void fake_core::account_pod(change what, const json::value& pod) {
    const std::string uid = uid_of(pod), node = text_at(pod, {"spec", "nodeName"});
    const auto before = held_.find(uid);
    const bool held = before != held_.end();
    bool admitted = has_phase(pod, "Running");  // by the kubelet of an earlier fake_cluster, at least
    if (held) {
        admitted = admitted || before->second.admitted;
        used_[before->second.node].remove(before->second.amounts);
        if (before->second.admitted) admitted_[before->second.node].remove(before->second.amounts);
        held_.erase(before);
    }
    if (what == change::deleted || !node.empty()) unschedulable_.erase(key_of_object(pod));
    if (what != change::deleted && !node.empty() && !is_over(pod)) {
        held_resources now;
        now.node = node;
        now.amounts = requests_of_pod(pod);
        now.admitted = admitted;
        used_[node].add(now.amounts);
        if (admitted) admitted_[node].add(now.amounts);
        held_.emplace(uid, std::move(now));
    } else if (held) {
        for (const auto& key : unschedulable_) plan({part::pod, key}, options_.reaction());
    }
}

void fake_core::record_of_scheduler(const json::value& pod, const placement& found) {
    const namespaced_name key = key_of_object(pod);
    event_note note;
    note.about = pod;
    note.component = scheduler_name;
    note.warning = found.node.empty();
    note.reason = note.warning ? "FailedScheduling" : "Scheduled";
    note.action = note.warning ? "Scheduling" : "Binding";
    note.message =
        note.warning ? found.why : "Successfully assigned " + key.namespace_ + "/" + key.name + " to " + found.node;
    record_event(note);
}

fake_core::again fake_core::schedule(const json::value& pod, pod_record& record) {
    json::array conditions = array_at(pod, {"status", "conditions"});
    const bool gated = !array_at(pod, {"spec", "schedulingGates"}).empty();
    if (!gated && !is_of_default_scheduler(pod)) return std::nullopt;
    placement found;
    if (gated) {
        found.why = "Scheduling is blocked due to non-empty scheduling gates";
    } else if (record.behavior.unschedulable()) {
        found.why = *record.behavior.unschedulable();
    } else {
        found = choose_node(pod);
    }
    if (found.node.empty()) {
        if (!gated) unschedulable_.insert(record.key);
        const std::string_view reason = gated ? "SchedulingGated" : "Unschedulable";
        if (!gated && !is_said(pod, found.why)) record_of_scheduler(pod, found);
        put_condition(conditions, "PodScheduled", false, reason, found.why, now_text());
        if (!gated) observe_generation(conditions, pod);
        json::object status;
        status["conditions"] = std::move(conditions);
        write_status(fake_pods, pod, std::move(status));
        return std::nullopt;
    }
    put_condition(conditions, "PodScheduled", true, {}, {}, now_text());
    observe_generation(conditions, pod);
    json::object patch;
    patch["spec"].emplace_object()["nodeName"] = found.node;
    patch["status"].emplace_object()["conditions"] = std::move(conditions);
    if (api_.patch(fake_pods, record.key, json::value(std::move(patch)), "binding")) {
        record_of_scheduler(pod, found);
    }
    return std::nullopt;  // the change says that there is more to do
}

}  // namespace kcontrol::testing::detail
