// A gate's Job, as the operator makes it, and what it and its pods say.
#pragma once

#include <kcontrol/api/batch/v1.hpp>

#include "gang/rank.hpp"
#include "job/training_job.hpp"

#include <map>
#include <string>
#include <vector>

namespace training_operator {

/// A Job, as far as the operator reads it.
struct gate_job {
    struct state {
        list<api::batch::v1::job_condition> conditions;
        static constexpr auto kcontrol_fields() { return fields(field("conditions", &state::conditions)); }
    };
    static constexpr resource_name kcontrol_resource{"batch", "v1", "Job", "jobs"};
    using kcontrol_projection = void;
    object_meta metadata;
    state status;
    static constexpr auto kcontrol_fields() { return fields(field("status", &gate_job::status)); }
};

class gate_run {
public:
    std::string gate;
    std::string job;  ///< its name
    std::string uid;
    bool leaving = false;  ///< it is being deleted
    bool ended = false;
    bool well = false;  ///< and how
    std::string words;  ///< of the failure
    std::map<std::string, double> metrics;
};

/// `pods` are those of the Job; of several the one that ended well counts.
gate_run read_gate(const gate_job& job, const std::vector<rank>& pods);

/// Its name is that of both; the pod gets DATASET_VERSION and, as ranks do, RESUME_FROM with the newest checkpoint.
api::batch::v1::job make_gate_job(const training_job& job, const gate_spec& gate);

}  // namespace training_operator
