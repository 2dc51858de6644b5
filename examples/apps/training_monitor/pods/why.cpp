#include "pods/why.hpp"

#include <kcontrol/base/ascii.hpp>

#include "jobs/ruled_kinds.hpp"
#include "pods/disruption.hpp"
#include "pods/exit_code.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace training_monitor {
namespace {

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// The kubelet's reasons of waiting containers.
constexpr std::array<std::string_view, 6> image_reasons{"ErrImagePull",      "ImagePullBackOff",
                                                        "InvalidImageName",  "ErrImageNeverPull",
                                                        "ImageInspectError", "RegistryUnavailable"};
constexpr std::array<std::string_view, 5> making_reasons{"CreateContainerConfigError", "CreateContainerError",
                                                         "RunContainerError", "PreCreateHookError",
                                                         "PostStartHookError"};
// The kubelet's and the attach controller's, of events about a pod whose containers are being made.
constexpr std::array<std::string_view, 5> mount_reasons{"FailedMount", "FailedAttachVolume", "FailedMapVolume",
                                                        "FailedCreatePodSandBox", "FailedBinding"};

// "Worker 1 (rank 2) on node-3": who it is.
std::string who(const job_view& job, const pod_row& pod, bool where = true) {
    std::string out = pod.type == "Pod" ? "pod " + pod.name : pod.type;
    if (pod.type == "Pod" && pod.index) {
        out = "index " + std::to_string(*pod.index);
    } else if (pod.index) {
        out += " " + std::to_string(*pod.index);
    }
    const auto rank = rank_of(job, pod);
    if (rank && rank != pod.index) out += " (rank " + std::to_string(*rank) + ")";
    if (where && !pod.node.empty()) out += " on " + pod.node;
    return out;
}

void append_message(std::string& to, std::string_view message) {
    while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.remove_suffix(1);
    if (!message.empty()) to.append(": ").append(message);
}

std::int64_t failed_at(const pod_row& pod) {
    constexpr auto never = std::numeric_limits<std::int64_t>::max();
    const std::int64_t ended = pod.failed ? pod.failed->finished_at.value_or(never) : never;
    return std::min(ended, pod.disrupted_at.value_or(never));
}

// Who failed before the others, and is worth more than one that was only told to end, or was started again.
bool is_before(const pod_row& a, const pod_row& b) {
    const auto worth = [](const pod_row& p) {
        if (!p.disrupted_reason.empty()) return 0;  // whatever the code: the cluster ended it
        if (p.failed && p.failed->earlier) return 2;
        return p.failed && p.failed->code == 143 ? 1 : 0;
    };
    if (worth(a) != worth(b)) return worth(a) < worth(b);
    if (failed_at(a) != failed_at(b)) return failed_at(a) < failed_at(b);
    return std::pair(a.index.value_or(0), a.name) < std::pair(b.index.value_or(0), b.name);
}

job_cause describe_failure(const job_view& job, const pod_row& pod, bool gone) {
    job_cause out;
    out.pod = pod.name;
    out.text = who(job, pod);
    out.earlier = gone;
    if (pod.failed) {
        const container_end& end = *pod.failed;
        out.container = end.container;
        out.earlier = gone || end.earlier;
        if (end.init) out.text += ", init container " + end.container;
        out.text += ": exit code " + std::to_string(end.code);
        const std::string meaning = exit_meaning(end.code, end.reason);
        if (!meaning.empty()) out.text += ", " + meaning;
        if (!end.reason.empty() && end.reason != "Error" && end.reason != "Completed") {
            out.text += " (" + end.reason + ")";
        }
        if (!pod.reason.empty()) out.text += ", " + pod.reason;
        if (!pod.disrupted_reason.empty()) out.text += ", " + disruption_text(pod);
        append_message(out.text, end.message.empty() ? pod.message : end.message);
    } else if (!pod.disrupted_reason.empty()) {
        out.text += ": " + disruption_text(pod);
        append_message(out.text, pod.message.empty() ? pod.disrupted_message : pod.message);
    } else {
        out.text += ": " + (pod.reason.empty() ? std::string("failed") : pod.reason);
        append_message(out.text, pod.message);
    }
    return out;
}

job_cause first_failure(const job_view& job, const job_evidence& evidence) {
    const pod_row* first = nullptr;
    for (const auto& pod : evidence.pods) {
        if (is_of(job, pod) && has_failed(pod) && (!first || is_before(pod, *first))) first = &pod;
    }
    if (first) return describe_failure(job, *first, false);
    if (evidence.gone_failure && is_of(job, *evidence.gone_failure)) {
        return describe_failure(job, *evidence.gone_failure, true);
    }
    return {};
}

// The first pod of which that is true, and " (and 2 more)".
template <class F>
const pod_row* first_of(const job_view& job, const job_evidence& evidence, std::string& more, F fits) {
    const pod_row* first = nullptr;
    std::size_t others = 0;
    for (const auto& pod : evidence.pods) {
        if (pod.terminating || !is_of(job, pod) || pod.phase == "Succeeded" || pod.phase == "Failed" || !fits(pod)) {
            continue;
        }
        if (first) ++others;
        if (!first || std::pair(pod.type, pod.index) < std::pair(first->type, first->index)) first = &pod;
    }
    more = others == 0 ? "" : " and " + std::to_string(others) + " more";
    return first;
}

job_cause about(const pod_row& pod, std::string text) {
    return {std::move(text), pod.name, pod.waiting_container, false};
}

job_cause waiting_pod(const job_view& job, const job_evidence& evidence) {
    std::string more;
    if (const auto* pod = first_of(job, evidence, more,
                                   [](const pod_row& p) { return is_one_of(image_reasons, p.waiting_reason); })) {
        std::string text = who(job, *pod) + more + ": the image can't be had, " + pod->waiting_reason;
        append_message(text, pod->waiting_message);
        return about(*pod, std::move(text));
    }
    if (const auto* pod = first_of(job, evidence, more,
                                   [](const pod_row& p) { return is_one_of(making_reasons, p.waiting_reason); })) {
        std::string text = who(job, *pod) + more + ": the container can't be made, " + pod->waiting_reason;
        append_message(text, pod->waiting_message);
        return about(*pod, std::move(text));
    }
    if (const auto* pod =
            first_of(job, evidence, more, [](const pod_row& p) { return p.waiting_reason == "CrashLoopBackOff"; })) {
        job_cause out = describe_failure(job, *pod, false);
        out.text += "; it is started again later" + (more.empty() ? std::string() : " (so are" + more.substr(4) + ")");
        return out;
    }
    if (const auto* pod =
            first_of(job, evidence, more, [](const pod_row& p) { return p.unscheduled_reason == "Unschedulable"; })) {
        std::string text = "no node for " + who(job, *pod) + more;
        append_message(text, pod->unscheduled_message);
        return about(*pod, std::move(text));
    }
    if (const auto* pod =
            first_of(job, evidence, more, [](const pod_row& p) { return !p.unscheduled_reason.empty(); })) {
        std::string text = who(job, *pod) + more + " is not scheduled, " + pod->unscheduled_reason;
        append_message(text, pod->unscheduled_message);
        return about(*pod, std::move(text));
    }
    // On a node that is lost it stays so until the node is back or deleted.
    for (const auto& pod : evidence.pods) {
        const bool disrupted = !pod.disrupted_reason.empty() && has_failed(pod);
        if (pod.terminating && disrupted && is_of(job, pod)) return describe_failure(job, pod, false);
    }
    return {};
}

std::string event_text(const object_event& e) {
    std::string out = e.kind + " " + e.name + ": " + e.reason;
    append_message(out, e.message);
    return out;
}

// The newest warning that fits.
template <class F>
const object_event* newest(const std::vector<object_event>& events, F fits) {
    const object_event* found = nullptr;
    for (const auto& e : events) {
        if (fits(e) && (!found || e.last_seen.value_or(0) >= found->last_seen.value_or(0))) found = &e;
    }
    return found;
}

job_cause from_events(const job_view& job, const job_evidence& evidence) {
    const auto& events = evidence.events;
    const auto of_pod = [](const object_event& e) { return e.kind == "Pod"; };
    if (const auto* e = newest(events, [&](const object_event& one) {
            return of_pod(one) && one.type == "Warning" && is_one_of(mount_reasons, one.reason);
        })) {
        return {event_text(*e), e->name, {}, false};
    }
    if (job.state == job_state::queued) {
        if (const auto* e = newest(events, [](const object_event& one) { return one.kind == "Workload"; })) {
            return {event_text(*e), {}, {}, false};
        }
    }
    if (const auto* e = newest(events, [](const object_event& one) { return one.type == "Warning"; })) {
        return {event_text(*e), of_pod(*e) ? e->name : std::string(), {}, false};
    }
    return {};
}

bool ran_out_of_time(const job_view& job) {
    return job.reason == "DeadlineExceeded" || job.reason.ends_with("DeadlineExceeded");
}

}  // namespace

bool is_of(const job_view& job, const pod_row& pod) {
    return pod.owner_uid.empty() || pod.owner_kind != job.kind || job.uid.empty() || pod.owner_uid == job.uid;
}

std::optional<std::int64_t> rank_of(const job_view& job, const pod_row& pod) {
    if (!pod.index || job.kind == "MPIJob") return std::nullopt;
    if (job.kind != "PyTorchJob" || kcontrol::iequals(pod.type, "Master")) return pod.index;
    const bool with_master = std::any_of(job.replicas.begin(), job.replicas.end(),
                                         [](const replica_counts& r) { return kcontrol::iequals(r.type, "Master"); });
    return *pod.index + (with_master ? 1 : 0);
}

job_cause find_cause(const job_view& job, const job_evidence& evidence) {
    job_cause out;
    switch (job.state) {
    case job_state::failed:
        if (ran_out_of_time(job)) return {};
        out = first_failure(job, evidence);
        if (out.text.empty()) out = waiting_pod(job, evidence);
        break;
    case job_state::restarting:
        out = waiting_pod(job, evidence);
        if (out.text.empty()) out = first_failure(job, evidence);
        break;
    case job_state::unknown:
    case job_state::created:
    case job_state::queued:
    case job_state::pending: out = waiting_pod(job, evidence); break;
    case job_state::running: return waiting_pod(job, evidence);  // some of its pods are not there
    case job_state::suspended:
    case job_state::succeeded: return {};
    }
    return out.text.empty() ? from_events(job, evidence) : out;
}

bool correct_replicas(job_view& job, const std::vector<pod_row>& pods) {
    if (!is_final(job.state) || job.kind == "TrainJob") return false;  // those of a TrainJob count Jobs
    const auto* ruled = find_ruled_kind(job.kind);
    if (ruled && !ruled->rule.replicas_are_pods) return false;
    bool changed = false;
    for (auto& counts : job.replicas) {
        replica_counts seen{counts.type, counts.desired, 0, 0, 0};
        bool any = false;
        for (const auto& pod : pods) {
            if (!kcontrol::iequals(pod.type, counts.type) || !is_of(job, pod)) continue;
            any = true;
            if (pod.phase == "Succeeded") {
                ++seen.succeeded;
            } else if (pod.phase == "Failed") {
                ++seen.failed;
            } else {
                ++seen.active;
            }
        }
        if (!any || seen == counts) continue;
        counts = seen;
        changed = true;
    }
    return changed;
}

}  // namespace training_monitor
