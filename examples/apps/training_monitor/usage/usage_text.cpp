#include "usage/usage_text.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace training_monitor {
namespace {

std::string rounded(double value) { return std::to_string(std::lround(value)); }

std::string gibibytes(std::int64_t bytes) {
    char out[32];
    std::snprintf(out, sizeof out, "%.1f GiB", static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
    return out;
}

std::string busy_text(const job_usage& usage) {
    if (!usage.utilization_mean) return "unknown: " + usage.reason;
    std::string out = rounded(*usage.utilization_mean) + " % on average, " +
                      rounded(usage.utilization_least.value_or(0)) + " % the least";
    if (usage.state == job_usage::state_type::known) return out;
    return out + ", of " + std::to_string(usage.measured) + " of " + std::to_string(usage.gpus) +
           " GPUs: " + usage.reason;
}

std::string minutes_text(kcontrol::duration length) {
    const auto minutes = std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::minutes>(length).count());
    if (minutes < 60) return std::to_string(minutes) + " min";
    return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

std::string xids_text(const std::vector<job_xid>& xids) {
    std::string out;
    for (const auto& xid : xids) {
        out += (out.empty() ? "" : ", ") + std::to_string(xid.number) + " on " + xid.node + " GPU " +
               std::to_string(xid.gpu) + (xid.time.empty() ? "" : " at " + xid.time);
    }
    return out;
}

}  // namespace

std::vector<std::pair<std::string_view, std::string>> usage_facts(const job_usage& usage, kcontrol::wall_time now) {
    std::vector<std::pair<std::string_view, std::string>> out{{"GPUs busy", busy_text(usage)}};
    if (usage.idle_since) out.emplace_back("GPUs idle", "all at 0 % for " + minutes_text(now - *usage.idle_since));
    if (usage.memory_used_bytes && usage.memory_total_bytes) {
        out.emplace_back("GPU memory",
                         gibibytes(*usage.memory_used_bytes) + " of " + gibibytes(*usage.memory_total_bytes));
    }
    if (usage.power_watts) out.emplace_back("GPU power", rounded(*usage.power_watts) + " W");
    if (!usage.xids.empty()) out.emplace_back("XIDs", xids_text(usage.xids));
    return out;
}

}  // namespace training_monitor
