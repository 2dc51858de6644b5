#include "program.hpp"

#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/transport/server.hpp>

#include "health.hpp"
#include "live_output.hpp"
#include "log_sink.hpp"
#include "monitor.hpp"
#include "sources.hpp"
#include "web.hpp"

#include <cstdio>
#include <unistd.h>

namespace training_monitor {
namespace {

// --once: how long a cluster that does not work is given to recover, and how long everything may take.
constexpr auto once_patience = std::chrono::seconds(5);
constexpr auto once_deadline = std::chrono::seconds(60);

int fail(const kcontrol::error& why) {
    std::fprintf(stderr, "training_monitor: %s\n", kcontrol::escape_control(why.message()).c_str());
    return 1;
}

// A log that goes to the terminal on which the table is drawn would tear it.
kcontrol::log_level threshold(const options& o) {
    const bool table = o.output == output_format::table || o.output == output_format::wide;
    if (o.once) return kcontrol::log_level::warning;
    const bool both_on_terminal = ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
    return table && both_on_terminal ? kcontrol::log_level::error : kcontrol::log_level::info;
}

kcontrol::awaitable<int> print_once(monitor& m, live_output& output, std::stop_token stop) {
    const bool complete = co_await m.wait_complete(stop, once_patience, once_deadline);
    if (stop.stop_requested()) co_return 1;
    output.print_snapshot();
    if (complete) co_return 0;
    for (const auto& cluster : m.table().clusters()) {
        if (is_complete(*cluster)) continue;
        job_table::cluster_list one{cluster};
        std::fprintf(stderr, "training_monitor: the picture of cluster %s is not complete:\n%s",
                     kcontrol::escape_control(cluster->name).c_str(), readiness_report(one).c_str());
    }
    co_return 1;
}

kcontrol::awaitable<int> watch(kcontrol::environment& env, kcontrol::executor ex, const options& o, monitor& m,
                               live_output& output, kcontrol::logger log, std::stop_token stop) {
    web site(env, m.table(), m.hub(), o.listen.host);
    kcontrol::http::server server(env, ex, site.handler(), {}, log);
    if (o.listen.enabled) {
        const auto listening = server.listen(o.listen);
        if (!listening) co_return fail(listening.error().with_context("--listen " + o.listen.text()));
        server.start();
        auto bound = o.listen;
        bound.port = server.local_port();
        log.info("serving", {{"url", "http://" + bound.text() + "/"}});
        output.headline("Training jobs, http://" + bound.text() + "/ (Ctrl-C stops)");
    }
    m.on_change([&output](const std::vector<change>& changes) { output.take(changes); });
    kcontrol::task_group tasks(env, ex, log);
    tasks.spawn(output.run(stop));
    kcontrol::async_event never;
    co_await never.wait(env, stop);
    co_await server.stop();
    co_await tasks.join();
    co_return 0;
}

}  // namespace

kcontrol::awaitable<int> run_program(kcontrol::environment& env, kcontrol::executor ex, options o,
                                     std::stop_token stop) {
    kcontrol::logger log(standard_error_sink(env, o.log), threshold(o));
    auto source = make_source(env, ex, o, log);
    if (!source) co_return fail(source.error());
    monitor m(env, ex, o, kcontrol::http::make_transport_factory(env), log);
    const auto out = standard_output();
    live_output output(env, m.table(), o.output, *out);
    const auto started = m.start(std::move(*source));
    if (!started) co_return fail(started.error());
    int status = 0;
    if (o.once) {
        status = co_await print_once(m, output, stop);
    } else {
        status = co_await watch(env, ex, o, m, output, log, stop);
    }
    co_await m.stop();
    co_return status;
}

}  // namespace training_monitor
