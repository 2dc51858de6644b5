#include "once.hpp"

#include "demo/demo.hpp"
#include "failure.hpp"
#include "sources.hpp"
#include "table/health.hpp"

#include <chrono>
#include <cstdio>

namespace training_monitor {
namespace {

// How long a cluster that does not work is given to recover, and how long everything may take.
constexpr auto once_patience = std::chrono::seconds(5);
constexpr auto once_deadline = std::chrono::seconds(60);

kcontrol::awaitable<int> print_once(monitor& m, live_output& output, std::string source, std::stop_token stop) {
    const bool complete = co_await m.wait_complete(stop, once_patience, once_deadline);
    if (stop.stop_requested()) co_return 1;
    output.print_snapshot();
    const auto health = health_of(m.table().clusters());
    if (complete && health.clusters > 0) co_return 0;
    const std::string what = incomplete_text(health, source);
    std::fputs(("training_monitor: " + (what.empty() ? "not everything could be read" : what) + ":\n").c_str(), stderr);
    for (const auto& cluster : m.table().clusters()) {
        if (!is_complete(*cluster)) std::fputs(cluster_report(*cluster).c_str(), stderr);
    }
    co_return 1;
}

}  // namespace

kcontrol::awaitable<int> run_once(kcontrol::environment& env, kcontrol::executor ex, const options& o, parts& p,
                                  kcontrol::logger log, std::stop_token stop) {
    if (o.demo()) {
        const int status = co_await demo::play_once(env, ex, p.core, p.output, stop);
        co_return status;
    }
    auto source = make_source(env, ex, o, nullptr, log);
    if (!source) co_return fail(source.error());
    p.output.source(source_text(o));
    const auto started = p.core.start(std::move(*source), {});  // one snapshot of the table, no changes
    if (!started) co_return fail(started.error());
    const int status = co_await print_once(p.core, p.output, source_text(o), stop);
    co_return status;
}

}  // namespace training_monitor
