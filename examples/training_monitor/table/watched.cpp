#include "table/watched.hpp"

#include <kcontrol/codec/resource_of.hpp>

#include "jobs/observe.hpp"

#include <algorithm>

namespace training_monitor {
namespace {

using kcontrol::kind_choice;
using kcontrol::resource_of;

template <class Job>
job_details details_of(const void* object) {
    const auto& job = *static_cast<const Job*>(object);
    job_details out;
    for (const auto& c : job.status.conditions) {
        out.conditions.push_back({c.type, c.status, c.reason, c.message, c.last_transition_time});
    }
    return out;
}

template <class Job>
bool observe_one(const kcontrol::resource_info& info, const kcontrol::any_object& object, std::string_view cluster,
                 observed_job& out) {
    if (&info != &resource_of<Job>()) return false;
    auto job = object.as<Job>();
    out = observe(*job, cluster);
    out.source = job_source(std::move(job), details_of<Job>);
    return true;
}

// Reads the object as what it is.
template <class... Jobs>
observed_job observe_as(const kcontrol::resource_info& info, const kcontrol::any_object& object,
                        std::string_view cluster) {
    observed_job out;
    const bool found = (observe_one<Jobs>(info, object, cluster, out) || ...);
    static_cast<void>(found);
    return out;
}

}  // namespace

std::vector<kind_choice> choose_kinds(const std::vector<std::string>& names) {
    const auto wanted = [&](std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::vector<kind_choice> out;
    if (wanted("PyTorchJob")) out.emplace_back(resource_of<pytorch_job>());
    if (wanted("MPIJob")) out.emplace_back(resource_of<mpi_job_v2beta1>(), resource_of<mpi_job_v1>());
    if (wanted("TrainJob")) out.emplace_back(resource_of<train_job>());
    if (wanted("TrainingJob")) out.emplace_back(resource_of<training_job>());
    if (wanted("Job")) out.emplace_back(resource_of<batch_job>());
    return out;
}

observed_job observe(const kcontrol::resource_info& info, const kcontrol::any_object& object,
                     std::string_view cluster) {
    return observe_as<pytorch_job, mpi_job_v2beta1, mpi_job_v1, train_job, training_job, batch_job>(info, object,
                                                                                                    cluster);
}

}  // namespace training_monitor
