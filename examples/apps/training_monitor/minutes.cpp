#include "minutes.hpp"

#include <kcontrol/runtime/wait.hpp>

#include "gpus/gpu_hours.hpp"
#include "history/retention.hpp"
#include "memory/memory.hpp"
#include "table/health.hpp"

namespace training_monitor {
namespace {

constexpr int most_left_out = 2;
constexpr auto forget_period = std::chrono::minutes(10);

}  // namespace

kcontrol::awaitable<void> record_minutes(kcontrol::environment& env, const job_table& table, gpu_hours& hours,
                                         totals& points, memory* kept, std::stop_token stop) {
    int left_out = 0;
    while (!stop.stop_requested()) {
        const auto pause = totals::until_next(env.wall_now());
        const auto woken = co_await kcontrol::sleep_for(env, pause, stop);
        if (woken == kcontrol::wake::stopped) break;
        hours.count(env.wall_now());
        if (left_out < most_left_out && !is_ready(table.clusters())) {
            ++left_out;
            continue;
        }
        left_out = most_left_out;
        points.record(env.wall_now(), table.counts());
        if (kept) kept->take(points.newest());
    }
}

kcontrol::awaitable<void> forget_old(kcontrol::environment& env, history& past, kcontrol::duration retain_for,
                                     std::stop_token stop) {
    while (!stop.stop_requested()) {
        co_await kcontrol::sleep_for(env, forget_period, stop);
        keep_within(past, env.wall_now() - retain_for);
    }
}

}  // namespace training_monitor
