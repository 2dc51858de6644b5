// The status of a cluster. Source: KubeRay 1.5.0, calculateStatus in raycluster_controller.go.
#include <kcontrol/controllerutil/conditions.hpp>
#include <kcontrol/values/quantity.hpp>

#include "api/names.hpp"
#include "api/validation.hpp"
#include "decide/cluster_plan.hpp"

#include <limits>
#include <map>

namespace ray_operator {
namespace {

using namespace api::core::v1;

std::int32_t saturated(std::int64_t n) {
    return static_cast<std::int32_t>(std::min<std::int64_t>(n, std::numeric_limits<std::int32_t>::max()));
}

using totals = std::map<std::string, quantity>;
// Requests, or limits where there is none.
totals amounts_of(const pod_spec& pod) {
    totals out;
    for (const container& each : pod.containers) {
        dict<quantity_text> amounts = each.resources.limits;
        for (const auto& [name, amount] : each.resources.requests) amounts[name] = amount;
        for (const auto& [name, amount] : amounts) {
            if (const auto read = quantity::parse(amount)) out[name.str()] += *read;
        }
    }
    return out;
}
void set_desired(const ray_cluster_spec& spec, ray_cluster_status& to) {
    totals all = amounts_of(spec.head_group_spec.template_.spec);
    for (const auto& group : spec.worker_group_specs) {
        for (const auto& [name, amount] : amounts_of(group.template_.spec))
            all[name] += amount * (wanted_replicas(group) * hosts_of(group));
    }
    quantity gpus;
    for (const auto& [name, amount] : all) {
        if (is_gpu(name)) gpus += amount;
    }
    to.desired_cpu = all["cpu"].canonical();
    to.desired_memory = all["memory"].canonical();
    to.desired_gpu = gpus.canonical();
    to.desired_tpu = all["google.com/tpu"].canonical();
}

void count_workers(const ray_cluster_spec& spec, const cluster_facts& seen, ray_cluster_status& to) {
    to.ready_worker_replicas = to.available_worker_replicas = 0;
    for (const pod_fact& p : seen.pods) {
        if (p.head || !p.running) continue;
        ++to.available_worker_replicas;
        if (p.ready_status == "True") ++to.ready_worker_replicas;
    }
    std::int64_t least = 0, most = 0;
    for (const auto& group : spec.worker_group_specs) {
        if (group.suspend.value_or(false)) continue;
        least += group.min_replicas.value_or(0) * hosts_of(group);
        most += group.max_replicas.value_or(std::numeric_limits<std::int32_t>::max()) * hosts_of(group);
    }
    to.desired_worker_replicas = saturated(wanted_workers(spec));
    to.min_worker_replicas = saturated(least);
    to.max_worker_replicas = saturated(most);
}

void show_head(const cluster_facts& seen, wall_time now, ray_cluster_status& to) {
    const auto head = std::ranges::find_if(seen.pods, [now](const pod_fact& p) { return p.head && p.counts(now); });
    to.head.pod_name = head == seen.pods.end() ? "" : head->name;
    to.head.pod_ip = head == seen.pods.end() ? "" : head->ip;
    if (!seen.head_service) return;
    const service_fact& service = *seen.head_service;
    to.head.service_name = service.name;
    to.head.service_ip = service.cluster_ip == "None" ? to.head.pod_ip : text(service.cluster_ip);
    for (const auto& [name, port] : service.endpoints) to.endpoints[name] = port;
}

bool tolerates(const pod_spec& pod, const taint& against) {
    return std::ranges::any_of(pod.tolerations, [&](const toleration& t) {
        const bool key = t.key.empty() ? t.operator_ == "Exists" : t.key == against.key;
        const bool value = t.operator_ == "Exists" || t.value == against.value;
        return key && value && (t.effect.empty() || t.effect == against.effect);
    });
}
// Why no node can take a pod for its GPUs; empty: nothing is known against it.
std::string placement_problem(const pod_spec& pod, const cluster_facts& seen) {
    for (const auto& [name, amount] : amounts_of(pod)) {
        if (!is_gpu(name) || amount.is_zero()) continue;
        quantity most;
        bool open = false, any = false;
        for (const auto& node : seen.nodes) {
            const auto* has = node->status.allocatable.get(name);
            const auto read = quantity::parse(has == nullptr ? std::string_view("0") : has->text());
            if (!read || read->is_zero()) continue;
            any = true;
            most = std::max(most, *read, [](const quantity& a, const quantity& b) { return a < b; });
            open = open || std::ranges::all_of(node->spec.taints, [&](const taint& t) {
                       return t.effect == "PreferNoSchedule" || tolerates(pod, t);
                   });
        }
        if (!any) return "no node has " + name;
        if (most < amount)
            return "a pod needs " + amount.canonical() + " of " + name + ", and no node has more than " +
                   most.canonical();
        if (!open) return "all nodes with " + name + " have taints that its pods don't tolerate";
    }
    return {};
}

template <class Each>
void for_each_group(const ray_cluster& c, Each each) {
    each("headGroupSpec", c.spec.head_group_spec.template_.spec);
    for (const auto& g : c.spec.worker_group_specs) each("worker group " + g.group_name.str(), g.template_.spec);
}

// What is told only where it is amiss, or was.
void set_told(const ray_cluster& c, const char* type, const char* reason, const std::string& problem, wall_time now,
              ray_cluster_status& to) {
    if (problem.empty() && find_condition(to.conditions, type) == nullptr) return;
    set_condition(to.conditions,
                  condition_for(c, type, problem.empty(), problem.empty() ? "NoProblem" : reason, problem), now);
}
std::string placement_problems(const ray_cluster& c, const cluster_facts& seen) {
    std::string out;
    for_each_group(c, [&](const std::string& name, const pod_spec& pod) {
        const std::string problem = placement_problem(pod, seen);
        if (!problem.empty()) out += (out.empty() ? "" : "; ") + name + ": " + problem;
    });
    return out;
}
std::string waits(const cluster_facts& seen, wall_time now) {
    std::map<std::string, std::string> by_group;
    for (const pod_fact& p : seen.pods) {
        if (p.waits_since && *p.waits_since + hold_grace <= now)
            by_group.emplace(p.head ? head_group : p.group, p.waits);
    }
    std::string out;
    for (const auto& [group, words] : by_group) out += (out.empty() ? "" : "; ") + group + ": " + words;
    return out;
}

class status_writer {
public:
    status_writer(const ray_cluster& c, wall_time now, ray_cluster_status& to) : c_(c), now_(now), to_(to) {}
    void set(const char* type, bool holds, std::string_view reason, std::string_view message = {}) {
        set_condition(to_.conditions, condition_for(c_, type, holds, reason, message), now_);
    }
    void set_head_ready(const cluster_facts& seen) {
        const auto head =
            std::ranges::find_if(seen.pods, [this](const pod_fact& p) { return p.head && p.counts(now_); });
        if (head == seen.pods.end()) return set("HeadPodReady", false, "HeadPodNotFound", "Head Pod not found");
        const bool ready = head->ready_status == "True";
        const std::string reason = !head->ready_reason.empty() ? head->ready_reason
                                   : ready                     ? "HeadPodRunningAndReady"
                                                               : "Unknown";
        auto condition = condition_for(c_, "HeadPodReady", ready, reason, head->ready_message);
        if (head->ready_status == "Unknown") condition.status = "Unknown";
        set_condition(to_.conditions, condition, now_);
    }
    // Suspending is finished once begun, whatever the specification says meanwhile.
    void set_suspension(const cluster_facts& seen) {
        const bool asked = c_.spec.suspend.value_or(false);
        if (is_true(to_.conditions, "RayClusterSuspending")) {
            if (!seen.pods.empty()) return;
            set("RayClusterProvisioned", false, "RayClusterPodsProvisioning", "RayCluster has been suspended");
            set("RayClusterSuspending", false, "RayClusterSuspending");
            set("RayClusterSuspended", true, "RayClusterSuspended");
            to_.state = "suspended";
        } else if (is_true(to_.conditions, "RayClusterSuspended")) {
            if (!asked) set("RayClusterSuspended", false, "RayClusterSuspended");
        } else {
            set("RayClusterSuspended", false, "RayClusterSuspended");
            set("RayClusterSuspending", asked, "RayClusterSuspending");
        }
    }

private:
    const ray_cluster& c_;
    wall_time now_;
    ray_cluster_status& to_;
};

// Equal statuses but for the time of the last write, and for a phase that KubeRay's definition has dropped, are not
// written.
void date(const ray_cluster_status& before, wall_time now, ray_cluster_status& to) {
    const timestamp moment(std::chrono::floor<std::chrono::seconds>(now));
    if (to.state != before.state && !to.state.empty()) to.state_transition_times[to.state] = moment;
    to.phase = before.phase;
    if (to == before) return;
    to.phase = phase_of(to);
    to.last_update_time = moment;
}

}  // namespace

ray_cluster_status next_status(const ray_cluster& c, const cluster_facts& seen,
                               const std::optional<replica_failure>& failure, wall_time now) {
    ray_cluster_status out = c.status;
    status_writer write(c, now, out);
    out.observed_generation = c.metadata.generation.value_or(0);
    write.set("SpecValid", true, "Valid");
    if (failure) write.set("ReplicaFailure", true, failure->reason, failure->message);
    if (!failure) remove_condition(out.conditions, "ReplicaFailure");
    count_workers(c.spec, seen, out);
    set_desired(c.spec, out);
    show_head(seen, now, out);
    write.set_head_ready(seen);
    // An object that hangs on a dead node is none of them.
    std::int64_t ready = 0, counted = 0;
    for (const pod_fact& p : seen.pods) {
        counted += p.counts(now) ? 1 : 0;
        ready += p.counts(now) && p.ready && !p.deletion ? 1 : 0;
    }
    const bool all_ready = !failure && counted == ready && ready >= wanted_workers(c.spec) + 1;
    const bool suspends = is_true(out.conditions, "RayClusterSuspending") || c.spec.suspend.value_or(false);
    if (all_ready && !suspends) out.state = "ready";
    if (!is_true(out.conditions, "RayClusterProvisioned") && !is_true(out.conditions, "RayClusterSuspended")) {
        if (all_ready) {
            write.set("RayClusterProvisioned", true, "AllPodRunningAndReadyFirstTime",
                      "All Ray Pods are ready for the first time");
        } else {
            write.set("RayClusterProvisioned", false, "RayClusterPodsProvisioning",
                      "RayCluster Pods are being provisioned for first time");
        }
    }
    write.set_suspension(seen);
    set_told(c, "GpuPlacement", "NoSuitableNode", placement_problems(c, seen), now, out);
    set_told(c, "ResourcesAvailable", "PodsHeldBack", waits(seen, now), now, out);
    date(c.status, now, out);
    return out;
}

ray_cluster_status refused_status(const ray_cluster& c, const std::string& why, wall_time now) {
    ray_cluster_status out = c.status;
    out.observed_generation = c.metadata.generation.value_or(0);
    set_condition(out.conditions, condition_for(c, "SpecValid", false, "InvalidSpec", why), now);
    date(c.status, now, out);
    return out;
}

std::string_view phase_of(const ray_cluster_status& status) {
    const auto* valid = find_condition(status.conditions, "SpecValid");
    if (valid != nullptr && valid->status == "False") return "Failed";
    if (is_true(status.conditions, "RayClusterSuspended")) return "Suspended";
    if (is_true(status.conditions, "ReplicaFailure")) return "Failed";
    if (is_true(status.conditions, "RayClusterProvisioned")) return "Running";
    return status.head.pod_name.empty() ? "Pending" : "Provisioning";
}

}  // namespace ray_operator
