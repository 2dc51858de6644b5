// The Job controller of a fake_cluster.
#include <kcontrol/testing/fake_cluster.hpp>

#include "testing/fake_core.hpp"
#include "testing/fake_objects.hpp"
#include "testserver/timestamp.hpp"

#include <algorithm>
#include <charconv>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

constexpr std::string_view completion_index = "batch.kubernetes.io/job-completion-index";

std::optional<std::int64_t> index_of_pod(const json::value& pod) {
    const std::string text = text_at(pod, {"metadata", "annotations", completion_index});
    std::int64_t index = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), index);
    if (text.empty() || read.ec != std::errc()) return std::nullopt;
    return index;
}

bool is_indexed(const json::value& job) { return json::get_string(job, {"spec", "completionMode"}) == "Indexed"; }

bool is_suspended(const json::value& job) {
    const json::value* suspend = json::find(job, {"spec", "suspend"});
    return suspend != nullptr && *suspend == true;
}

// "0-2,5": how a Job's status says which indexes are done.
std::string text_of_indexes(const std::set<std::int64_t>& indexes) {
    std::string out;
    for (auto it = indexes.begin(); it != indexes.end();) {
        const std::int64_t first = *it;
        std::int64_t last = first;
        while (++it != indexes.end() && *it == last + 1) last = *it;
        out += (out.empty() ? "" : ",") + std::to_string(first);
        if (last > first) out += (last == first + 1 ? "," : "-") + std::to_string(last);
    }
    return out;
}

// Which controller makes the owner's pods.
std::string_view controller_of_pods(const json::value& owner) {
    return json::get_string(owner, {"kind"}) == "Job" ? "job-controller" : "replicaset-controller";
}

// The job controller's backoff: 10 s, doubled with each failure, up to 10 min.
duration backoff_of_job(std::size_t failures) {
    duration out = std::chrono::seconds(10);
    for (std::size_t i = 1; i < failures && out < std::chrono::minutes(10); ++i) out *= 2;
    return std::min<duration>(out, std::chrono::minutes(10));
}

}  // namespace

fake_core::again fake_core::step_job(const namespaced_name& key) {
    const auto found = api_.get(fake_jobs, key);
    if (!found || is_leaving(*found)) return std::nullopt;
    const json::value& job = *found;
    job_record& record = jobs_[uid_of(job)];
    const auto pods = controlled_by(api_, fake_pods, job);
    if (holds_condition(job, "Complete") || holds_condition(job, "Failed")) {
        const std::int64_t kept = whole_at(job, {"spec", "ttlSecondsAfterFinished"}, -1);
        if (kept < 0) return std::nullopt;
        if (!record.over) record.over = env_.now();
        const duration left = *record.over + std::chrono::seconds(kept) - env_.now();
        if (left > duration::zero()) return left;
        static_cast<void>(api_.remove(fake_jobs, key, delete_request().dependents(propagation::background)));
        return std::nullopt;
    }
    if (is_suspended(job)) {
        suspend_job(job, pods);
        record.started.reset();
        return std::nullopt;
    }
    for (const auto& pod : pods) {
        if (has_phase(pod, "Succeeded")) {
            record.succeeded.insert(uid_of(pod));
            if (const auto index = index_of_pod(pod)) record.done.insert(*index);
        } else if ((has_phase(pod, "Failed") || is_leaving(pod)) && record.failed.insert(uid_of(pod)).second) {
            record.last_failure = env_.now();
        }
    }
    return run_job(job, pods, record);
}

fake_core::again fake_core::run_job(const json::value& job, const std::vector<json::value>& pods, job_record& record) {
    if (!record.started) record.started = env_.now();
    std::int64_t active = 0, ready = 0, restarts = 0;
    std::set<std::int64_t> taken = record.done;
    for (const auto& pod : pods) {
        if (!is_active(pod)) continue;
        ++active;
        ready += is_ready(pod) ? 1 : 0;
        if (const auto index = index_of_pod(pod)) taken.insert(*index);
        const json::array containers = array_at(pod, {"status", "containerStatuses"});
        if (!containers.empty()) restarts += whole_at(containers.front(), {"restartCount"}, 0);
    }
    const auto succeeded = static_cast<std::int64_t>(is_indexed(job) ? record.done.size() : record.succeeded.size());
    json::object status;
    status["active"] = shown_count(active);
    status["ready"] = ready;
    status["succeeded"] = shown_count(succeeded);
    status["failed"] = shown_count(static_cast<std::int64_t>(record.failed.size()));
    status["uncountedTerminatedPods"] = json::object();
    if (json::find(job, {"status", "startTime"}) == nullptr) status["startTime"] = now_text();
    if (is_indexed(job) && !record.done.empty()) status["completedIndexes"] = text_of_indexes(record.done);
    if (json::array conditions = array_at(job, {"status", "conditions"}); holds_condition(job, "Suspended")) {
        put_condition(conditions, "Suspended", false, "JobResumed", "Job resumed", now_text());
        record_event(job, false, "Resumed", "Job resumed", controller_of_pods(job));
        status["conditions"] = std::move(conditions);
    }
    write_status(fake_jobs, job, std::move(status));

    const std::int64_t completions = whole_at(job, {"spec", "completions"}, -1);
    const auto failures = static_cast<std::int64_t>(record.failed.size()) + restarts;
    const std::int64_t seconds = whole_at(job, {"spec", "activeDeadlineSeconds"}, -1);
    const duration left = *record.started + std::chrono::seconds(std::max<std::int64_t>(seconds, 0)) - env_.now();
    const bool done = completions < 0 ? succeeded > 0 && active == 0 : succeeded >= completions;
    if (done) return end_job(job, pods, record, {}), std::nullopt;
    if (failures > whole_at(job, {"spec", "backoffLimit"}, 6)) {
        return end_job(job, pods, record, "BackoffLimitExceeded"), std::nullopt;
    }
    if (seconds >= 0 && left <= duration::zero()) {
        return end_job(job, pods, record, "DeadlineExceeded"), std::nullopt;
    }
    again next = make_pods(job, active, taken, record);
    if (seconds >= 0) next = next ? std::min(*next, left) : left;
    return next;
}

fake_core::again fake_core::make_pods(const json::value& job, std::int64_t active, const std::set<std::int64_t>& taken,
                                      job_record& record) {
    const std::int64_t parallelism = whole_at(job, {"spec", "parallelism"}, 1);
    const std::int64_t completions = whole_at(job, {"spec", "completions"}, -1);
    const auto succeeded = static_cast<std::int64_t>(record.succeeded.size());
    std::int64_t wanted = parallelism;
    if (completions >= 0) wanted = std::min(parallelism, completions - succeeded);
    if (completions < 0 && succeeded > 0) wanted = active;  // a work queue that is empty gets nobody else
    if (active >= wanted) return std::nullopt;
    if (record.last_failure) {
        const duration left = *record.last_failure + backoff_of_job(record.failed.size()) - env_.now();
        if (left > duration::zero()) return left;
    }
    const std::string name = text_at(job, {"metadata", "name"});
    std::int64_t index = 0;
    for (; active < wanted; ++active) {
        json::object annotations;
        std::string prefix = name + "-";
        if (is_indexed(job)) {
            while (taken.contains(index)) ++index;
            if (index >= completions) break;
            prefix += std::to_string(index) + "-";
            annotations[completion_index] = std::to_string(index++);
        }
        create_pod(job, std::move(prefix), std::move(annotations));
    }
    return std::nullopt;
}

// `failure`: why, or empty.
void fake_core::end_job(const json::value& job, const std::vector<json::value>& pods, const job_record& record,
                        std::string_view failure) {
    for (const auto& pod : pods) {
        if (is_active(pod)) delete_owned_pod(job, pod);
    }
    const std::string now = now_text();
    json::array conditions = array_at(job, {"status", "conditions"});
    json::object status;
    std::string why = "Reached expected number of succeeded pods", reason = "CompletionsReached";
    if (!failure.empty()) {
        reason = failure;
        why = failure == "DeadlineExceeded" ? "Job was active longer than specified deadline"
                                            : "Job has reached the specified backoff limit";
        put_condition(conditions, "FailureTarget", true, reason, why, now);
        put_condition(conditions, "Failed", true, reason, why, now);
        status["failed"] = shown_count(static_cast<std::int64_t>(record.failed.size()));
    } else {
        put_condition(conditions, "SuccessCriteriaMet", true, reason, why, now);
        put_condition(conditions, "Complete", true, reason, why, now);
        status["completionTime"] = now;
    }
    status["active"] = nullptr;
    status["ready"] = 0;
    status["conditions"] = std::move(conditions);
    write_status(fake_jobs, job, std::move(status));
    const bool failed = !failure.empty();
    record_event(job, failed, failed ? reason : "Completed", failed ? why : "Job completed", controller_of_pods(job));
}

void fake_core::suspend_job(const json::value& job, const std::vector<json::value>& pods) {
    for (const auto& pod : pods) {
        if (is_active(pod)) delete_owned_pod(job, pod);
    }
    json::array conditions = array_at(job, {"status", "conditions"});
    if (!holds_condition(job, "Suspended")) {
        record_event(job, false, "Suspended", "Job suspended", controller_of_pods(job));
    }
    put_condition(conditions, "Suspended", true, "JobSuspended", "Job suspended", now_text());
    json::object status;
    status["active"] = nullptr;
    status["ready"] = 0;
    status["startTime"] = nullptr;
    status["conditions"] = std::move(conditions);
    write_status(fake_jobs, job, std::move(status));
}

// A pod of the owner's template. Its name begins with `prefix`.
void fake_core::create_pod(const json::value& owner, std::string prefix, json::object annotations) {
    json::object metadata = object_at(owner, {"spec", "template", "metadata"});
    metadata.erase("name");
    metadata["generateName"] = std::move(prefix);
    metadata["namespace"] = text_at(owner, {"metadata", "namespace"});
    metadata["ownerReferences"] = owned_by(owner);
    json::object labels = object_at(owner, {"spec", "template", "metadata", "labels"});
    if (json::get_string(owner, {"kind"}) == "Job") {
        labels["batch.kubernetes.io/controller-uid"] = labels["controller-uid"] = uid_of(owner);
        labels["batch.kubernetes.io/job-name"] = labels["job-name"] = text_at(owner, {"metadata", "name"});
    }
    for (const auto& one : annotations) {
        metadata["annotations"].is_object() ? void() : void(metadata["annotations"].emplace_object());
        metadata["annotations"].get_object()[one.key()] = one.value();
        if (one.key() == completion_index) labels[one.key()] = one.value();
    }
    if (!labels.empty()) metadata["labels"] = std::move(labels);
    json::object pod;
    pod["apiVersion"] = "v1";
    pod["kind"] = "Pod";
    pod["metadata"] = std::move(metadata);
    pod["spec"] = object_at(owner, {"spec", "template", "spec"});
    const auto created = api_.create(json::value(std::move(pod)));
    if (created) {
        record_event(owner, false, "SuccessfulCreate", "Created pod: " + text_at(*created, {"metadata", "name"}),
                     controller_of_pods(owner));
    } else {
        record_event(owner, true, "FailedCreate", "Error creating: " + created.error().message(),
                     controller_of_pods(owner));
    }
}

void fake_core::delete_owned_pod(const json::value& owner, const json::value& pod) {
    delete_pod(pod);
    record_event(owner, false, "SuccessfulDelete", "Deleted pod: " + text_at(pod, {"metadata", "name"}),
                 controller_of_pods(owner));
}

}  // namespace kcontrol::testing::detail
