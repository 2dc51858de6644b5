// Pods as an API server would send them, for tests.
#pragma once

#include <kcontrol/codec/codec.hpp>

#include "pods/why.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace training_monitor::tests {

inline training_pod pod_from(const std::string& text) {
    const auto pod = kcontrol::from_json<training_pod>(text);
    REQUIRE_MESSAGE(pod.has_value(), text, (pod ? std::string() : pod.error().what()));
    return *pod;
}

/// A Worker of the PyTorchJob bert; `status` is the members of its status, `spec` of its spec.
inline training_pod worker(int index, std::string_view status, std::string_view spec = R"("nodeName":"node-3")",
                           std::string_view uid = "u1") {
    const std::string number = std::to_string(index);
    std::string text = R"({"metadata":{"name":"bert-worker-)" + number + R"(","namespace":"ml","uid":"p)" + number +
                       R"(","creationTimestamp":"2026-11-21T06:00:00Z","labels":{)" +
                       R"("training.kubeflow.org/job-name":"bert","training.kubeflow.org/replica-type":"worker",)" +
                       R"("training.kubeflow.org/replica-index":")" + number + R"("},"ownerReferences":[{)" +
                       R"("apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","name":"bert","controller":true,"uid":")";
    text.append(uid).append(R"("}]},"spec":{)").append(spec).append(R"(},"status":{)").append(status).append("}}");
    return pod_from(text);
}

/// The members of a status: a container that ended with that code.
inline std::string ended(int code, std::string_view reason = "Error", std::string_view message = "",
                         std::string_view at = "2026-11-21T07:00:00Z") {
    std::string out = R"("phase":")" + std::string(code == 0 ? "Succeeded" : "Failed") +
                      R"(","containerStatuses":[{"name":"pytorch","state":{"terminated":{"exitCode":)" +
                      std::to_string(code) + R"(,"reason":")";
    out.append(reason).append(R"(","message":")").append(message).append(R"(","finishedAt":")").append(at);
    return out.append(R"("}}}])");
}

/// A member of a status: the cluster ends the pod.
inline std::string disrupted(std::string_view reason, std::string_view message = "",
                             std::string_view at = "2026-11-21T07:00:00Z") {
    std::string out = R"("conditions":[{"type":"DisruptionTarget","status":"True","reason":")";
    out.append(reason).append(R"(","message":")").append(message).append(R"(","lastTransitionTime":")").append(at);
    return out.append(R"("}])");
}

/// The members of a status: a container that waits.
inline std::string waits(std::string_view reason, std::string_view message = "") {
    std::string out = R"("phase":"Pending","containerStatuses":[{"name":"pytorch","state":{"waiting":{"reason":")";
    out.append(reason).append(R"(","message":")").append(message);
    return out.append(R"("}}}])");
}

/// The members of a status: no node takes the pod.
inline std::string unscheduled(std::string_view message, std::string_view reason = "Unschedulable") {
    std::string out = R"("phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":")";
    out.append(reason).append(R"(","message":")").append(message);
    return out.append(R"("}])");
}

/// The PyTorchJob bert, one Master and two Workers.
inline job_view bert(job_state state) {
    job_view out;
    out.cluster = "a";
    out.namespace_ = "ml";
    out.name = "bert";
    out.kind = "PyTorchJob";
    out.uid = "u1";
    out.state = state;
    out.replicas = {{"Master", 1, 0, 0, 0}, {"Worker", 2, 2, 0, 0}};
    return out;
}

}  // namespace training_monitor::tests
