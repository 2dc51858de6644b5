#include "executors/rank_template.hpp"

#include "job/names.hpp"

#include <algorithm>

namespace training_operator {
namespace {

using namespace api::core::v1;

constexpr std::int32_t master_port = 29500;  // torchrun's own

class environment_of_rank {
public:
    explicit environment_of_rank(list<env_var>& to) : to_(to) {}

    void set(std::string_view name, std::string value) {
        const auto found = std::ranges::find(to_, text(name), &env_var::name);
        env_var& entry = found != to_.end() ? *found : to_.emplace_back();
        entry = env_var();
        entry.name = name;
        entry.value = value;
    }
    void set_default(std::string_view name, std::string value) {
        if (std::ranges::find(to_, text(name), &env_var::name) == to_.end()) set(name, std::move(value));
    }

private:
    list<env_var>& to_;
};

std::int32_t processes_of(const training_job& job) {
    return job.spec.accelerator ? std::max(1, job.spec.accelerator->per_worker) : 1;
}

void set_environment(const training_job& job, std::int32_t number, container& to) {
    environment_of_rank env(to.env);
    const std::string rank = std::to_string(number), count = std::to_string(job.status.workers);
    const std::string port = std::to_string(master_port), master = rank_name(job, 0) + "." + job.metadata.name.str();
    env.set("RANK", rank);
    env.set("WORLD_SIZE", count);
    env.set("MASTER_ADDR", master);
    env.set("MASTER_PORT", port);
    env.set("PET_NODE_RANK", rank);
    env.set("PET_NNODES", count);
    env.set("PET_NPROC_PER_NODE", std::to_string(processes_of(job)));
    env.set("PET_MASTER_ADDR", master);
    env.set("PET_MASTER_PORT", port);
    if (job.spec.checkpoint && !job.spec.checkpoint->uri.empty()) env.set("CHECKPOINT_URI", job.spec.checkpoint->uri);
    if (const checkpoint* from = resume_from(job)) {
        env.set("RESUME_FROM", from->uri);
        env.set("RESUME_STEP", std::to_string(from->step + 1));
        if (!from->sha256.empty()) env.set("RESUME_SHA256", from->sha256);
    }
    env.set_default("WANDB_RUN_ID", job.metadata.uid);
    env.set_default("WANDB_RESUME", "allow");
}

void give_accelerator(const accelerator_spec& what, container& to) {
    if (what.per_worker == 0) return;
    const auto amount = std::to_string(what.per_worker);
    to.resources.limits[what.resource] = amount;
    to.resources.requests[what.resource] = amount;
}

}  // namespace

pod make_rank_pod(const training_job& job, std::int32_t number) {
    pod out;
    out.metadata.name = rank_name(job, number);
    out.metadata.namespace_ = job.metadata.namespace_;
    out.metadata.labels = job.spec.template_.metadata.labels;
    out.metadata.annotations = job.spec.template_.metadata.annotations;
    out.metadata.labels[job_label] = job.metadata.name;
    out.metadata.labels[rank_label] = std::to_string(number);
    out.metadata.labels[attempt_label] = std::to_string(job.status.attempt);
    out.spec = job.spec.template_.spec;
    out.spec.restart_policy = "Never";
    out.spec.hostname = out.metadata.name;
    out.spec.subdomain = job.metadata.name;
    for (container& each : out.spec.containers) set_environment(job, number, each);
    if (job.spec.accelerator && !out.spec.containers.empty()) {
        give_accelerator(*job.spec.accelerator, out.spec.containers.front());
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
