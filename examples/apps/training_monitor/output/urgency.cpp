#include "output/urgency.hpp"

#include <kcontrol/base/ascii.hpp>

#include "history/attention.hpp"
#include "history/cause_groups.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

namespace training_monitor {
namespace {

enum class urgency { failed, restarting, waiting, running, suspended, failed_earlier, succeeded };
constexpr std::size_t urgencies = static_cast<std::size_t>(urgency::succeeded) + 1;

urgency urgency_of(const job_view& job, kcontrol::wall_time now) {
    // A pod that can't start, or is refused: nothing happens until somebody acts.
    const bool stuck = job.stuck != trouble::none && job.stuck != trouble::unschedulable;
    if (stuck && !is_final(job.state)) return urgency::restarting;
    switch (job.state) {
    case job_state::failed: return may_need(job, now) ? urgency::failed : urgency::failed_earlier;
    case job_state::restarting: return urgency::restarting;
    case job_state::running: return urgency::running;
    case job_state::suspended: return urgency::suspended;
    case job_state::succeeded: return urgency::succeeded;
    case job_state::unknown:
    case job_state::created:
    case job_state::queued:
    case job_state::pending: break;
    }
    return urgency::waiting;
}

bool has(std::string_view text, std::string_view lower_word) {
    return std::search(text.begin(), text.end(), lower_word.begin(), lower_word.end(),
                       [](char a, char b) { return kcontrol::ascii_lower(a) == b; }) != text.end();
}

bool label_has(const job_view& job, std::string_view word) {
    for (const auto& [name, value] : job.labels.all()) {
        if (has(std::string(name).append("=").append(value), word)) return true;
    }
    return false;
}

// Of a job that does not say when it ended, that may be now.
std::int64_t ended(const job_view& job) {
    return job.completion_time.value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

job_search::job_search(std::string_view text) {
    std::string word;
    for (const char c : text) {
        if (c != ' ') {
            word += kcontrol::ascii_lower(c);
        } else if (!word.empty()) {
            words_.push_back(std::exchange(word, {}));
        }
    }
    if (!word.empty()) words_.push_back(std::move(word));
}

bool job_search::fits(const job_view& job) const {
    return std::all_of(words_.begin(), words_.end(), [&](const std::string& word) {
        return has(job.name, word) || has(job.namespace_, word) || has(job.cluster, word) || has(job.kind, word) ||
               has(to_string(job.state), word) || has(job.reason, word) || has(job.why, word) || label_has(job, word);
    });
}

std::string_view to_string(list_order order) noexcept {
    switch (order) {
    case list_order::urgency: return "urgency";
    case list_order::name: return "name";
    case list_order::started: return "start";
    case list_order::duration: return "duration";
    case list_order::gpus: return "GPUs";
    }
    return "";
}

void sort_by(std::vector<const job_view*>& jobs, list_order order, kcontrol::wall_time now) {
    const auto sort = [&](auto before) { std::stable_sort(jobs.begin(), jobs.end(), before); };
    const auto started = [](const job_view* job) { return job->start_time.value_or(0); };
    const auto lasted = [&](const job_view* job) { return duration_seconds(*job, now).value_or(-1); };
    switch (order) {
    case list_order::urgency: return;  // as they come
    case list_order::name: return sort([](const auto* a, const auto* b) { return a->name < b->name; });
    case list_order::started: return sort([&](const auto* a, const auto* b) { return started(a) > started(b); });
    case list_order::duration: return sort([&](const auto* a, const auto* b) { return lasted(a) > lasted(b); });
    case list_order::gpus: return sort([](const auto* a, const auto* b) { return a->gpus > b->gpus; });
    }
}

std::vector<const job_view*> by_urgency(const job_table& table, const job_search& search, kcontrol::wall_time now) {
    std::array<std::vector<const job_view*>, urgencies> found;
    table.visit([&](const job_view& job) {
        if (search.fits(job)) found[static_cast<std::size_t>(urgency_of(job, now))].push_back(&job);
    });
    std::stable_sort(found[0].begin(), found[0].end(),
                     [](const job_view* a, const job_view* b) { return ended(*a) > ended(*b); });
    std::vector<const job_view*> out;
    out.reserve(table.size());
    for (const auto& each : found) out.insert(out.end(), each.begin(), each.end());
    return out;
}

rows_of_causes fold_causes(std::vector<const job_view*>& jobs, kcontrol::wall_time now) {
    std::vector<failed_job> failures;
    for (const auto* job : jobs) {
        const bool failed = job->state == job_state::failed && may_need(*job, now);
        const std::int64_t at = failed && job->completion_time ? *job->completion_time : job->failure->at.value_or(0);
        // As many as need a look: they failed within a day, so the seconds fit.
        const bool dated = failed && at > 0;
        failures.push_back(
            {dated ? cause_of(*job) : std::string(), kcontrol::wall_time(std::chrono::seconds(dated ? at : 0))});
    }
    rows_of_causes out;
    std::vector<const job_view*> left;
    for (const auto& together : group_by_cause(failures)) {
        left.push_back(jobs[together.front()]);
        if (together.size() > 1) out[left.back()] = together.size() - 1;
    }
    jobs = std::move(left);
    return out;
}

}  // namespace training_monitor
