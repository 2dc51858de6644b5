#include "web/view_json.hpp"

#include <kcontrol/json/members.hpp>

#include "jobs/job_json.hpp"

namespace training_monitor {

using kcontrol::json::write_text_or_null;

namespace {

void write_replicas(kcontrol::json::writer& out, const std::vector<replica_counts>& replicas) {
    out.begin_object();
    for (const auto& counts : replicas) {
        out.key(counts.type);
        out.begin_object();
        out.member("desired", counts.desired);
        out.member("active", counts.active);
        out.member("succeeded", counts.succeeded);
        out.member("failed", counts.failed);
        out.end_object();
    }
    out.end_object();
}

}  // namespace

void write(kcontrol::json::writer& out, const job_view& job, kcontrol::wall_time now,
           std::optional<job_state> previous) {
    out.begin_object();
    write_identity(out, job);
    out.member("state", to_string(job.state));
    if (previous) out.member("previousState", to_string(*previous));
    out.member("reason", job.reason);
    out.member("message", job.message);
    write_times(out, job, now);
    out.member("gpus", job.gpus);
    out.key("replicas");
    write_replicas(out, job.replicas);
    out.member("terminating", job.terminating);
    out.end_object();
}

void write(kcontrol::json::writer& out, const cluster_view& cluster) {
    out.begin_object();
    out.member("name", cluster.name);
    out.member("state", cluster.state);
    out.member("reason", cluster.reason);
    out.member("server", cluster.server);
    out.member("generation", cluster.generation);
    write_text_or_null(out, "lastSync", cluster.last_sync);
    out.key("kinds");
    out.begin_array();
    for (const auto& kind : cluster.kinds) {
        out.begin_object();
        out.member("kind", kind.kind);
        out.member("apiVersion", kind.api_version);
        out.member("state", kind.state);
        out.member("reason", kind.reason);
        out.member("objects", kind.objects);
        out.member("lists", kind.lists);
        out.member("watches", kind.watches);
        write_text_or_null(out, "lastEvent", kind.last_event);
        out.member("invalid", kind.invalid);
        out.member("serverChanges", kind.server_changes);
        out.member("rollbacks", kind.rollbacks);
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

}  // namespace training_monitor
