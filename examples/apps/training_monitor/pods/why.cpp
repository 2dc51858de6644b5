#include "pods/why.hpp"

#include <kcontrol/base/ascii.hpp>

#include "jobs/ruled_kinds.hpp"
#include "pods/disruption.hpp"
#include "pods/exit_code.hpp"
#include "pods/node_fault.hpp"

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

// Of a traceback the exception alone: the pod's own row has the rest.
void append_message(std::string& to, std::string_view message) {
    const auto line = message.find('\n');
    if (line != std::string_view::npos && message.find("Traceback (most", line) != std::string_view::npos) {
        message = message.substr(0, line);
    }
    while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.remove_suffix(1);
    if (!message.empty()) to.append(": ").append(message);
}

// The one line that tells most: of a traceback, which begins with it, the exception; else the last.
std::string telling_line(std::string_view message) {
    const auto end = message.find('\n');
    if (end != std::string_view::npos && message.find("Traceback (most", end) != std::string_view::npos) {
        return std::string(message.substr(0, end));
    }
    while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.remove_suffix(1);
    const auto last = message.rfind('\n');
    return std::string(last == std::string_view::npos ? message : message.substr(last + 1));
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

job_failure failure_of(const pod_row& pod) {
    constexpr auto never = std::numeric_limits<std::int64_t>::max();
    job_failure out;
    out.node = pod.node;
    if (const auto at = failed_at(pod); at != never) out.at = at;
    if (pod.failed) {
        out.exit_code = pod.failed->code;
        out.error = telling_line(pod.failed->message.empty() ? pod.message : pod.failed->message);
        if (out.error.empty() && pod.failed->reason != "Error") out.error = pod.failed->reason;
    }
    if (!pod.disrupted_reason.empty()) out.error = pod.disrupted_reason;
    if (out.error.empty() && !pod.failed) out.error = pod.reason;
    return out;
}

job_cause describe_failure(const job_view& job, const job_evidence& evidence, const pod_row& pod, bool gone) {
    job_cause out;
    out.failure = failure_of(pod);
    const std::string fault = fault_clause(*out.failure, evidence.events);
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
        out.text += fault;
        append_message(out.text, end.message.empty() ? pod.message : end.message);
    } else if (!pod.disrupted_reason.empty()) {
        out.text += ": " + disruption_text(pod) + fault;
        append_message(out.text, pod.message.empty() ? pod.disrupted_message : pod.message);
    } else {
        out.text += ": " + (pod.reason.empty() ? std::string("failed") : pod.reason) + fault;
        append_message(out.text, pod.message);
    }
    return out;
}

job_cause first_failure(const job_view& job, const job_evidence& evidence) {
    const pod_row* first = nullptr;
    for (const auto& pod : evidence.pods) {
        if (is_of(job, pod) && has_failed(pod) && (!first || is_before(pod, *first))) first = &pod;
    }
    if (first) return describe_failure(job, evidence, *first, false);
    if (evidence.gone_failure && is_of(job, *evidence.gone_failure)) {
        return describe_failure(job, evidence, *evidence.gone_failure, true);
    }
    return {};
}

// The pods of which that is true, by type and index.
template <class F>
std::vector<const pod_row*> all_of(const job_view& job, const job_evidence& evidence, F fits) {
    std::vector<const pod_row*> out;
    for (const auto& pod : evidence.pods) {
        if (pod.terminating || !is_of(job, pod) || pod.phase == "Succeeded" || pod.phase == "Failed") continue;
        if (fits(pod)) out.push_back(&pod);
    }
    std::stable_sort(out.begin(), out.end(), [](const pod_row* a, const pod_row* b) {
        return std::pair(a->type, a->index) < std::pair(b->type, b->index);
    });
    return out;
}

// "Worker 1 (rank 2) on node-3 and 2 more"
std::string first_of(const job_view& job, const std::vector<const pod_row*>& pods) {
    const std::string more = pods.size() == 1 ? "" : " and " + std::to_string(pods.size() - 1) + " more";
    return who(job, *pods.front()) + more;
}

// "Worker 1 (rank 2)", "ranks 0 and 1", "8 pods"
std::string together(const job_view& job, const std::vector<const pod_row*>& pods) {
    constexpr std::size_t most_ranks = 3;
    if (pods.size() == 1) return who(job, *pods.front());
    std::string ranks;
    for (std::size_t i = 0; i < pods.size() && pods.size() <= most_ranks; ++i) {
        const auto rank = rank_of(job, *pods[i]);
        if (!rank) break;
        ranks += (i == 0 ? "" : i + 1 == pods.size() ? " and " : ", ") + std::to_string(*rank);
        if (i + 1 == pods.size()) return "ranks " + ranks;
    }
    return std::to_string(pods.size()) + " pods";
}

job_cause about(const pod_row& pod, std::string text, std::string_view message, trouble what) {
    append_message(text, message);
    return {std::move(text), pod.name, pod.waiting_container, false, what, {}};
}

// The kubelet's back-off: 10 s, twice as long each time, five minutes at most.
std::string next_try_text(std::int64_t restarts) {
    const std::int64_t seconds = restarts > 5 ? 300 : std::int64_t{10} << std::max<std::int64_t>(restarts - 1, 0);
    return seconds >= 300 ? "< 5 min" : seconds >= 120 ? "< 3 min" : "< " + std::to_string(seconds) + " s";
}

job_cause crash_loop(const job_view& job, const job_evidence& evidence, const std::vector<const pod_row*>& pods) {
    const pod_row& pod = *pods.front();
    const std::int64_t restarts = pod.looped_at ? pod.loops : pod.restarts;
    job_cause out = describe_failure(job, evidence, pod, false);
    out.text += "; crash looping: " + std::to_string(restarts) + (restarts == 1 ? " restart" : " restarts");
    if (pod.waiting_reason == "CrashLoopBackOff") out.text += ", next try in " + next_try_text(restarts);
    if (pods.size() > 1) out.text += " (and " + std::to_string(pods.size() - 1) + " more)";
    if (pod.looped_at) out.what = trouble::crash_loop;
    return out;
}

job_cause waiting_pod(const job_view& job, const job_evidence& evidence) {
    const auto pods = [&](auto fits) { return all_of(job, evidence, fits); };
    if (const auto all = pods([](const pod_row& p) { return is_one_of(image_reasons, p.waiting_reason); });
        !all.empty()) {
        const pod_row& pod = *all.front();
        return about(pod, first_of(job, all) + ": can't pull the image (" + pod.waiting_reason + ")",
                     pod.waiting_message, trouble::image);
    }
    if (const auto all = pods([](const pod_row& p) { return is_one_of(making_reasons, p.waiting_reason); });
        !all.empty()) {
        const pod_row& pod = *all.front();
        return about(pod, first_of(job, all) + ": can't start the container (" + pod.waiting_reason + ")",
                     pod.waiting_message, trouble::configuration);
    }
    if (const auto all = pods([&](const pod_row& p) {
            return p.waiting_reason == "CrashLoopBackOff" || is_crash_looping(p, evidence.at);
        });
        !all.empty()) {
        return crash_loop(job, evidence, all);
    }
    if (const auto all = pods([](const pod_row& p) { return p.unscheduled_reason == "Unschedulable"; }); !all.empty()) {
        return about(*all.front(), together(job, all) + " unschedulable", all.front()->unscheduled_message,
                     trouble::unschedulable);
    }
    if (const auto all = pods([](const pod_row& p) { return !p.unscheduled_reason.empty(); }); !all.empty()) {
        const std::string verb = all.size() == 1 ? " isn't scheduled (" : " aren't scheduled (";
        return about(*all.front(), together(job, all) + verb + all.front()->unscheduled_reason + ")",
                     all.front()->unscheduled_message, trouble::none);
    }
    // On a node that is lost it stays so until the node is back or deleted.
    for (const auto& pod : evidence.pods) {
        const bool disrupted = !pod.disrupted_reason.empty() && has_failed(pod);
        if (pod.terminating && disrupted && is_of(job, pod)) return describe_failure(job, evidence, pod, false);
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

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// What a warning about a job or its pods means. The words are the API server's plugins':
// ResourceQuota, LimitRanger and the webhooks of k8s.io/apiserver.
trouble trouble_of(const object_event& e) {
    if (is_one_of(mount_reasons, e.reason)) {
        return e.reason == "FailedCreatePodSandBox" ? trouble::configuration : trouble::volume;
    }
    if (has(e.message, "exceeded quota") || has(e.message, "failed quota")) return trouble::quota;
    if (has(e.message, " usage per ") || has(e.message, "limit to request ratio per")) return trouble::limit_range;
    if (has(e.message, "admission webhook") || has(e.message, "failed calling webhook")) return trouble::webhook;
    return trouble::none;
}

// Of a job that runs: what keeps a pod from being made. What was said of others is over.
job_cause from_events_of_silent(const job_view& job, const job_evidence& evidence) {
    for (const auto& pod : evidence.pods) {
        if (!is_of(job, pod) || !is_silent(pod)) continue;
        if (const auto* e = newest(evidence.events, [&](const object_event& one) {
                return one.kind == "Pod" && one.name == pod.name && is_one_of(mount_reasons, one.reason);
            })) {
            return {event_text(*e), e->name, {}, false, trouble_of(*e), {}};
        }
    }
    return {};
}

job_cause from_events(const job_view& job, const job_evidence& evidence) {
    const auto& events = evidence.events;
    const auto of_pod = [](const object_event& e) { return e.kind == "Pod"; };
    if (const auto* e = newest(events, [&](const object_event& one) {
            return of_pod(one) && one.type == "Warning" && is_one_of(mount_reasons, one.reason);
        })) {
        return {event_text(*e), e->name, {}, false, trouble_of(*e), {}};
    }
    if (job.state == job_state::queued) {
        if (const auto* e = newest(events, [](const object_event& one) { return one.kind == "Workload"; })) {
            return {event_text(*e), {}, {}, false, trouble::none, {}};
        }
    }
    if (const auto* e = newest(events, [](const object_event& one) { return one.type == "Warning"; })) {
        return {event_text(*e), of_pod(*e) ? e->name : std::string(), {}, false, trouble_of(*e), {}};
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
    case job_state::running:  // some of its pods are not there
        out = waiting_pod(job, evidence);
        return out.text.empty() ? from_events_of_silent(job, evidence) : out;
    case job_state::suspended:
    case job_state::succeeded: return {};
    }
    return out.text.empty() ? from_events(job, evidence) : out;
}

bool is_silent(const pod_row& pod) {
    const bool usual = pod.waiting_reason.empty() || pod.waiting_reason == "ContainerCreating" ||
                       pod.waiting_reason == "PodInitializing";
    return pod.phase == "Pending" && pod.unscheduled_reason.empty() && usual;
}

void explain(job_view& job, const job_evidence& evidence) {
    correct_replicas(job, evidence);
    job_cause cause = find_cause(job, evidence);
    job.why = std::move(cause.text);
    job.stuck = cause.what;
    job.failure = std::move(cause.failure);
    switch (job.state) {
    case job_state::failed:
        job.stuck = trouble::none;
        for (const auto& pod : evidence.pods) {
            const bool holds =
                is_of(job, pod) && !pod.node.empty() && pod.phase != "Succeeded" && pod.phase != "Failed";
            if (holds) job.stuck_count += pod.gpus;
        }
        if (job.stuck_count > 0) job.stuck = trouble::holds_gpus;
        return;
    case job_state::unknown:
        if (job.stuck == trouble::quota || job.stuck == trouble::limit_range) {
            job.state = job_state::pending;
            job.reason = to_string(job.stuck);
            job.message.clear();
        }
        [[fallthrough]];
    default: break;
    }
    if (job.stuck != trouble::crash_loop) return;
    for (const auto& pod : evidence.pods) {
        if (!is_of(job, pod) || !is_crash_looping(pod, evidence.at)) continue;
        job.stuck_count = std::max(job.stuck_count, pod.loops);
        for (auto& counts : job.replicas) {
            if (kcontrol::iequals(pod.type, counts.type) && counts.active > 0) --counts.active;
        }
    }
    job.state = job_state::restarting;
    job.reason = "CrashLoopBackOff";
    job.message.clear();
}

bool correct_replicas(job_view& job, const job_evidence& evidence) {
    if (!is_final(job.state) || job.kind == "TrainJob") return false;  // those of a TrainJob count Jobs
    const auto* ruled = find_ruled_kind(job.kind);
    if (ruled && !ruled->rule.replicas_are_pods) return false;
    bool changed = false;
    for (auto& counts : job.replicas) {
        replica_counts seen{counts.type, counts.desired, 0, 0, 0};
        bool any = false;
        for (const auto* pods : {&evidence.pods, &evidence.deleted}) {
            for (const auto& pod : *pods) {
                if (!kcontrol::iequals(pod.type, counts.type) || !is_of(job, pod)) continue;
                any = true;
                if (pod.phase == "Succeeded") {
                    ++seen.succeeded;
                } else if (pod.phase == "Failed") {
                    ++seen.failed;
                } else if (!pod.deleted_at) {
                    ++seen.active;
                }
            }
        }
        if (!any || seen == counts) continue;
        counts = seen;
        changed = true;
    }
    return changed;
}

}  // namespace training_monitor
