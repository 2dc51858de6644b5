#include "jobs/job_json.hpp"

#include <kcontrol/json/members.hpp>

namespace training_monitor {

using kcontrol::json::write_text_or_null;

void write_identity(kcontrol::json::writer& out, const job_view& job) {
    out.member("cluster", job.cluster);
    out.member("namespace", job.namespace_);
    out.member("name", job.name);
    out.member("kind", job.kind);
    out.member("apiVersion", job.api_version);
    out.member("uid", job.uid);
}

void write_times(kcontrol::json::writer& out, const job_view& job, kcontrol::wall_time now) {
    write_text_or_null(out, "startTime", job.start_time ? to_rfc3339(*job.start_time) : "");
    write_text_or_null(out, "completionTime", job.completion_time ? to_rfc3339(*job.completion_time) : "");
    kcontrol::json::write_or_null(out, "durationSeconds", duration_seconds(job, now));
}

void write_label_values(kcontrol::json::writer& out, const job_labels& labels) {
    out.begin_object();
    for (const auto& [name, value] : labels.all()) out.member(name, value);
    out.end_object();
}

void write_labels(kcontrol::json::writer& out, const job_labels& labels) {
    out.key("labels");
    write_label_values(out, labels);
}

}  // namespace training_monitor
