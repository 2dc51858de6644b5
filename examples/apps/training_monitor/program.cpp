#include "program.hpp"

#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/transport/client.hpp>

#include "config_files.hpp"
#include "demo/demo.hpp"
#include "demo/notice_sink.hpp"
#include "failure.hpp"
#include "gpus/gpu_hours.hpp"
#include "memory/open_memory.hpp"
#include "minutes.hpp"
#include "notices/send_test.hpp"
#include "once.hpp"
#include "parts.hpp"
#include "site.hpp"
#include "sources.hpp"
#include "web/service.hpp"

#include <cstdio>
#include <unistd.h>

namespace training_monitor {
namespace {

// A log that goes to the terminal on which the table is drawn would tear it.
kcontrol::log_level threshold(const options& o) {
    const bool table = o.output() == output_format::table || o.output() == output_format::wide;
    if (o.once()) return kcontrol::log_level::warning;
    const bool both_on_terminal = ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
    return table && both_on_terminal ? kcontrol::log_level::error : kcontrol::log_level::info;
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

kcontrol::awaitable<void> wait_for(kcontrol::environment& env, std::stop_token stop) {
    kcontrol::async_event never;
    co_await never.wait(env, stop);
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
    fill_site(site, env, p, o);
    auto pages = make_service(env, ex, site, o, log);
    if (!pages) co_return fail(pages.error());
    const auto url = (*pages)->start();
    if (!url) co_return fail(url.error());
    if (!url->empty()) log.info("serving", {{"url", *url}});
    p.output.source(source_text(o));
    p.output.headline("Training jobs" + (url->empty() ? "" : ", " + *url) + " (Ctrl-C stops)");
    const change_handler publish = p.publish();
    if (source) {
        const auto started = p.core.start(std::move(source), publish);
        if (!started) {
            co_return fail(
                started.error().with_context(o.secrets_namespace().empty() ? "--clusters" : "--home-kubeconfig"));
        }
    }
    p.attach_terminal(ex, ending);
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

}  // namespace

kcontrol::awaitable<int> run_program(kcontrol::environment& env, kcontrol::executor ex, kcontrol::executor worker,
                                     options o, std::stop_token stop) {
    kcontrol::logger log(kcontrol::standard_error_sink(env, o.log()), threshold(o));
    const auto more_kinds = load_kinds(env, o);  // before all that names kinds
    auto notify = more_kinds ? load_notices(env, o) : more_kinds.error();
    if (!notify) {
        fail(notify.error());
        co_return 2;
    }
    if (o.test_notify()) {
        const int tested = co_await test_notices(env, ex, **notify, *o.test_notify(), stop);
        co_return tested;
    }
    history past(history_options().namespaces(o.namespaces()));
    gpu_hours hours;
    auto kept = open_memory(env, ex, worker, o.state(), past, hours, log);
    if (!kept) co_return fail(kept.error());
    kcontrol::auth::cluster_config home;
    if (o.fleet().shares()) {
        auto found = home_cluster(env, o, "--shard-group");
        if (!found) co_return fail(found.error());
        home = std::move(*found);
    }
    std::optional<demo::notice_sink> sink;  // people see what they would get
    if (o.demo() && !o.once() && !*notify) {
        sink.emplace(env, ex);
        if (const auto started = sink->start(); !started) co_return fail(started.error());
        *notify = sink->config();
    }
    parts p(env, ex, o, past, hours, kept->get(), std::move(*notify), std::move(home), log);
    if (sink) p.sink = &*sink;
    int status = 0;
    if (o.once()) {
        status = co_await run_once(env, ex, o, p, log, stop);
    } else {
        status = co_await watch(env, ex, o, p, log, stop);
    }
    co_await p.core.stop();
    if (sink) co_await sink->stop();
    if (*kept) co_await (*kept)->stop();
    if (!o.once()) log.info("stopped", {{"status", std::to_string(status)}});
    co_return status;
}

}  // namespace training_monitor
