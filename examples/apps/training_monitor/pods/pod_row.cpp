#include "pods/pod_row.hpp"

#include "jobs/conditions.hpp"
#include "jobs/gpus.hpp"
#include "jobs/ruled_kinds.hpp"

#include <algorithm>
#include <charconv>

namespace training_monitor {
namespace {

// Who writes them: the training operator and the MPI operator; the Job controller (since Kubernetes 1.27); JobSet; and
// examples/apps/training_operator.
constexpr const char* kubeflow_job = "training.kubeflow.org/job-name";
constexpr const char* kubeflow_operator = "training.kubeflow.org/operator-name";
constexpr const char* kubeflow_type = "training.kubeflow.org/replica-type";
constexpr const char* kubeflow_role = "training.kubeflow.org/job-role";
constexpr const char* kubeflow_index = "training.kubeflow.org/replica-index";
constexpr const char* batch_job_name = "batch.kubernetes.io/job-name";
constexpr const char* completion_index = "batch.kubernetes.io/job-completion-index";
constexpr const char* job_set_name = "jobset.sigs.k8s.io/jobset-name";
constexpr const char* training_job_name = "ai.kcontrol.dev/job";
constexpr const char* training_job_rank = "ai.kcontrol.dev/rank";

constexpr std::size_t most_text = 1024;

template <class Dict>
std::string value_of(const Dict& from, const char* key) {
    const auto found = from.find(key);
    return found == from.end() ? std::string() : std::string(std::string_view(found->second));
}

std::string cut(std::string_view text) {
    std::size_t most = std::min(text.size(), most_text);
    while (most < text.size() && most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) --most;
    return std::string(text.substr(0, most));
}

std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t out = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (problem != std::errc() || end != text.data() + text.size() || out < 0) return std::nullopt;
    return out;
}

std::string capitalised(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

// The labels of the pods of a kind that is read by a rule, if the pod has them; null otherwise.
const pod_rule* rule_of(const kcontrol::object_meta& meta) {
    for (const auto& kind : ruled_kinds()) {
        const auto& pods = kind->rule.pods;
        if (pods && !value_of(meta.labels, pods->label.c_str()).empty()) return &*pods;
    }
    return nullptr;
}

std::string type_of(const kcontrol::object_meta& meta) {
    if (!value_of(meta.labels, kubeflow_job).empty()) {
        const std::string type = value_of(meta.labels, kubeflow_type);
        return capitalised(type.empty() ? value_of(meta.labels, kubeflow_role) : type);
    }
    if (!value_of(meta.labels, training_job_name).empty()) return "Rank";
    const auto* rule = rule_of(meta);
    const std::string replica = rule && !rule->type.empty() ? value_of(meta.labels, rule->type.c_str()) : std::string();
    return replica.empty() ? "Pod" : replica;
}

std::optional<std::int64_t> index_of(const kcontrol::object_meta& meta) {
    for (const char* label : {kubeflow_index, training_job_rank, completion_index}) {
        if (const auto found = number(value_of(meta.labels, label))) return found;
    }
    if (const auto* rule = rule_of(meta); rule && !rule->index.empty()) {
        if (const auto found = number(value_of(meta.labels, rule->index.c_str()))) return found;
    }
    return number(value_of(meta.annotations, completion_index));  // a label as well since Kubernetes 1.28
}

// "[rank0]: ValueError: …" as PyTorch writes lines of several processes.
std::string_view without_rank(std::string_view line) {
    if (!line.starts_with("[rank")) return line;
    const auto end = line.find("]:");
    if (end == std::string_view::npos) return line;
    line.remove_prefix(end + 2);
    if (line.starts_with(' ')) line.remove_prefix(1);
    return line;
}

container_end end_of(const container_report& of, const ended_container& ended, bool init, bool earlier) {
    return {of.name,
            ended.exit_code,
            ended.reason,
            cut(most_telling_first(ended.message)),
            parse_rfc3339_seconds(ended.finished_at),
            init,
            earlier};
}

// The first to have ended badly: what failed after it may have failed for it.
void look_for_failure(const std::vector<container_report>& containers, bool init, pod_row& out) {
    const auto consider = [&](const container_report& of, const std::optional<ended_container>& ended, bool earlier) {
        if (!ended || ended->exit_code == 0) return;
        container_end found = end_of(of, *ended, init, earlier);
        const bool better = !out.failed || (out.failed->earlier && !found.earlier) ||
                            (out.failed->earlier == found.earlier && found.finished_at && out.failed->finished_at &&
                             *found.finished_at < *out.failed->finished_at);
        if (better) out.failed = std::move(found);
    };
    for (const auto& one : containers) {
        consider(one, one.state.terminated, false);
        consider(one, one.last_state.terminated, true);
        out.restarts += std::max<std::int64_t>(one.restart_count, 0);
        for (const auto* end : {&one.state.terminated, &one.last_state.terminated}) {
            if (!*end || (*end)->exit_code == 0 || one.restart_count < loop_restarts) continue;
            const auto at = parse_rfc3339_seconds((*end)->finished_at);
            if (out.looped_at && out.looped_at >= at) continue;
            out.looped_at = at.value_or(0);
            out.loops = one.restart_count;
        }
        // A start that is under way is no reason; where there is nothing else it is one.
        const bool usual = out.waiting_reason.empty() || out.waiting_reason == "ContainerCreating" ||
                           out.waiting_reason == "PodInitializing";
        if (one.state.waiting && usual) {
            out.waiting_container = one.name;
            out.waiting_reason = one.state.waiting->reason;
            out.waiting_message = cut(one.state.waiting->message);
        }
    }
}

// Of the pods of one job label, which kind of job that is.
std::string kubeflow_kind(const training_pod& pod) {
    const auto* owner = controller_of(pod.metadata);
    const std::string kind = owner ? std::string(std::string_view(owner->kind)) : std::string();
    if (kind == "PyTorchJob" || kind == "MPIJob") return kind;
    const std::string by = value_of(pod.metadata.labels, kubeflow_operator);
    if (by.starts_with("mpi")) return "MPIJob";  // its launcher may be a Job's pod
    return by.starts_with("pytorch") ? "PyTorchJob" : kind;
}

}  // namespace

bool is_crash_looping(const pod_row& pod, std::int64_t now) {
    if (!pod.looped_at || pod.terminating || pod.deleted_at || pod.phase == "Succeeded" || pod.phase == "Failed") {
        return false;
    }
    return pod.waiting_reason == "CrashLoopBackOff" || now - *pod.looped_at < loop_seconds;
}

std::string most_telling_first(std::string_view message) {
    constexpr std::string_view begin = "Traceback (most recent call last)";
    std::string_view found;
    bool inside = false;
    for (auto rest = message; !rest.empty();) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        line = without_rank(line);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.starts_with(begin)) {
            inside = true;
        } else if (inside && !line.empty() && line.front() != ' ' && line.front() != '\t') {
            inside = false;
            // torchrun's own tells only that a process failed; that one's tells why.
            if (found.empty() || line.find("ChildFailedError") == std::string_view::npos) found = line;
        }
    }
    if (found.empty()) return std::string(message);
    return std::string(found).append("\n").append(message);
}

std::string_view without_preemption(std::string_view message) {
    for (const std::string_view clause : {" no new claims to deallocate, preemption:", " preemption:"}) {
        const auto at = message.find(clause);
        if (at != std::string_view::npos && at > 0) return message.substr(0, at);
    }
    return message;
}

pod_words words_of(const pod_row& pod) {
    if (!pod.waiting_reason.empty()) return {pod.waiting_reason, pod.waiting_message};
    if (pod.failed && !pod.failed->reason.empty()) return {pod.failed->reason, pod.failed->message};
    if (!pod.reason.empty()) return {pod.reason, pod.message};
    if (!pod.disrupted_reason.empty()) return {pod.disrupted_reason, pod.disrupted_message};
    return {pod.unscheduled_reason, pod.unscheduled_message};
}

pod_row row_of(const training_pod& pod) {
    const auto& meta = pod.metadata;
    const auto& status = pod.status;
    pod_row out;
    out.name = meta.name;
    out.uid = meta.uid;
    out.type = type_of(meta);
    out.index = index_of(meta);
    out.node = pod.spec.node_name;
    out.gpus = gpus_of(pod.spec.containers, pod.spec.init_containers);
    out.phase = status.phase.empty() ? "Unknown" : cut(status.phase);
    out.created = parse_rfc3339_seconds(meta.creation_timestamp.str());
    if (const auto* owner = controller_of(meta)) {
        out.owner_kind = owner->kind;
        out.owner_uid = owner->uid;
    }
    out.reason = cut(status.reason);
    out.message = cut(status.message);
    look_for_failure(status.init_container_statuses, true, out);
    look_for_failure(status.container_statuses, false, out);
    const auto* scheduled = find_condition(status.conditions, "PodScheduled");
    if (scheduled && scheduled->status == "False") {
        out.unscheduled_reason = cut(scheduled->reason);
        out.unscheduled_message = cut(without_preemption(scheduled->message));
    }
    const auto* disrupted = find_condition(status.conditions, "DisruptionTarget");
    if (disrupted && disrupted->status == "True") {
        out.disrupted_reason = cut(disrupted->reason);
        out.disrupted_message = cut(disrupted->message);
        out.disrupted_at = parse_rfc3339_seconds(disrupted->last_transition_time);
    }
    out.terminating = meta.deletion_timestamp.present();
    return out;
}

std::vector<job_ref> jobs_of(const training_pod& pod, std::string_view cluster) {
    std::vector<job_ref> out;
    const auto add = [&](std::string kind, std::string name) {
        if (kind.empty() || name.empty()) return;
        out.push_back({std::string(cluster), pod.metadata.namespace_, std::move(kind), std::move(name)});
    };
    const auto& labels = pod.metadata.labels;
    add(kubeflow_kind(pod), value_of(labels, kubeflow_job));
    add("TrainingJob", value_of(labels, training_job_name));
    add("TrainJob", value_of(labels, job_set_name));
    for (const auto& kind : ruled_kinds()) {
        const auto& pods = kind->rule.pods;
        if (pods && pods->label != kubeflow_job) add(kind->rule.name, value_of(labels, pods->label.c_str()));
    }
    add("Job", value_of(labels, batch_job_name));
    return out;
}

std::vector<std::string> pod_selectors(const std::vector<std::string>& kinds) {
    const auto any = [&](std::initializer_list<std::string_view> names) {
        return std::any_of(kinds.begin(), kinds.end(), [&](const std::string& kind) {
            return std::find(names.begin(), names.end(), kind) != names.end();
        });
    };
    std::vector<std::string> out;
    if (any({"PyTorchJob", "MPIJob"})) out.emplace_back(kubeflow_job);
    if (any({"Job", "TrainJob"})) out.emplace_back(batch_job_name);
    if (any({"TrainingJob"})) out.emplace_back(training_job_name);
    for (const auto& kind : ruled_kinds()) {
        const auto& pods = kind->rule.pods;
        if (!pods || !any({kind->rule.name})) continue;
        if (std::find(out.begin(), out.end(), pods->label) == out.end()) out.push_back(pods->label);
    }
    return out;
}

}  // namespace training_monitor
