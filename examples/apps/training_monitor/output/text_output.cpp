#include "output/text_output.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/json/members.hpp>

#include "output/job_rows.hpp"
#include "web/view_json.hpp"

namespace training_monitor {
namespace {

std::string text_of(const std::vector<std::string>& lines) {
    std::string out;
    for (const auto& line : lines) out.append(line).append(1, '\n');
    return out;
}

}  // namespace

std::string snapshot_text(const job_table::cluster_list& clusters, const job_table::job_list& jobs,
                          kcontrol::wall_time now, const text_layout& layout, const std::string& source) {
    std::vector<const job_view*> shown;
    for (const auto& job : jobs) shown.push_back(job.get());
    return text_of(clusters_table(clusters).lines(layout)) + "\n" +
           (jobs.empty() ? no_jobs_text(clusters, source) + "\n"
                         : text_of(jobs_table(shown, now, layout).lines(layout)));
}

std::string snapshot_json(const job_table::cluster_list& clusters, const job_table::job_list& jobs,
                          kcontrol::wall_time now) {
    kcontrol::json::writer out;
    out.begin_object();
    begin_array(out, "clusters");
    for (const auto& c : clusters) write(out, *c);
    out.end_array();
    begin_array(out, "jobs");
    for (const auto& job : jobs) write(out, *job, now);
    out.end_array();
    out.end_object();
    return out.take() + "\n";
}

std::string change_text(const change& c, const cluster_view* before, kcontrol::wall_time now) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
    std::string text;
    if (c.job) {
        const job_view& job = *c.job;
        text = job.cluster + " " + job.namespace_ + "/" + job.name + " " + std::string(job.kind) + " ";
        const std::string state(to_string(job.state));
        if (c.type == change_type::job_removed) {
            text += "removed, last " + state;
        } else {
            text += (c.previous ? std::string(to_string(*c.previous)) + " -> " : "") + state;
            if (job.terminating) text += " terminating";
            const std::string replicas = replicas_text(job);
            if (!replicas.empty()) text += " " + replicas;
            const std::string reason = why_text(job, false);
            if (!reason.empty()) text += " (" + reason + ")";
        }
    } else {
        const cluster_view& cluster = *c.cluster;
        text = "cluster " + cluster.name + " ";
        if (c.type == change_type::cluster_removed) {
            text += "left";
        } else if (before && before->state == cluster.state && before->reason == cluster.reason &&
                   before->generation == cluster.generation) {
            return {};
        } else {
            text += cluster.state + " generation " + std::to_string(cluster.generation);
            if (!cluster.reason.empty()) text += ": " + cluster.reason;
        }
    }
    return to_rfc3339(seconds) + " " + kcontrol::escape_control(text) + "\n";
}

std::string change_json(const change& c, kcontrol::wall_time now) {
    kcontrol::json::writer out;
    out.begin_object();
    out.member("id", c.id);
    out.member("event", to_string(c.type));
    out.key("data");
    if (c.job) {
        write(out, *c.job, now, c.previous);
    } else {
        write(out, *c.cluster);
    }
    out.end_object();
    return out.take() + "\n";
}

}  // namespace training_monitor
