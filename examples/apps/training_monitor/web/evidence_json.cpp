#include "web/evidence_json.hpp"

#include <kcontrol/json/members.hpp>

#include "pods/exit_code.hpp"

namespace training_monitor {
namespace {

using kcontrol::json::write_or_null;
using kcontrol::json::write_text_or_null;

void write_pod(kcontrol::json::writer& out, const job_view& job, const pod_row& pod) {
    const pod_words words = words_of(pod);
    out.begin_object();
    out.member("name", pod.name);
    out.member("type", pod.type);
    write_or_null(out, "index", pod.index);
    write_or_null(out, "rank", rank_of(job, pod));
    write_text_or_null(out, "node", pod.node);
    out.member("phase", pod.phase);
    out.member("terminating", pod.terminating);
    out.member("restarts", pod.restarts);
    write_text_or_null(out, "container", pod.failed ? pod.failed->container : pod.waiting_container);
    write_or_null(out, "exitCode", pod.failed ? std::optional(pod.failed->code) : std::nullopt);
    out.member("exitMeaning", pod.failed ? exit_meaning(pod.failed->code, pod.failed->reason) : std::string());
    out.member("restartedSince", pod.failed && pod.failed->earlier);
    out.member("reason", words.reason);
    out.member("message", words.message);
    write_text_or_null(out, "deleted", pod.deleted_at ? to_rfc3339(*pod.deleted_at) : "");
    write_text_or_null(out, "created", pod.created ? to_rfc3339(*pod.created) : "");
    out.end_object();
}

void write_event(kcontrol::json::writer& out, const object_event& event) {
    out.begin_object();
    out.member("kind", event.kind);
    out.member("name", event.name);
    out.member("type", event.type);
    out.member("reason", event.reason);
    out.member("message", event.message);
    out.member("count", event.count);
    write_text_or_null(out, "lastSeen", event.last_seen ? to_rfc3339(*event.last_seen) : "");
    out.end_object();
}

}  // namespace

void write_evidence(kcontrol::json::writer& out, const job_view& job, const job_evidence& known, cluster_rights rights,
                    job_offers offers) {
    const job_cause cause = find_cause(job, known);
    begin_object(out, "cause");
    out.member("text", cause.text);
    write_text_or_null(out, "pod", cause.pod);
    write_text_or_null(out, "container", cause.container);
    out.member("earlier", cause.earlier);
    out.end_object();
    begin_array(out, "pods");
    for (const auto& pod : known.pods) {
        if (is_of(job, pod)) write_pod(out, job, pod);
    }
    // Of a job that goes on, a pod that is there no more was replaced.
    if (is_final(job.state)) {
        for (const auto& pod : known.deleted) {
            if (is_of(job, pod)) write_pod(out, job, pod);
        }
    }
    out.end_array();
    begin_array(out, "events");
    for (const auto& event : known.events) write_event(out, event);
    out.end_array();
    if (!offers.logs()) rights.logs = right_state::unknown;
    if (!offers.yaml()) rights.yaml = right_state::unknown;
    write_values(out, "missingRights", missing_rights(rights));
    out.member("logs", offers.logs() && rights.logs != right_state::missing);
    out.member("yaml", offers.yaml() && rights.yaml != right_state::missing);
}

}  // namespace training_monitor
