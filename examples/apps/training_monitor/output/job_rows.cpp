#include "output/job_rows.hpp"

#include <kcontrol/base/log.hpp>

#include "table/health.hpp"

namespace training_monitor {
namespace {

std::string time_text(std::optional<std::int64_t> at) { return at ? to_rfc3339(*at) : "-"; }

std::vector<column> job_columns(bool wide) {
    std::vector<column> out{{"CLUSTER", 5},
                            {"NAMESPACE", 6},
                            {"NAME", column::stays, false, true},
                            {"KIND", 3},
                            {"STATE", column::stays, true},
                            {"DURATION", 4},
                            {"GPUS", 2},
                            {"REPLICAS", 1}};
    if (wide) out.insert(out.end(), {{"APIVERSION"}, {"START"}, {"COMPLETION"}, {"UID"}});
    out.push_back({"REASON"});
    return out;
}

}  // namespace

text_table clusters_table(const job_table::cluster_list& clusters) {
    text_table out({{"CLUSTER", column::stays, false, true},
                    {"STATE", column::stays, true},
                    {"GEN", 4},
                    {"LISTS", 3},
                    {"WATCHES", 2},
                    {"OBJECTS", 5},
                    {"SERVER", 1},
                    {"REASON"}});
    for (const auto& c : clusters) {
        std::uint64_t lists = 0, watches = 0, objects = 0;
        for (const auto& kind : c->kinds) {
            lists += kind.lists;
            watches += kind.watches;
            objects += kind.objects;
        }
        out.add({c->name, c->state, std::to_string(c->generation), std::to_string(lists), std::to_string(watches),
                 std::to_string(objects), c->server, c->reason});
    }
    return out;
}

text_table jobs_table(const std::vector<const job_view*>& jobs, kcontrol::wall_time now, const text_layout& layout,
                      const rows_of_causes& causes) {
    text_table out(job_columns(layout.wide()));
    for (const auto* job : jobs) {
        const auto others = causes.find(job);
        const std::string more = others == causes.end() ? "" : " and " + std::to_string(others->second) + " more";
        std::vector<std::string> row{job->cluster,
                                     job->namespace_,
                                     job->name + more,
                                     std::string(job->kind),
                                     std::string(to_string(job->state)),
                                     duration_text(duration_seconds(*job, now)),
                                     std::to_string(job->gpus),
                                     replicas_text(*job)};
        if (layout.wide()) {
            row.insert(row.end(), {std::string(job->api_version), time_text(job->start_time),
                                   time_text(job->completion_time), job->uid});
        }
        row.push_back((job->terminating ? "terminating " : "") + why_text(*job, layout.wide()));
        out.add(std::move(row));
    }
    return out;
}

std::string no_jobs_text(const job_table::cluster_list& clusters, const std::string& source) {
    const std::string missing = incomplete_text(health_of(clusters), source);
    return missing.empty() ? "No jobs." : kcontrol::escape_control("No jobs are known: " + missing + ".");
}

std::string replicas_text(const job_view& job) {
    std::string out;
    for (const auto& r : job.replicas) {
        if (!out.empty()) out += ' ';
        out += r.type + ":";
        if (is_final(job.state)) {
            out += std::to_string(r.succeeded) + "/" + std::to_string(r.desired) + " ok";
            if (r.failed > 0) out += " " + std::to_string(r.failed) + " failed";
        } else {
            out += std::to_string(r.active) + "/" + std::to_string(r.desired);
        }
    }
    return out;
}

std::string why_text(const job_view& job, bool wide) {
    if (!wide) return job.why.empty() ? job.reason : job.why;
    const std::string& message = message_of(job);
    if (message.empty()) return job.reason;
    return job.reason.empty() ? message : job.reason + ": " + message;
}

std::string duration_text(std::optional<std::int64_t> seconds) {
    if (!seconds) return "-";
    const std::int64_t s = *seconds % 60, m = *seconds / 60 % 60, h = *seconds / 3600 % 24, d = *seconds / 86400;
    if (d > 0) return std::to_string(d) + "d" + std::to_string(h) + "h";
    if (h > 0) return std::to_string(h) + "h" + std::to_string(m) + "m";
    return m > 0 ? std::to_string(m) + "m" + std::to_string(s) + "s" : std::to_string(s) + "s";
}

}  // namespace training_monitor
