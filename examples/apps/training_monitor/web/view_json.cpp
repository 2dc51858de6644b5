#include "web/view_json.hpp"

#include <kcontrol/json/members.hpp>

#include "jobs/job_json.hpp"

namespace training_monitor {

using kcontrol::json::write_text_or_null;

namespace {

void write_replicas(kcontrol::json::writer& out, const std::vector<replica_counts>& replicas) {
    out.begin_object();
    for (const auto& counts : replicas) {
        begin_object(out, counts.type);
        out.member("desired", counts.desired);
        out.member("active", counts.active);
        out.member("succeeded", counts.succeeded);
        out.member("failed", counts.failed);
        out.end_object();
    }
    out.end_object();
}

// A job's members as JSON, but for those that were not asked for.
class job_writer {
public:
    job_writer(kcontrol::json::writer& out, job_fields fields) : out_(out), fields_(fields) {}

    template <class Value>
    void member(job_field which, const Value& value) {
        if (fields_.has(which)) out_.member(to_string(which), value);
    }
    void time(job_field which, const std::optional<std::int64_t>& seconds) {
        if (fields_.has(which)) write_text_or_null(out_, to_string(which), seconds ? to_rfc3339(*seconds) : "");
    }
    void number(job_field which, const std::optional<std::int64_t>& value) {
        if (fields_.has(which)) kcontrol::json::write_or_null(out_, to_string(which), value);
    }
    /// True where the caller is to write the value now.
    bool begin(job_field which) {
        if (!fields_.has(which)) return false;
        out_.key(to_string(which));
        return true;
    }

private:
    kcontrol::json::writer& out_;
    job_fields fields_;
};

}  // namespace

void write(kcontrol::json::writer& out, const job_view& job, kcontrol::wall_time now, std::optional<job_state> previous,
           job_fields fields, const more_of_job& more) {
    job_writer to(out, fields);
    out.begin_object();
    to.member(job_field::cluster, job.cluster);
    to.member(job_field::name_space, job.namespace_);
    to.member(job_field::name, job.name);
    to.member(job_field::kind, job.kind);
    to.member(job_field::api_version, job.api_version);
    to.member(job_field::uid, job.uid);
    to.member(job_field::state, to_string(job.state));
    if (previous) to.member(job_field::previous_state, to_string(*previous));
    to.member(job_field::reason, job.reason);
    to.member(job_field::message, job.message);
    to.member(job_field::why, job.why);
    to.time(job_field::start_time, job.start_time);
    to.time(job_field::completion_time, job.completion_time);
    if (fields.has(job_field::duration_seconds)) to.number(job_field::duration_seconds, duration_seconds(job, now));
    to.member(job_field::gpus, job.gpus);
    if (to.begin(job_field::replicas)) write_replicas(out, job.replicas);
    to.member(job_field::terminating, job.terminating);
    if (to.begin(job_field::labels)) write_label_values(out, job.labels);
    if (more && fields.has(job_field::gpu_usage)) more(out, job);
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
    write_text_or_null(out, "pods", cluster.pods);
    out.member("podsReason", cluster.pods_reason);
    begin_array(out, "kinds");
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
