#include "gates/gate_run.hpp"

#include <kcontrol/model/condition.hpp>

#include "executors/rank_template.hpp"
#include "job/names.hpp"

namespace training_operator {

gate_run read_gate(const gate_job& job, const std::vector<rank>& pods) {
    gate_run out;
    if (const text* gate = job.metadata.labels.get(gate_label)) out.gate = *gate;
    out.job = job.metadata.name;
    out.uid = job.metadata.uid;
    out.leaving = job.metadata.deletion_timestamp.present();
    out.well = is_true(job.status.conditions, "Complete");
    out.ended = out.well || is_true(job.status.conditions, "Failed");
    if (const auto* failed = find_condition(job.status.conditions, "Failed")) out.words = failed->message;
    for (const rank& pod : pods) {
        if (pod.state == pod_state::ended_well) out.metrics = pod.told.metrics;
        if (pod.state == pod_state::failed && !pod.words.empty()) out.words = pod.words;
    }
    return out;
}

api::batch::v1::job make_gate_job(const training_job& job, const gate_spec& gate) {
    api::batch::v1::job out;
    out.metadata.name = job.metadata.name + ("-" + gate.name.str());
    out.metadata.namespace_ = job.metadata.namespace_;
    out.metadata.labels[job_label] = job.metadata.name;
    out.metadata.labels[gate_label] = gate.name;
    out.spec.backoff_limit = 2;
    out.spec.template_ = gate.template_;
    auto& pod = out.spec.template_;
    pod.metadata.labels[job_label] = job.metadata.name;
    pod.metadata.labels[gate_label] = gate.name;
    if (pod.spec.restart_policy.empty()) pod.spec.restart_policy = "Never";
    for (auto& each : pod.spec.containers) give_data(job, each.env);
    return out;
}

}  // namespace training_operator
