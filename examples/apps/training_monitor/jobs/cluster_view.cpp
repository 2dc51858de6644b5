#include "jobs/cluster_view.hpp"

#include "jobs/job_view.hpp"

namespace training_monitor {
namespace {

constexpr std::int64_t stale_after_seconds = 30;

}  // namespace

bool is_news(const cluster_view& a, const cluster_view& b) {
    if (!same_but_for_times(a, b)) return true;
    const auto before = parse_rfc3339_seconds(a.last_sync);
    const auto now = parse_rfc3339_seconds(b.last_sync);
    return now && (!before || *now - *before >= stale_after_seconds);
}

}  // namespace training_monitor
