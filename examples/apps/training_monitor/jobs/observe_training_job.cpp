// TrainingJob: its state is its phase, and why that is stands in the condition that goes with it.
#include "jobs/conditions.hpp"
#include "jobs/gpus.hpp"
#include "jobs/observe.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace training_monitor {
namespace {

// docs/training_operator/phases.md. A trained model that is validated or promoted runs on, without ranks.
constexpr std::array<std::pair<std::string_view, job_state>, 12> states{{
    {"Pending", job_state::created},
    {"DataCheck", job_state::created},
    {"Queued", job_state::queued},
    {"Starting", job_state::pending},
    {"Running", job_state::running},
    {"Restarting", job_state::restarting},
    {"Validating", job_state::running},
    {"Promoting", job_state::running},
    {"Suspended", job_state::suspended},
    {"Succeeded", job_state::succeeded},
    {"ValidationFailed", job_state::failed},
    {"Failed", job_state::failed},
}};

constexpr std::int64_t usual_backoff_limit = 2;  // the operator's default

job_state state_of(const training_job_status& status) {
    const auto found =
        std::find_if(states.begin(), states.end(), [&](const auto& s) { return s.first == status.phase; });
    if (found != states.end()) return found->second;
    return status.phase.empty() ? job_state::created : job_state::unknown;
}

// What has ended says so in a condition of its own; of all else Running tells, whether it holds or not.
const job_condition* deciding(const training_job_status& status, job_state state) {
    if (state == job_state::failed) return holds(status.conditions, "Failed");
    if (state == job_state::succeeded) return holds(status.conditions, "Complete");
    return find_condition(status.conditions, "Running");
}

// The first number of "3/4".
std::int64_t ranks_there(const training_job_status& status) {
    std::int64_t out = 0;
    const auto [end, problem] = std::from_chars(status.ready.data(), status.ready.data() + status.ready.size(), out);
    static_cast<void>(end);
    return problem == std::errc() ? std::max<std::int64_t>(out, 0) : 0;
}

std::int64_t gpus_each(const training_job_spec& spec) {
    const bool named = spec.accelerator && spec.accelerator->per_worker > 0;
    return named && spec.accelerator->resource == "nvidia.com/gpu" ? spec.accelerator->per_worker
                                                                   : gpus_of(spec.template_);
}

}  // namespace

training_details details_of(const training_job& job) {
    const auto& status = job.status;
    training_details out;
    out.phase = status.phase;
    out.phase_time = status.phase_time;
    out.attempt = status.attempt;
    out.attempts = job.spec.backoff_limit.value_or(usual_backoff_limit) + 1;
    out.dataset_version = status.dataset_version;
    for (const auto& c : status.checkpoints) out.checkpoints.push_back({c.step, c.uri, c.time, c.attempt, c.refused});
    for (const auto& wanted : job.spec.gates) {
        training_details::gate gate;
        gate.name = wanted.name;
        gate.wanted = wanted.metric + " " + wanted.op + " " + wanted.threshold;
        const auto begun = std::find_if(status.gates.begin(), status.gates.end(),
                                        [&](const auto& each) { return each.name == wanted.name; });
        if (begun != status.gates.end()) {
            gate.result = begun->result;
            gate.value = begun->value;
            gate.message = begun->message;
        }
        out.gates.push_back(std::move(gate));
    }
    if (job.spec.promote) {
        // Not emplace(): clang 14 takes a nested type with initialisers for one without a default constructor.
        out.promotion = training_details::promotion_progress{};
        out.promotion->steps = static_cast<std::int64_t>(job.spec.promote->steps.size());
        if (const auto& now = status.promotion) {
            out.promotion->step = now->step;
            out.promotion->weight = now->weight;
            out.promotion->rolled_back = now->rolled_back;
            out.promotion->time = now->time;
        }
    }
    return out;
}

observed_job observe(const training_job& job, std::string_view cluster) {
    observed_job out = observe_metadata(job, cluster);
    job_view& view = out.view;
    const auto& status = job.status;
    view.state = state_of(status);
    if (const auto* why = deciding(status, view.state)) {
        view.reason = why->reason;
        view.message = why->message;
    }
    view.start_time = parse_rfc3339_seconds(status.start_time);
    if (is_final(view.state)) view.completion_time = parse_rfc3339_seconds(status.phase_time);
    const std::int64_t ranks = status.workers > 0 ? status.workers : job.spec.workers.value_or(1);
    view.gpus = gpus_of_pods(ranks, gpus_each(job.spec));
    const bool trained = !status.trained_time.empty();
    const bool there = view.state == job_state::pending || view.state == job_state::running;
    view.replicas.push_back({"Rank", ranks, there && !trained ? ranks_there(status) : 0, trained ? ranks : 0, 0});
    return out;
}

}  // namespace training_monitor
