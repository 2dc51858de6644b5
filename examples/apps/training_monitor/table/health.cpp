#include "table/health.hpp"

#include <kcontrol/base/log.hpp>

#include <algorithm>

namespace training_monitor {
namespace {

void append_line(std::string& out, bool good, const std::string& what, const std::string& state,
                 const std::string& reason) {
    out += (good ? "[+]" : "[-]") + kcontrol::escape_control(what) + " " + state;
    if (!reason.empty()) out += ": " + kcontrol::escape_control(reason);
    out += '\n';
}

bool is_watched(const kind_view& kind) { return kind.state == "live" || kind.state == "not-installed"; }

}  // namespace

bool is_ready(const job_table::cluster_list& clusters) {
    return std::none_of(clusters.begin(), clusters.end(), [](const auto& c) { return c->state == "connecting"; });
}

bool is_unreadable(const cluster_view& cluster) { return cluster.state == "unreachable" || cluster.state == "failed"; }

fleet_health health_of(const job_table::cluster_list& clusters) {
    fleet_health out;
    for (const auto& cluster : clusters) {
        ++out.clusters;
        if (is_unreadable(*cluster)) {
            ++out.unreadable;
        } else if (cluster->state == "degraded") {
            ++out.partial;
        } else if (cluster->state != "live") {
            ++out.loading;
        }
    }
    return out;
}

std::string incomplete_text(const fleet_health& health, const std::string& source) {
    if (health.clusters == 0) return "no clusters" + (source.empty() ? "" : ": " + source + " has none");
    std::string out;
    const auto add = [&](std::size_t count, std::string_view what) {
        if (count == 0) return;
        out += (out.empty() ? "" : ", ") + std::to_string(count);
        if (out.find(' ') == std::string::npos) {
            out += " of " + std::to_string(health.clusters) + (health.clusters == 1 ? " cluster" : " clusters");
        }
        out.append(" ").append(what);
    };
    add(health.unreadable, "can't be read");
    add(health.partial, "can't be read in full");
    add(health.loading, "not loaded yet");
    return out;
}

bool is_complete(const cluster_view& cluster) {
    if (cluster.state != "live" && cluster.state != "degraded") return false;
    return std::all_of(cluster.kinds.begin(), cluster.kinds.end(), is_watched);
}

std::string cluster_report(const cluster_view& cluster) {
    std::string out;
    append_line(out, cluster.state == "live", "cluster " + cluster.name, cluster.state, cluster.reason);
    for (const auto& kind : cluster.kinds) {
        append_line(out, is_watched(kind), "cluster " + cluster.name + " " + kind.kind + "." + kind.api_version,
                    kind.state, kind.reason);
    }
    return out;
}

std::string readiness_report(const job_table::cluster_list& clusters) {
    std::string out;
    for (const auto& cluster : clusters) out += cluster_report(*cluster);
    return out + (is_ready(clusters) ? "readyz check passed\n" : "readyz check failed\n");
}

}  // namespace training_monitor
