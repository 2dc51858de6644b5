#include "table/watched.hpp"

#include <kcontrol/codec/resource_of.hpp>

#include "jobs/observe.hpp"
#include "jobs/observe_by_rule.hpp"

#include <algorithm>
#include <type_traits>

namespace training_monitor {
namespace {

using kcontrol::kind_choice;
using kcontrol::resource_of;

template <class Job>
job_details details_of(const void* object, const void*) {
    const auto& job = *static_cast<const Job*>(object);
    job_details out;
    for (const auto& c : job.status.conditions) {
        out.conditions.push_back({c.type, c.status, c.reason, c.message, c.last_transition_time});
    }
    if constexpr (std::is_same_v<Job, training_job>) out.training = details_of(job);
    return out;
}

job_details details_by_rule(const void* object, const void* kind) {
    return details_of(*static_cast<const ruled_kind*>(kind), *static_cast<const kcontrol::dynamic_object*>(object));
}

// Of a kind that is read by a rule.
observed_job observe_ruled(const kcontrol::resource_info& info, const kcontrol::any_object& object,
                           std::string_view cluster) {
    observed_job out;
    for (const auto& kind : ruled_kinds()) {
        for (const auto& version : kind->versions) {
            if (&version.info != &info) continue;
            auto job = object.as<kcontrol::dynamic_object>();
            out = observe(*kind, version, *job, cluster);
            out.source = job_source(std::move(job), details_by_rule, kind.get());
            return out;
        }
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
    for (const auto& kind : ruled_kinds()) {
        if (!wanted(kind->rule.name)) continue;
        const auto& versions = kind->versions;
        if (versions.size() > 1) {
            out.emplace_back(versions[0].info, versions[1].info);
        } else {
            out.emplace_back(versions[0].info);
        }
    }
    return out;
}

observed_job observe(const kcontrol::resource_info& info, const kcontrol::any_object& object,
                     std::string_view cluster) {
    if (object.is<kcontrol::dynamic_object>()) return observe_ruled(info, object, cluster);
    return observe_as<pytorch_job, mpi_job_v2beta1, mpi_job_v1, train_job, training_job, batch_job>(info, object,
                                                                                                    cluster);
}

}  // namespace training_monitor
