#pragma once

#include <kcontrol/multicluster/cluster_health.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL named_check clusters_ready(const multicluster_manager& m, readiness when, std::size_t most_lines) {
    return named_check(
        "clusters", [&m, when] { return m.ready(when); },
        [&m, most_lines] { return detail::troubled_clusters(m.statuses(), most_lines); });
}

KCONTROL_DECL std::vector<std::string> detail::troubled_clusters(const std::vector<cluster_status>& all,
                                                                 std::size_t most_lines) {
    std::vector<std::string> out;
    std::size_t left_out = 0;
    for (const cluster_status& one : all) {
        if (one.state == cluster_state::live) continue;
        if (out.size() >= most_lines) {
            ++left_out;
            continue;
        }
        std::string line = one.name + ": " + std::string(to_string(one.state));
        if (!one.reason.empty()) line += ": " + one.reason;
        out.push_back(std::move(line));
    }
    if (left_out != 0) out.push_back("and " + std::to_string(left_out) + " more");
    return out;
}

}  // namespace kcontrol
