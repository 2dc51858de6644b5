// Jobs and notices for tests.
#pragma once

#include "notices/notice.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>

namespace training_monitor::notices::tests {

inline job_view job(std::string name, job_state state = job_state::running) {
    job_view out;
    out.cluster = "prod-1";
    out.namespace_ = "ml";
    out.uid = "uid-of-" + name;
    out.name = std::move(name);
    out.kind = "PyTorchJob";
    out.api_version = "kubeflow.org/v1";
    out.state = state;
    out.reason = "PyTorchJobFailed";
    out.message = "pod bert-worker-0 <exit 137> & gone";
    out.start_time = 1700000000;
    out.completion_time = 1700003661;
    out.gpus = 16;
    out.labels = job_labels::from(std::map<std::string, std::string>{{"team", "nlp"}, {"tier", "gold"}});
    return out;
}

inline notice make_notice(job_view view, standing from, standing to, kcontrol::time_point seen = {}) {
    notice out;
    out.id = "id-1";
    out.job = std::make_shared<const job_view>(std::move(view));
    out.from = from;
    out.to = to;
    out.at = kcontrol::wall_time(std::chrono::seconds(1700003662));
    out.seen = seen;
    return out;
}

inline notice failed_notice(std::string name = "bert") {
    return make_notice(job(std::move(name), job_state::failed), job_state::running, job_state::failed);
}

}  // namespace training_monitor::notices::tests
