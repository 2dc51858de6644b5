#include "usage/job_usage.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace training_monitor {
namespace {

constexpr std::array<std::string_view, 3> names{"unknown", "partial", "known"};
constexpr std::size_t most_xids = 16;

/// The pods of the job on one node.
struct node_share {
    std::set<std::string_view> pods;
    std::int64_t gpus = 0;
};

using report_list = std::vector<const gpu_report*>;

// Of the GPUs that the labeler says these pods have, those that nobody else has a part of.
report_list held_by(const node_report& report, const node_share& share, std::string_view name_space) {
    report_list out;
    for (const auto& gpu : report.gpus) {
        const bool theirs =
            !gpu.holders.empty() && std::all_of(gpu.holders.begin(), gpu.holders.end(), [&](const gpu_holder& h) {
                return !h.slice && h.namespace_ == name_space && share.pods.contains(h.pod);
            });
        if (theirs) out.push_back(&gpu);
    }
    return out;
}

std::string at_node(std::string_view node, std::string_view what) {
    return "node " + std::string(node) + ": " + std::string(what);
}

// Those of the node that are the job's, or why that is not known.
report_list gpus_of_job(std::string_view node, const node_share& share, std::string_view name_space,
                        const node_answers& nodes, std::string& reason) {
    const auto found = nodes.find(node);
    const auto fail = [&](std::string_view why) {
        if (reason.empty()) reason = at_node(node, why);
        return report_list();
    };
    if (found == nodes.end()) return fail("no GPU labeler runs there");
    if (!found->second.report) return fail(found->second.failure);
    const node_report& report = *found->second.report;
    if (report.state != "ok") return fail("its GPUs can't be read: " + report.state);
    if (report.knows_holders()) {
        auto out = held_by(report, share, name_space);
        if (static_cast<std::int64_t>(out.size()) < share.gpus && reason.empty()) {
            reason = at_node(node, "its labeler does not say of all of the job's GPUs that they are its alone");
        }
        return out;
    }
    if (share.gpus != static_cast<std::int64_t>(report.gpus.size())) {
        return fail("its labeler is not told which pod has which GPU (its component pods)");
    }
    report_list out;
    for (const auto& gpu : report.gpus) out.push_back(&gpu);
    return out;
}

template <class Number>
void add(std::optional<Number>& sum, const std::optional<Number>& value) {
    if (value) sum = sum.value_or(Number()) + *value;
}

}  // namespace

std::string_view to_string(job_usage::state_type state) noexcept { return names[static_cast<std::size_t>(state)]; }

job_usage usage_of(const std::vector<pod_row>& pods, std::string_view name_space, const node_answers& nodes,
                   kcontrol::wall_time now) {
    std::map<std::string_view, node_share> shares;
    job_usage out;
    out.at = now;
    for (const auto& pod : pods) {
        if (pod.phase != "Running" || pod.gpus <= 0 || pod.node.empty()) continue;
        node_share& share = shares[pod.node];
        share.pods.insert(pod.name);
        share.gpus += pod.gpus;
        out.gpus += pod.gpus;
    }
    if (shares.empty()) {
        out.reason = "none of its pods is known to run and to have GPUs";
        return out;
    }
    double utilization = 0;
    std::int64_t telling = 0;  // of how busy they are
    for (const auto& [node, share] : shares) {
        for (const auto* gpu : gpus_of_job(node, share, name_space, nodes, out.reason)) {
            ++out.measured;
            if (gpu->utilization) {
                ++telling;
                utilization += *gpu->utilization;
                out.utilization_least = std::min(out.utilization_least.value_or(100), *gpu->utilization);
            } else if (out.reason.empty()) {
                out.reason = at_node(node, "GPU " + std::to_string(gpu->index) + " does not say how busy it is");
            }
            add(out.memory_used_bytes, gpu->memory_used_bytes);
            add(out.memory_total_bytes, gpu->memory_total_bytes);
            add(out.power_watts, gpu->power_watts);
            if (gpu->xid) out.xids.push_back({std::string(node), gpu->index, *gpu->xid, gpu->xid_time});
        }
    }
    if (telling > 0) out.utilization_mean = utilization / static_cast<double>(telling);
    std::stable_sort(out.xids.begin(), out.xids.end(),
                     [](const job_xid& a, const job_xid& b) { return a.time > b.time; });
    if (out.xids.size() > most_xids) out.xids.resize(most_xids);
    if (out.measured == 0) return out;
    const bool all = telling == out.gpus && out.measured == out.gpus;
    out.state = all ? job_usage::state_type::known : job_usage::state_type::partial;
    if (!all) return out;
    out.known_at = now;
    if (out.utilization_mean == 0.0) out.idle_since = now;
    return out;
}

void carry_on(job_usage& now, const job_usage& before, kcontrol::duration patience) {
    if (now.state == job_usage::state_type::known) {
        if (now.idle_since && before.idle_since) now.idle_since = before.idle_since;
        return;
    }
    now.known_at = before.known_at;
    const bool works = now.utilization_mean.value_or(0) > 0;
    if (!works && before.known_at && now.at - *before.known_at <= patience) now.idle_since = before.idle_since;
}

}  // namespace training_monitor
