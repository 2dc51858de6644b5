#include "jobs/job_json.hpp"

namespace training_monitor {

void write_text_or_null(kcontrol::json::writer& out, std::string_view name, std::string_view text) {
    out.key(name);
    if (text.empty()) {
        out.null();
    } else {
        out.value(text);
    }
}

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
    out.key("durationSeconds");
    if (const auto seconds = duration_seconds(job, now)) {
        out.value(*seconds);
    } else {
        out.null();
    }
}

void write_labels(kcontrol::json::writer& out, const job_labels& labels) {
    out.key("labels");
    out.begin_object();
    for (const auto& [name, value] : labels.all()) out.member(name, value);
    out.end_object();
}

}  // namespace training_monitor
