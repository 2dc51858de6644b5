// The executor "pytorchjob": a PyTorchJob of Kubeflow's training operator, which makes pods, services and torchrun's
// environment. Its master is rank 0.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/values/raw_json.hpp>

#include "executors/holding_executor.hpp"
#include "executors/rank_template.hpp"

namespace training_operator {

struct pytorch_job {
    struct state {
        list<status_condition> conditions;
        static constexpr auto kcontrol_fields() { return fields(field("conditions", &state::conditions)); }
    };
    static constexpr resource_name kcontrol_resource{"kubeflow.org", "v1", "PyTorchJob", "pytorchjobs"};
    object_meta metadata;
    raw_json spec;
    state status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &pytorch_job::spec), field("status", &pytorch_job::status));
    }
};

namespace {

class pytorchjob_executor final : public holding_executor<pytorch_job> {
protected:
    pytorch_job make(const training_job& job, bool suspended) const override {
        auto pods = make_template(job);
        // Kubeflow knows the container that counts by this name.
        if (!pods.spec.containers.empty()) pods.spec.containers.front().name = "pytorch";
        const auto of_pods = json::parse(to_json(pods)).value();
        const auto replicas = [&](std::int32_t count) {
            return json::object{{"replicas", count}, {"restartPolicy", "Never"}, {"template", of_pods}};
        };
        json::object all{{"Master", replicas(1)}};
        if (job.status.workers > 1) all["Worker"] = replicas(job.status.workers - 1);
        // Whether there is another attempt, and when a rank is ended, is the operator's to say. Kubeflow would end the
        // workers as soon as the master has ended, and with a backoffLimit delete the pods that failed.
        json::object policy{{"cleanPodPolicy", "None"}};
        if (suspended) policy["suspend"] = true;
        pytorch_job out;
        out.spec = raw_json::parse(json::serialize({{"nprocPerNode", std::to_string(processes_of(job))},
                                                    {"runPolicy", policy},
                                                    {"pytorchReplicaSpecs", all}}))
                       .value();
        return out;
    }
    bool is_suspended(const pytorch_job& object) const override {
        const auto spec = json::parse(object.spec.text());
        const auto* found = spec ? json::find(*spec, {"runPolicy", "suspend"}) : nullptr;
        return found != nullptr && found->is_bool() && found->get_bool();
    }
};

}  // namespace

std::unique_ptr<job_executor> make_pytorchjob_executor() { return std::make_unique<pytorchjob_executor>(); }

}  // namespace training_operator
