// The pod and the service of a gang.
#include "executors/rank_template.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace training_operator;
using namespace training_operator::tests;

namespace {

training_job job() {
    training_job out = job_in("Starting");
    out.status.attempt = 2;
    out.status.workers = 4;
    auto& pod = out.spec.template_;
    pod.metadata.labels["team"] = "nlp";
    pod.metadata.annotations["sim/run-ms"] = "10";
    pod.spec.containers.emplace_back().name = "trainer";
    pod.spec.containers.emplace_back().name = "logs";
    return out;
}

std::map<std::string, std::string> environment_of(const api::core::v1::container& of) {
    std::map<std::string, std::string> out;
    for (const auto& each : of.env) CHECK(out.emplace(each.name, each.value).second);  // each once
    return out;
}

}  // namespace

TEST_CASE("a rank's pod: names, labels, and what torchrun and Weights & Biases read") {
    const auto pod = make_rank_pod(job(), 3);
    CHECK(pod.metadata.name == "bert-3");
    CHECK(pod.metadata.namespace_ == "ml");
    CHECK(pod.metadata.labels.at("ai.kcontrol.dev/job") == "bert");
    CHECK(pod.metadata.labels.at("ai.kcontrol.dev/rank") == "3");
    CHECK(pod.metadata.labels.at("ai.kcontrol.dev/attempt") == "2");
    CHECK(pod.metadata.labels.at("team") == "nlp");
    CHECK(pod.metadata.annotations.at("sim/run-ms") == "10");
    CHECK(pod.spec.restart_policy == "Never");
    CHECK(pod.spec.hostname == "bert-3");
    CHECK(pod.spec.subdomain == "bert");
    const std::map<std::string, std::string> wanted{{"RANK", "3"},
                                                    {"WORLD_SIZE", "4"},
                                                    {"MASTER_ADDR", "bert-0.bert"},
                                                    {"MASTER_PORT", "29500"},
                                                    {"PET_NODE_RANK", "3"},
                                                    {"PET_NNODES", "4"},
                                                    {"PET_NPROC_PER_NODE", "1"},
                                                    {"PET_MASTER_ADDR", "bert-0.bert"},
                                                    {"PET_MASTER_PORT", "29500"},
                                                    {"WANDB_RUN_ID", "u-1"},
                                                    {"WANDB_RESUME", "allow"}};
    for (const auto& container : pod.spec.containers) CHECK(environment_of(container) == wanted);
    CHECK_FALSE(pod.spec.containers[0].resources.limits.present());
}

TEST_CASE(
    "a rank's place is kept while its gang starts again: not on CPUs, nor from a queue, nor against the template") {
    training_job with = job();
    const auto kept = [&] {
        const auto pod = make_rank_pod(with, 0);
        const auto* found = pod.metadata.annotations.get("scheduling.kcontrol.dev/keep-place");
        return found == nullptr ? "no" : found->str();
    };
    CHECK(kept() == "60s");
    CHECK(make_template(with).metadata.annotations.get("scheduling.kcontrol.dev/keep-place") == nullptr);
    with.metadata.labels["kueue.x-k8s.io/queue-name"] = "team-a";
    CHECK(kept() == "no");
    with.metadata.labels.clear();
    with.spec.cpu_fallback.emplace();
    with.status.on_fallback = true;
    CHECK(kept() == "no");
    with.status.on_fallback = false;
    with.spec.template_.metadata.annotations["scheduling.kcontrol.dev/keep-place"] = "0s";
    CHECK(kept() == "0s");
}

TEST_CASE("of the template's environment WANDB_… stays, what torchrun reads does not") {
    training_job with = job();
    auto& env = with.spec.template_.spec.containers[0].env;
    env.emplace_back().name = "RANK";
    env.back().value_from.edit().field_ref.edit().field_path = "metadata.name";
    env.emplace_back().name = "WANDB_RUN_ID";
    env.back().value = "mine";
    env.emplace_back().name = "EPOCHS";
    env.back().value = "3";
    const auto pod = make_rank_pod(with, 0);
    const auto out = environment_of(pod.spec.containers[0]);
    CHECK(out.at("RANK") == "0");
    CHECK(out.at("WANDB_RUN_ID") == "mine");
    CHECK(out.at("EPOCHS") == "3");
    for (const auto& each : pod.spec.containers[0].env) CHECK_FALSE(each.value_from.present());
}

TEST_CASE("accelerators go to the first container, as many as processes") {
    training_job with = job();
    with.spec.accelerator.emplace().per_worker = 8;
    const auto pod = make_rank_pod(with, 0);
    CHECK(pod.spec.containers[0].resources.limits.at("nvidia.com/gpu") == "8");
    CHECK(pod.spec.containers[0].resources.requests.at("nvidia.com/gpu") == "8");
    CHECK_FALSE(pod.spec.containers[1].resources.limits.present());
    CHECK(environment_of(pod.spec.containers[0]).at("PET_NPROC_PER_NODE") == "8");
    with.spec.accelerator->per_worker = 0;
    CHECK_FALSE(make_rank_pod(with, 0).spec.containers[0].resources.limits.present());
}

TEST_CASE("the service gives each rank a host name before it is ready") {
    const auto service = make_rank_service(job());
    CHECK(service.spec.cluster_ip == "None");
    CHECK(service.spec.publish_not_ready_addresses == true);
    CHECK(service.spec.selector.at("ai.kcontrol.dev/job") == "bert");
    CHECK(service.spec.ports[0].port == 29500);
}
