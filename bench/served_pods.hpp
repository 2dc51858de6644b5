// Running pods of PyTorchJobs, as the training operator and the kubelet leave them, for serve_jobs.
#pragma once

#include <kcontrol/testing/local_api_server.hpp>

#include <string>

namespace kcontrol_bench {

inline kcontrol::json::value pod(const std::string& ns, const std::string& job, int number, int index) {
    using kcontrol::json::array;
    using kcontrol::json::object;
    const std::string rank = std::to_string(index);
    const std::string at = "2026-01-02T03:04:05Z";
    const std::string image = "registry.example/team/trainer:v1.2.3";
    object labels;
    labels["training.kubeflow.org/job-name"] = job;
    labels["training.kubeflow.org/operator-name"] = "pytorchjob-controller";
    labels["training.kubeflow.org/replica-type"] = "worker";
    labels["training.kubeflow.org/replica-index"] = rank;
    object metadata;
    metadata["name"] = job + "-worker-" + rank;
    metadata["namespace"] = ns;
    metadata["labels"] = labels;
    object container;
    container["name"] = "pytorch";
    container["image"] = image;
    container["command"] = array{"python", "/opt/train.py", "--epochs=90", "--data=/data/imagenet"};
    container["resources"] = {{"limits", {{"nvidia.com/gpu", "8"}, {"memory", "512Gi"}}}};
    object spec;
    spec["nodeName"] = "node-" + std::to_string(number);
    spec["containers"] = array{container};
    object report;
    report["name"] = "pytorch";
    report["image"] = image;
    report["restartCount"] = 0;
    report["ready"] = true;
    report["state"] = {{"running", {{"startedAt", at}}}};
    object ready;
    ready["type"] = "Ready";
    ready["status"] = "True";
    ready["lastTransitionTime"] = at;
    object status;
    status["phase"] = "Running";
    status["podIP"] = "10.0.0.1";
    status["startTime"] = at;
    status["conditions"] = array{ready};
    status["containerStatuses"] = array{report};
    object out;
    out["apiVersion"] = "v1";
    out["kind"] = "Pod";
    out["metadata"] = metadata;
    out["spec"] = spec;
    out["status"] = status;
    return out;
}

inline void register_pods(kcontrol::testing::local_api_server& server) {
    kcontrol::testing::resource_type type("", "v1", "Pod", "pods");
    type.status_subresource = false;  // so that one write sets all
    type.custom = false;
    server.api().register_resource(type);
}

/// The `count` pods of the PyTorchJob job-`number`, all on one node.
inline void add_pods(kcontrol::testing::local_api_server& server, const std::string& ns, int number, int count) {
    const std::string job = "job-" + std::to_string(number);
    for (int i = 0; i < count; ++i) (void)server.api().create(pod(ns, job, number, i)).value();
}

}  // namespace kcontrol_bench
