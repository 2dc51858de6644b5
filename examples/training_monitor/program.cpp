#include "program.hpp"

#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/transport/client.hpp>

#include "demo/demo.hpp"
#include "history/history.hpp"
#include "history/retention.hpp"
#include "memory/memory.hpp"
#include "memory/memory_report.hpp"
#include "monitor.hpp"
#include "notices/center.hpp"
#include "output/live_output.hpp"
#include "sources.hpp"
#include "table/totals.hpp"
#include "web/health.hpp"
#include "web/job_answer.hpp"
#include "web/job_metrics.hpp"
#include "web/metrics_text.hpp"
#include "web/responses.hpp"
#include "web/service.hpp"
#include "web/totals_answer.hpp"
#include "web/web.hpp"

#include <cstdio>
#include <unistd.h>

namespace training_monitor {
namespace {

// --once: how long a cluster that does not work is given to recover, and how long everything may take.
constexpr auto once_patience = std::chrono::seconds(5);
constexpr auto once_deadline = std::chrono::seconds(60);

// Without --state: what is remembered is looked through this often.
constexpr auto forget_period = std::chrono::minutes(10);

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
    std::fputs("training_monitor: not everything could be read:\n", stderr);
    for (const auto& cluster : m.table().clusters()) {
        if (!is_complete(*cluster)) std::fputs(cluster_report(*cluster).c_str(), stderr);
    }
    co_return 1;
}

// What the page and the interface show beside the table.
void add_routes(web& site, kcontrol::environment& env, const job_table& table, const history& past,
                const totals& points) {
    site.add_route("/api/v1/jobs/", [&env, &table, &past](std::string_view path, std::string_view query) {
        return job_answer(past, table, path, query, env.wall_now());
    });
    site.add_route("/api/v1/gone",
                   [&past](std::string_view, std::string_view query) { return gone_answer(past, query); });
    site.add_route("/api/v1/totals",
                   [&points](std::string_view, std::string_view query) { return totals_answer(points, query); });
}

// What people and their tools are told beside what is shown. Outlives the monitor, whose changes it hears.
struct reports {
    job_metrics numbers;
    std::optional<notices::center> center;
};

void add_reports(web& site, kcontrol::environment& env, const reports& told) {
    site.add_metrics([&] { return job_metrics_text(told.numbers) + process_metrics_text(env); });
    const notices::center* center = told.center ? &*told.center : nullptr;
    if (center) site.add_metrics([center] { return notice_metrics_text(*center); });
    site.add_route("/api/v1/notices", [center](std::string_view, std::string_view) {
        return center ? json_response(200, center->json() + "\n")
                      : error_response(404, "no notices are sent: see --notify-config");
    });
}

// A point at the beginning of every minute.
kcontrol::awaitable<void> record_totals(kcontrol::environment& env, const job_table& table, totals& points,
                                        std::stop_token stop) {
    while (!stop.stop_requested()) {
        const auto pause = totals::until_next(env.wall_now());
        const auto woken = co_await kcontrol::sleep_for(env, pause, stop);
        if (woken != kcontrol::wake::stopped) points.record(env.wall_now(), table.counts());
    }
}

// --test-notify
kcontrol::awaitable<int> test_notices(kcontrol::environment& env, kcontrol::executor ex,
                                      const notices::notice_config& config, std::string name, std::stop_token stop) {
    std::string report;
    auto transport = kcontrol::http::make_transport_factory(env);
    const auto sent = co_await notices::send_test(env, ex, config, std::move(name), transport, report, stop);
    std::fputs(report.c_str(), stdout);
    if (!sent) {
        fail(sent.error());
        co_return 2;
    }
    co_return *sent ? 0 : 1;
}

// Where no file keeps what is remembered, memory does, and must not grow for ever.
kcontrol::awaitable<void> forget_old(kcontrol::environment& env, history& past, kcontrol::duration retain_for,
                                     std::stop_token stop) {
    while (!stop.stop_requested()) {
        co_await kcontrol::sleep_for(env, forget_period, stop);
        keep_within(past, env.wall_now() - retain_for);
    }
}

kcontrol::awaitable<void> wait_for(kcontrol::environment& env, std::stop_token stop) {
    kcontrol::async_event never;
    co_await never.wait(env, stop);
}

// Opens the state file and brings the history back, where --state asks for it. Null without.
kcontrol::result<std::unique_ptr<memory>> make_memory(kcontrol::environment& env, kcontrol::executor ex,
                                                      kcontrol::executor worker, const options& o, history& past,
                                                      const kcontrol::logger& log) {
    if (o.state.file.empty()) return std::unique_ptr<memory>();
    const auto begin = env.now();
    auto file = state_file::open(o.state.file, state_file::use::monitor);
    if (!file) return file.error();
    auto settings = memory_options().retain_for(o.state.retain_for).retain_size(o.state.retain_size);
    auto out = std::make_unique<memory>(env, std::move(ex), std::move(worker), std::move(*file), past, log, settings);
    const auto started = out->start();
    if (!started) return started.error();
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(env.now() - begin);
    log.info("the state file is open", {{"file", o.state.file},
                                        {"jobs", std::to_string(past.size())},
                                        {"milliseconds", std::to_string(took.count())}});
    return out;
}

void tell_missed(const kcontrol::logger& log, const std::vector<missed>& found) {
    for (const auto& m : found) {
        const auto& job = *m.job;
        log.info(m.gone ? "the job is gone" : "the job finished while nobody looked",
                 {{"cluster", job.cluster},
                  {"job", job.namespace_ + "/" + job.name},
                  {"kind", std::string(job.kind)},
                  {"last_seen", std::string(to_string(m.last_state))},
                  {"state", m.gone ? "gone" : std::string(to_string(job.state))}});
    }
}

kcontrol::awaitable<int> watch(kcontrol::environment& env, kcontrol::executor ex, const options& o, monitor& m,
                               history& past, memory* kept, totals& points, reports& told, live_output& output,
                               kcontrol::logger log, std::stop_token stop) {
    std::unique_ptr<kcontrol::cluster_source> source;
    if (!o.demo) {
        auto made = make_source(env, ex, o, kept, log);
        if (!made) co_return fail(made.error());
        source = std::move(*made);
    }
    // First of all, so that whoever comes later can ask what a change meant.
    m.on_change([&env, &past, &told, kept, log](const std::vector<change>& changes) {
        const auto found_out = past.take(changes, env.wall_now());
        tell_missed(log, found_out);
        told.numbers.take(changes, env.now());
        if (told.center) told.center->take(changes, found_out);
        if (kept) kept->take(changes);
    });
    web site(env, m.table(), m.hub());
    add_routes(site, env, m.table(), past, points);
    add_reports(site, env, told);
    if (kept) {
        site.add_report([kept] { return memory_report(kept->status()); });
        site.add_metrics([kept] { return memory_metrics(kept->status()); });
    }
    auto pages = make_service(env, ex, site, o, log);
    if (!pages) co_return fail(pages.error());
    const auto url = (*pages)->start();
    if (!url) co_return fail(url.error());
    if (!url->empty()) log.info("serving", {{"url", *url}});
    output.headline("Training jobs" + (url->empty() ? "" : ", " + *url) + " (Ctrl-C stops)");
    m.on_change([&output](const std::vector<change>& changes) { output.take(changes); });
    if (source) {
        const auto started = m.start(std::move(source));
        if (!started) {
            co_return fail(
                started.error().with_context(o.secrets_namespace.empty() ? "--clusters" : "--home-kubeconfig"));
        }
    }
    kcontrol::task_group tasks(env, ex, log);
    tasks.spawn(output.run(stop));
    tasks.spawn((*pages)->renew(stop));
    tasks.spawn(record_totals(env, m.table(), points, stop));
    if (told.center) tasks.spawn(told.center->run(stop));
    if (!kept) tasks.spawn(forget_old(env, past, o.state.retain_for, stop));
    int status = 0;
    if (o.demo) {
        const auto played = co_await demo::play_for_ever(env, ex, m, output, stop);
        if (!played) status = fail(played.error());
    } else {
        co_await wait_for(env, stop);
    }
    co_await (*pages)->stop();
    if (status == 0) co_await tasks.join();
    co_return status;
}

kcontrol::awaitable<int> once(kcontrol::environment& env, kcontrol::executor ex, const options& o, monitor& m,
                              live_output& output, kcontrol::logger log, std::stop_token stop) {
    if (o.demo) {
        const int status = co_await demo::play_once(env, ex, m, output, stop);
        co_return status;
    }
    auto source = make_source(env, ex, o, nullptr, log);
    if (!source) co_return fail(source.error());
    const auto started = m.start(std::move(*source));
    if (!started) co_return fail(started.error());
    const int status = co_await print_once(m, output, stop);
    co_return status;
}

}  // namespace

kcontrol::awaitable<int> run_program(kcontrol::environment& env, kcontrol::executor ex, kcontrol::executor worker,
                                     options o, std::stop_token stop) {
    kcontrol::logger log(kcontrol::standard_error_sink(env, o.log), threshold(o));
    std::optional<notices::notice_config> notify;
    if (!o.notify_config.empty()) {
        auto loaded = notices::load_config(env, o.notify_config);
        if (!loaded) {
            fail(loaded.error().with_context("--notify-config"));
            co_return 2;
        }
        notify = std::move(*loaded);
    }
    if (o.test_notify) {
        const int tested = co_await test_notices(env, ex, *notify, *o.test_notify, stop);
        co_return tested;
    }
    history past(history_options().namespaces(o.namespaces));
    auto kept = make_memory(env, ex, worker, o, past, log);
    if (!kept) co_return fail(kept.error());
    reports told;
    if (notify) {
        told.center.emplace(env, ex, std::move(*notify), past, kcontrol::http::make_transport_factory(env),
                            log.with("part", "notices"));
    }
    monitor m(env, ex, o, kcontrol::http::make_transport_factory(env), log);
    const auto out = make_screen(ex, STDOUT_FILENO, log.with("part", "output"));
    live_output output(env, m.table(), o.output, *out);
    totals points;
    int status = 0;
    if (o.once) {
        status = co_await once(env, ex, o, m, output, log, stop);
    } else {
        status = co_await watch(env, ex, o, m, past, kept->get(), points, told, output, log, stop);
    }
    co_await m.stop();
    if (*kept) co_await (*kept)->stop();
    co_return status;
}

}  // namespace training_monitor
