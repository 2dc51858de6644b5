#include "program.hpp"

#include <kcontrol/client/protobuf_encoding.hpp>
#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/metrics/process_metrics.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/transport/client.hpp>

#include "demo/demo.hpp"
#include "gpus/gpu_hours.hpp"
#include "history/history.hpp"
#include "history/retention.hpp"
#include "jobs/kind_file.hpp"
#include "jobs/ruled_kinds.hpp"
#include "memory/memory.hpp"
#include "memory/memory_report.hpp"
#include "minutes.hpp"
#include "monitor.hpp"
#include "notices/center.hpp"
#include "notices/send_test.hpp"
#include "output/live_output.hpp"
#include "pipeline.hpp"
#include "sources.hpp"
#include "table/health.hpp"
#include "table/totals.hpp"
#include "web/attention_answer.hpp"
#include "web/event_hub.hpp"
#include "web/fleet_answer.hpp"
#include "web/gpu_hours_answer.hpp"
#include "web/gpus_answer.hpp"
#include "web/job_answer.hpp"
#include "web/job_metrics.hpp"
#include "web/log_answer.hpp"
#include "web/metrics_text.hpp"
#include "web/service.hpp"
#include "web/totals_answer.hpp"
#include "web/usage_json.hpp"
#include "web/web.hpp"
#include "web/yaml_answer.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <unistd.h>

namespace training_monitor {
namespace {

namespace http = kcontrol::http;

// --once: how long a cluster that does not work is given to recover, and how long everything may take.
constexpr auto once_patience = std::chrono::seconds(5);
constexpr auto once_deadline = std::chrono::seconds(60);

// Without --state: what is remembered is looked through this often.
constexpr auto forget_period = std::chrono::minutes(10);

// A file that is wrong at several places has a line for each.
int fail(const kcontrol::error& why) {
    std::string_view rest = why.message();
    do {
        const auto end = std::min(rest.find('\n'), rest.size());
        std::fprintf(stderr, "training_monitor: %s\n", kcontrol::escape_control(rest.substr(0, end)).c_str());
        rest.remove_prefix(std::min(end + 1, rest.size()));
    } while (!rest.empty());
    return 1;
}

// A log that goes to the terminal on which the table is drawn would tear it.
kcontrol::log_level threshold(const options& o) {
    const bool table = o.output() == output_format::table || o.output() == output_format::wide;
    if (o.once()) return kcontrol::log_level::warning;
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

// The monitor and all that gets its changes, from the table to the screen.
struct parts {
    parts(kcontrol::environment& env, kcontrol::executor ex, const options& o, history& remembered, gpu_hours& counted,
          memory* state_file, std::optional<notices::notice_config> notify, const kcontrol::logger& log)
        : past(remembered),
          hours(counted),
          kept(state_file),
          core(env, ex, o, kcontrol::http::make_transport_factory(env), log,
               kcontrol::client_options().encoding(kcontrol::protobuf_encoding())),
          stream(env, core.table(), http::event_stream_options().max_clients(o.serving().max_event_streams()),
                 log.with("part", "events")),
          out(make_screen(ex, STDOUT_FILENO, log.with("part", "output"))),
          output(env, core.table(), o.output(), *out) {
        if (notify) {
            center.emplace(env, ex, std::move(*notify), past, kcontrol::http::make_transport_factory(env),
                           log.with("part", "notices"));
        }
        if (kept) points.restore(kept->take_totals(), env.wall_now());
        changes.emplace(env, past, change_consumers{stream, metrics, output, center ? &*center : nullptr, kept, &hours},
                        log);
    }

    history& past;
    gpu_hours& hours;
    memory* kept;  ///< null without --state
    monitor core;
    event_hub stream;
    std::unique_ptr<screen> out;
    live_output output;
    job_metrics metrics;
    totals points;
    std::optional<notices::center> center;
    std::optional<pipeline> changes;
};

// What the page and the interface show beside the table.
void add_routes(web& site, kcontrol::environment& env, parts& p, const options& o) {
    auto& routes = site.routes();
    more_of_job more;
    idle_question idle_since;
    if (usage_board* usage = p.core.usage()) {
        more = [usage](kcontrol::json::writer& out, const job_view& job) { write_usage(out, job, *usage); };
        idle_since = [usage](const job_view& job) {
            const auto* known = usage->find(job);
            return known ? known->idle_since : std::nullopt;
        };
    }
    site.tell_more_of_jobs(more);
    const auto offers = job_offers().logs(o.logs()).yaml(o.yaml());
    add_job_routes(
        routes, p.past, p.core.table(), [&env] { return env.wall_now(); }, &p.core.knowledge(), offers, more);
    add_attention_routes(
        routes, p.past, p.core.table(), [&env] { return env.wall_now(); }, std::move(idle_since));
    if (offers.logs()) add_log_route(routes, p.core);
    if (offers.yaml()) add_yaml_route(routes, p.core);
    routes.get("/api/v1/gone", [&p](const http::routed_request& r) { return gone_answer(p.past, r.query()); });
    routes.get("/api/v1/gpus", [&p](const http::routed_request& r) { return gpus_answer(p.core, r.query()); });
    routes.get("/api/v1/fleet", [&p](const http::routed_request& r) { return fleet_answer(p.core, r.query()); });
    routes.get("/api/v1/gpu-hours", [&p, &env](const http::routed_request& r) {
        return gpu_hours_answer(p.hours, r.query(), env.wall_now());
    });
    routes.get("/api/v1/totals", [&p](const http::routed_request& r) { return totals_answer(p.points, r.query()); });
    routes.get("/api/v1/notices", [&p](const http::routed_request&) {
        return p.center ? http::json_response(200, p.center->json() + "\n")
                        : http::error_response(404, "no notices are sent: see --notify-config");
    });
}

// For rules about GPUs that idle.
void tell_idle_jobs(parts& p) {
    p.core.on_usage([&p](const std::string& cluster) {
        std::vector<notices::idle_job> idle;
        p.core.usage()->visit(cluster, [&](const std::shared_ptr<const job_view>& job, const job_usage& usage) {
            if (usage.idle_since) idle.push_back({job, *usage.idle_since});
        });
        p.center->take_idle(cluster, idle);
    });
}

void add_metrics(web& site, kcontrol::environment& env, parts& p) {
    p.core.metrics().collect([&env](kcontrol::metrics_writer& out) { write_process_metrics(out, env); });
    site.add_metrics([&p] { return job_metrics_text(p.metrics) + p.core.metrics().text(); });
    if (p.center) site.add_metrics([&p] { return notice_metrics_text(*p.center); });
    if (!p.kept) return;
    site.add_report([&p] { return memory_report(p.kept->status()); });
    site.add_metrics([&p] { return memory_metrics(p.kept->status()); });
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
                                                      gpu_hours& hours, const kcontrol::logger& log) {
    if (o.state().file().empty()) return std::unique_ptr<memory>();
    const auto begin = env.now();
    auto file = state_file::open(o.state().file(), state_file::use::monitor);
    if (!file) return file.error();
    auto settings = memory_options().retain_for(o.state().retain_for()).retain_size(o.state().retain_size());
    auto out = std::make_unique<memory>(env, std::move(ex), std::move(worker), std::move(*file), past, log, settings);
    out->keep(hours);
    const auto started = out->start();
    if (!started) return started.error();
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(env.now() - begin);
    log.info("the state file is open", {{"file", o.state().file()},
                                        {"jobs", std::to_string(past.size())},
                                        {"milliseconds", std::to_string(took.count())}});
    return out;
}

// Who sits at a terminal looks at jobs and ends the program by keys.
void attach_terminal(kcontrol::executor ex, parts& p, std::stop_source ending) {
    if (!p.output.draws()) return;
    p.output.on_quit([ending]() mutable { ending.request_stop(); });
    p.output.on_look([&p](const job_ref& job) {
        insight& known = p.core.knowledge();
        known.look(job);
        known_of_job out{known.evidence(job), known.rights(job.cluster), {}};
        const auto view = p.core.table().find(job.cluster, job.namespace_, job.kind, job.name);
        const auto* usage = view && p.core.usage() ? p.core.usage()->find(*view) : nullptr;
        if (usage) out.usage = *usage;
        return out;
    });
    const int keys = ::isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : -1;
    p.output.attach(make_terminal(std::move(ex), keys, STDOUT_FILENO, p.output.calls()));
}

kcontrol::awaitable<int> watch(kcontrol::environment& env, kcontrol::executor ex, const options& o, parts& p,
                               kcontrol::logger log, std::stop_token asked) {
    std::stop_source ending;
    const std::stop_callback as_asked(asked, [&ending] { ending.request_stop(); });
    const std::stop_token stop = ending.get_token();
    std::unique_ptr<kcontrol::cluster_source> source;
    if (!o.demo()) {
        auto made = make_source(env, ex, o, p.kept, log);
        if (!made) co_return fail(made.error());
        source = std::move(*made);
    }
    web site(env, p.core.table(), p.stream);
    if (p.center && p.core.usage()) tell_idle_jobs(p);
    add_routes(site, env, p, o);
    add_metrics(site, env, p);
    auto pages = make_service(env, ex, site, o, log);
    if (!pages) co_return fail(pages.error());
    const auto url = (*pages)->start();
    if (!url) co_return fail(url.error());
    if (!url->empty()) log.info("serving", {{"url", *url}});
    p.output.headline("Training jobs" + (url->empty() ? "" : ", " + *url) + " (Ctrl-C stops)");
    const change_handler publish = [&p](const std::vector<change>& changes) { p.changes->publish(changes); };
    if (source) {
        const auto started = p.core.start(std::move(source), publish);
        if (!started) {
            co_return fail(
                started.error().with_context(o.secrets_namespace().empty() ? "--clusters" : "--home-kubeconfig"));
        }
    }
    attach_terminal(ex, p, ending);
    kcontrol::task_group tasks(env, ex, log);
    tasks.spawn(p.output.run(stop));
    tasks.spawn((*pages)->renew(stop));
    tasks.spawn(record_minutes(env, p.core.table(), p.hours, p.points, p.kept, stop));
    if (p.center) tasks.spawn(p.center->run(stop));
    if (!p.kept) tasks.spawn(forget_old(env, p.past, o.state().retain_for(), stop));
    int status = 0;
    if (o.demo()) {
        const auto played = co_await demo::play_for_ever(env, ex, p.core, publish, p.output, stop);
        ending.request_stop();
        p.output.leave();  // its other screen would take the error along
        if (!played) status = fail(played.error());
    } else {
        co_await wait_for(env, stop);
    }
    if (status == 0) log.info("asked to stop: connections and clusters are closed");
    co_await (*pages)->stop();
    if (status == 0) co_await tasks.join();
    co_return status;
}

kcontrol::awaitable<int> once(kcontrol::environment& env, kcontrol::executor ex, const options& o, parts& p,
                              kcontrol::logger log, std::stop_token stop) {
    if (o.demo()) {
        const int status = co_await demo::play_once(env, ex, p.core, p.output, stop);
        co_return status;
    }
    auto source = make_source(env, ex, o, nullptr, log);
    if (!source) co_return fail(source.error());
    const auto started = p.core.start(std::move(*source), {});  // one snapshot of the table, no changes
    if (!started) co_return fail(started.error());
    const int status = co_await print_once(p.core, p.output, stop);
    co_return status;
}

// --kind-rules. Its kinds are watched.
kcontrol::result<std::unique_ptr<extra_kinds>> load_kinds(kcontrol::environment& env, options& o) {
    const auto text = env.read_file(o.kind_rules(), most_kind_file_bytes);
    if (!text) return text.error();
    auto read = extra_kinds::read(*text);
    if (!read) return read.error().with_context(o.kind_rules());
    auto kinds = o.kinds();
    kinds.insert(kinds.end(), (*read)->names().begin(), (*read)->names().end());
    o.kinds(std::move(kinds));
    return read;
}

}  // namespace

kcontrol::awaitable<int> run_program(kcontrol::environment& env, kcontrol::executor ex, kcontrol::executor worker,
                                     options o, std::stop_token stop) {
    kcontrol::logger log(kcontrol::standard_error_sink(env, o.log()), threshold(o));
    std::unique_ptr<extra_kinds> more_kinds;  // before all that names kinds
    if (!o.kind_rules().empty()) {
        auto read = load_kinds(env, o);
        if (!read) {
            fail(read.error().with_context("--kind-rules"));
            co_return 2;
        }
        more_kinds = std::move(*read);
    }
    std::optional<notices::notice_config> notify;
    if (!o.notify_config().empty()) {
        auto loaded = notices::load_config(env, o.notify_config(), !o.test_notify());
        if (!loaded) {
            fail(loaded.error().with_context("--notify-config"));
            co_return 2;
        }
        notify = std::move(*loaded);
        notify->external_url = o.external_url();
        const bool wants_usage = std::any_of(notify->rules.begin(), notify->rules.end(), [](const notices::rule& r) {
            return r.condition == notices::job_condition::gpus_idle;
        });
        if (wants_usage && !o.usage().on() && !o.test_notify()) {
            fail(kcontrol::error(kcontrol::errc::invalid_config,
                                 "--notify-config: " + o.notify_config() +
                                     ": a rule with gpusIdle needs --gpu-usage, by which that is known"));
            co_return 2;
        }
    }
    if (o.test_notify()) {
        const int tested = co_await test_notices(env, ex, *notify, *o.test_notify(), stop);
        co_return tested;
    }
    history past(history_options().namespaces(o.namespaces()));
    gpu_hours hours;
    auto kept = make_memory(env, ex, worker, o, past, hours, log);
    if (!kept) co_return fail(kept.error());
    parts p(env, ex, o, past, hours, kept->get(), std::move(notify), log);
    int status = 0;
    if (o.once()) {
        status = co_await once(env, ex, o, p, log, stop);
    } else {
        status = co_await watch(env, ex, o, p, log, stop);
    }
    co_await p.core.stop();
    if (*kept) co_await (*kept)->stop();
    if (!o.once()) log.info("stopped", {{"status", std::to_string(status)}});
    co_return status;
}

}  // namespace training_monitor
