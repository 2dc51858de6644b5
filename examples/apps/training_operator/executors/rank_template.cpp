#include "executors/rank_template.hpp"

#include <kcontrol/controllerutil/kueue.hpp>
#include <kcontrol/controllerutil/pods.hpp>

#include "job/names.hpp"

#include <algorithm>

namespace training_operator {
namespace {

using namespace api::core::v1;

constexpr std::int32_t master_port = 29500;  // torchrun's own
// By which the GPU scheduler keeps a rank's place while its gang starts again (scheduling/scheduler_core.hpp).
constexpr const char* keep_place_annotation = "scheduling.kcontrol.dev/keep-place";

void give_accelerator(const accelerator_spec& what, container& to) {
    if (what.per_worker == 0) return;
    const auto amount = std::to_string(what.per_worker);
    to.resources.limits[what.resource] = amount;
    to.resources.requests[what.resource] = amount;
}

bool is_gpu(std::string_view name, const training_job& job) {
    return name.starts_with("nvidia.com/") || (job.spec.accelerator && name == job.spec.accelerator->resource.view());
}

template <class Map>
void drop_gpus(const training_job& job, Map& from) {
    for (auto at = from.begin(); at != from.end();) at = is_gpu(at->first, job) ? from.erase(at) : at + 1;
}

// The same pod without GPUs: neither asked for nor claimed, nor looked for by a node's label.
void put_on_cpus(const training_job& job, const cpu_fallback_spec& how, pod_spec& pod) {
    drop_gpus(job, pod.node_selector);
    pod.resource_claims.clear();
    for (auto* containers : {&pod.containers, &pod.init_containers}) {
        for (container& each : *containers) {
            drop_gpus(job, each.resources.limits);
            drop_gpus(job, each.resources.requests);
            each.resources.claims.clear();
            for (const env_var& variable : how.env) {
                const auto old = std::ranges::find(each.env, variable.name, &env_var::name);
                (old == each.env.end() ? each.env.emplace_back() : *old) = variable;
            }
        }
    }
    if (pod.containers.empty()) return;
    auto& first = pod.containers.front().resources;
    for (const auto& [name, amount] :
         {std::pair("cpu", how.resources.cpu), std::pair("memory", how.resources.memory)}) {
        if (amount.empty()) continue;
        first.limits[name] = amount;
        first.requests[name] = amount;
    }
}

}  // namespace

std::int32_t processes_of(const training_job& job) {
    if (fallback_of(job) != nullptr) return 1;
    return job.spec.accelerator ? std::max(1, job.spec.accelerator->per_worker) : 1;
}

void give_data(const training_job& job, list<env_var>& to) {
    if (!job.status.dataset_version.empty()) set_variable(to, "DATASET_VERSION", job.status.dataset_version);
    if (const checkpoint* from = resume_from(job)) {
        set_variable(to, "RESUME_FROM", from->uri);
        set_variable(to, "RESUME_STEP", std::to_string(from->step + 1));
        if (!from->sha256.empty()) set_variable(to, "RESUME_SHA256", from->sha256);
    }
}

pod_template_spec make_template(const training_job& job) {
    pod_template_spec out = job.spec.template_;
    out.metadata.labels[job_label] = job.metadata.name;
    out.metadata.labels[attempt_label] = std::to_string(job.status.attempt);
    out.spec.restart_policy = "Never";
    for (container& each : out.spec.containers) {
        if (job.spec.checkpoint && !job.spec.checkpoint->uri.empty())
            set_variable(each.env, "CHECKPOINT_URI", job.spec.checkpoint->uri);
        give_data(job, each.env);
        set_default_variable(each.env, "WANDB_RUN_ID", job.metadata.uid);
        set_default_variable(each.env, "WANDB_RESUME", "allow");
    }
    if (const auto* fallback = fallback_of(job)) {
        put_on_cpus(job, *fallback, out.spec);
    } else if (job.spec.accelerator && !out.spec.containers.empty()) {
        give_accelerator(*job.spec.accelerator, out.spec.containers.front());
    }
    return out;
}

void give_rendezvous(const training_job& job, pod_spec& to) {
    constexpr const char* index = "metadata.labels['batch.kubernetes.io/job-completion-index']";
    const std::string count = std::to_string(job.status.workers), port = std::to_string(master_port);
    const std::string master = rank_name(job, 0) + "." + job.metadata.name.str();
    to.subdomain = job.metadata.name;
    for (container& each : to.containers) {
        set_field_variable(each.env, "RANK", index);
        set_variable(each.env, "WORLD_SIZE", count);
        set_variable(each.env, "MASTER_ADDR", master);
        set_variable(each.env, "MASTER_PORT", port);
        set_field_variable(each.env, "PET_NODE_RANK", index);
        set_variable(each.env, "PET_NNODES", count);
        set_variable(each.env, "PET_NPROC_PER_NODE", std::to_string(processes_of(job)));
        set_variable(each.env, "PET_MASTER_ADDR", master);
        set_variable(each.env, "PET_MASTER_PORT", port);
    }
}

pod make_rank_pod(const training_job& job, std::int32_t number) {
    auto made = make_template(job);
    pod out;
    out.metadata = std::move(made.metadata);
    out.metadata.name = rank_name(job, number);
    out.metadata.namespace_ = job.metadata.namespace_;
    out.metadata.labels[rank_label] = std::to_string(number);
    out.spec = std::move(made.spec);
    out.spec.hostname = out.metadata.name;
    give_rendezvous(job, out.spec);
    for (container& each : out.spec.containers) {
        for (const char* name : {"RANK", "PET_NODE_RANK"}) set_variable(each.env, name, std::to_string(number));
    }
    if (const auto queue = queue_of(job); !queue.empty()) {
        kueue::join_group(queue, start_name(job), job.status.workers, out);
    } else if (fallback_of(job) == nullptr && out.metadata.annotations.get(keep_place_annotation) == nullptr) {
        out.metadata.annotations[keep_place_annotation] = "60s";  // a queue gives to others what it takes away
    }
    return out;
}

service make_rank_service(const training_job& job) {
    service out;
    out.metadata.labels[job_label] = job.metadata.name;
    out.spec.cluster_ip = "None";
    out.spec.publish_not_ready_addresses = true;
    out.spec.selector[job_label] = job.metadata.name;
    auto& port = out.spec.ports.emplace_back();
    port.name = "rendezvous";
    port.port = master_port;
    port.protocol = "TCP";
    return out;
}

}  // namespace training_operator
