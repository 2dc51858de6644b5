#include "output/text_output.hpp"

#include <kcontrol/base/log.hpp>

#include "web/view_json.hpp"

#include <algorithm>
#include <array>

namespace training_monitor {
namespace {

using cells = std::vector<std::string>;

// Terminal columns, near enough: a code point each.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string cut(std::string_view text, std::size_t columns) {
    if (columns == 0 || width(text) <= columns) return std::string(text);
    std::size_t bytes = 0, seen = 0;
    while (bytes < text.size()) {
        if ((static_cast<unsigned char>(text[bytes]) & 0xC0U) != 0x80U && seen++ == columns - 1) break;
        ++bytes;
    }
    return std::string(text.substr(0, bytes)) + "…";
}

std::string_view color_of(std::string_view state) {
    if (state == "Running" || state == "live") return "\x1b[32m";
    if (state == "Failed" || state == "failed" || state == "unreachable") return "\x1b[31m";
    if (state == "Succeeded") return "\x1b[34m";
    if (state == "Restarting" || state == "degraded") return "\x1b[33m";
    return "\x1b[35m";
}

// Aligns columns; the cell numbered `colored` gets its state's color. Cells are escaped here, so that no name or
// message steers the terminal.
std::string align(const std::vector<cells>& lines, std::size_t colored, const text_layout& layout) {
    std::vector<std::size_t> widths;
    std::vector<cells> escaped;
    for (const auto& line : lines) {
        widths.resize(std::max(widths.size(), line.size()));
        cells& row = escaped.emplace_back();
        for (std::size_t i = 0; i < line.size(); ++i) {
            row.push_back(kcontrol::escape_control(line[i]));
            widths[i] = std::max(widths[i], width(row[i]));
        }
    }
    std::string out;
    for (std::size_t n = 0; n < escaped.size(); ++n) {
        std::string line;
        for (std::size_t i = 0; i < escaped[n].size(); ++i) {
            line += escaped[n][i];
            if (i + 1 < escaped[n].size()) line.append(widths[i] - width(escaped[n][i]) + 2, ' ');
        }
        line = cut(line, layout.columns());
        while (line.ends_with(' ')) line.pop_back();
        const std::string& state = escaped[n][colored];
        if (layout.color() && n != 0) {
            std::size_t before = 0;
            for (std::size_t i = 0; i < colored; ++i)
                before += escaped[n][i].size() + widths[i] - width(escaped[n][i]) + 2;
            if (line.size() >= before + state.size()) {
                line.insert(before + state.size(), "\x1b[0m").insert(before, color_of(state));
            }
        }
        out += (layout.color() && n == 0 ? "\x1b[1m" + line + "\x1b[0m" : line) + "\n";
    }
    return out;
}

std::string clusters_text(const job_table::cluster_list& clusters, const text_layout& layout) {
    std::vector<cells> lines{{"CLUSTER", "STATE", "GEN", "LISTS", "WATCHES", "OBJECTS", "SERVER", "REASON"}};
    for (const auto& c : clusters) {
        std::uint64_t lists = 0, watches = 0, objects = 0;
        for (const auto& kind : c->kinds) {
            lists += kind.lists;
            watches += kind.watches;
            objects += kind.objects;
        }
        lines.push_back({c->name, c->state, std::to_string(c->generation), std::to_string(lists),
                         std::to_string(watches), std::to_string(objects), c->server, c->reason});
    }
    return align(lines, 1, layout);
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

std::string time_text(std::optional<std::int64_t> at) { return at ? to_rfc3339(*at) : "-"; }

std::string why(const job_view& job, bool wide) {
    if (!wide) return job.why.empty() ? job.reason : job.why;
    const std::string& message = message_of(job);
    if (message.empty()) return job.reason;
    return job.reason.empty() ? message : job.reason + ": " + message;
}

// Where a terminal is narrow, columns give way in this order: names, states and reasons stay.
void drop_columns(std::vector<cells>& lines, const text_layout& layout) {
    constexpr std::array<std::string_view, 6> order{"REPLICAS", "GPUS", "KIND", "DURATION", "CLUSTER", "NAMESPACE"};
    constexpr std::size_t reason_wanted = 30;
    const auto needed = [&] {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < lines[0].size(); ++i) {
            std::size_t widest = 0;
            for (const auto& line : lines) widest = std::max(widest, width(line[i]));
            sum += i + 1 == lines[0].size() ? std::min(widest, reason_wanted) : widest + 2;
        }
        return sum;
    };
    for (const auto name : order) {
        if (layout.columns() == 0 || needed() <= layout.columns()) return;
        const auto at = std::find(lines[0].begin(), lines[0].end(), name);
        if (at == lines[0].end()) continue;
        const auto index = at - lines[0].begin();
        for (auto& line : lines) line.erase(line.begin() + index);
    }
}

std::string jobs_text(const job_table::job_list& jobs, kcontrol::wall_time now, const text_layout& layout) {
    std::vector<cells> lines{{"CLUSTER", "NAMESPACE", "NAME", "KIND", "STATE", "DURATION", "GPUS", "REPLICAS"}};
    if (layout.wide()) lines[0].insert(lines[0].end(), {"APIVERSION", "START", "COMPLETION", "UID"});
    lines[0].emplace_back("REASON");
    for (const auto& job : jobs) {
        std::string state(to_string(job->state));
        lines.push_back({job->cluster, job->namespace_, job->name, std::string(job->kind), std::move(state),
                         duration_text(duration_seconds(*job, now)), std::to_string(job->gpus), replicas_text(*job)});
        cells& line = lines.back();
        if (layout.wide()) {
            line.insert(line.end(), {std::string(job->api_version), time_text(job->start_time),
                                     time_text(job->completion_time), job->uid});
        }
        line.push_back((job->terminating ? "terminating " : "") + why(*job, layout.wide()));
    }
    if (!layout.wide()) drop_columns(lines, layout);
    const auto state = std::find(lines[0].begin(), lines[0].end(), "STATE") - lines[0].begin();
    return align(lines, static_cast<std::size_t>(state), layout);
}

}  // namespace

std::string duration_text(std::optional<std::int64_t> seconds) {
    if (!seconds) return "-";
    const std::int64_t s = *seconds % 60, m = *seconds / 60 % 60, h = *seconds / 3600 % 24, d = *seconds / 86400;
    if (d > 0) return std::to_string(d) + "d" + std::to_string(h) + "h";
    if (h > 0) return std::to_string(h) + "h" + std::to_string(m) + "m";
    return m > 0 ? std::to_string(m) + "m" + std::to_string(s) + "s" : std::to_string(s) + "s";
}

std::string snapshot_text(const job_table::cluster_list& clusters, job_table::job_list jobs, kcontrol::wall_time now,
                          const text_layout& layout, std::size_t more) {
    std::string out = clusters_text(clusters, layout) + "\n";
    if (layout.rows() != 0) {
        std::stable_partition(jobs.begin(), jobs.end(), [](const auto& job) { return !is_final(job->state); });
        const std::size_t taken = clusters.size() + 4;  // two headings, a blank line, what was left out
        const std::size_t room = layout.rows() > taken ? layout.rows() - taken : 0;
        if (jobs.size() > room) {
            more += jobs.size() - room;
            jobs.resize(room);
        }
    }
    out += jobs.empty() && more == 0 ? std::string("No jobs.\n") : jobs_text(jobs, now, layout);
    if (more != 0) out += "… and " + std::to_string(more) + " more\n";
    return out;
}

std::string snapshot_json(const job_table::cluster_list& clusters, const job_table::job_list& jobs,
                          kcontrol::wall_time now) {
    kcontrol::json::writer out;
    out.begin_object();
    out.key("clusters");
    out.begin_array();
    for (const auto& c : clusters) write(out, *c);
    out.end_array();
    out.key("jobs");
    out.begin_array();
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
            const std::string reason = why(job, false);
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
