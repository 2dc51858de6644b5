#include "program.hpp"

#include <kcontrol/client/client.hpp>
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/manager/health.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/metrics/process_metrics.hpp>
#include <kcontrol/runtime/staged_file.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/transport/server.hpp>

#include "guarded_serving/guarded_server.hpp"
#include "json_log.hpp"
#include "metrics/dcgm_metrics.hpp"
#include "node/label_store.hpp"
#include "push/pusher.hpp"
#include "service/follow_registration.hpp"
#include "service/gpu_marks.hpp"
#include "service/health_reporter.hpp"
#include "service/history_file.hpp"
#include "service/labeler.hpp"
#include "service/measurer.hpp"
#include "service/reports.hpp"
#include "service/site.hpp"
#include "web/handlers.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace gpu_labeler {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

// A handler takes microseconds; who still waits for an answer then has lost interest in the stop.
constexpr auto drain = std::chrono::milliseconds(200);

// Where the labels go, and the file whose token tells of the Node there; empty where it would make no difference.
class opened_store {
public:
    explicit opened_store(std::unique_ptr<label_store> s) : store(std::move(s)) {}

    std::unique_ptr<label_store> store;
    std::string token_file;
    std::optional<kcontrol::client> api;  // by which it writes, if it asks an API server
};

result<kcontrol::client> connect(kcontrol::environment& env, kcontrol::executor ex, const options& o,
                                 const kcontrol::logger& log) {
    const auto config = kcontrol::find_cluster_config(env, o.kubeconfig(), o.context());
    if (!config) return config.error();
    return kcontrol::client::connect(env, std::move(ex), *config, kcontrol::http::make_transport_factory(env), log);
}

result<opened_store> object_store(kcontrol::environment& env, kcontrol::executor ex, const options& o,
                                  const kcontrol::logger& log) {
    const auto config = kcontrol::find_cluster_config(env, o.kubeconfig(), o.context());
    if (!config) return config.error();
    auto api = kcontrol::client::connect(env, ex, *config, kcontrol::http::make_transport_factory(env), log);
    if (!api) return api.error();
    if (o.output() == label_output::node) {
        opened_store out(make_node_store(*api, o.node_name()));
        out.token_file = config->token_file();
        out.api = std::move(*api);
        return out;
    }
    const auto& in_namespace = o.in_namespace().empty() ? config->default_namespace() : o.in_namespace();
    if (in_namespace.empty()) {
        return error(errc::invalid_argument, "--output nodefeature: which namespace? Say --namespace");
    }
    opened_store out(make_node_feature_store(*api, o.node_name(), in_namespace));
    out.api = std::move(*api);
    return out;
}

result<opened_store> open_store(kcontrol::environment& env, kcontrol::executor ex, const options& o,
                                const kcontrol::logger& log) {
    switch (o.output()) {
    case label_output::file: return opened_store(make_file_store(env, o.features_file()));
    case label_output::none: return opened_store(make_no_store());
    case label_output::node:
    case label_output::node_feature: break;
    }
    return object_store(env, std::move(ex), o, log);
}

result<loop_settings> settings_of(const options& o) {
    auto schedule = cron::schedule::parse(o.schedule(), cron::time_zone::local());
    if (!schedule) return schedule.error().with_context("--schedule");
    loop_settings out(std::move(*schedule));
    out.start_jitter(o.start_jitter()).resync(o.resync_interval()).keep(o.keep_labels()).once(o.once());
    return out;
}

std::optional<pod_resources_client> kubelet(kcontrol::environment& env, kcontrol::executor ex, const options& o) {
    if (o.pod_resources_socket().empty()) return std::nullopt;
    return pod_resources_client(env, std::move(ex), o.pod_resources_socket());
}

kcontrol::awaitable<int> clean_up(label_store& store, std::optional<kcontrol::client> api, std::string node,
                                  kcontrol::logger log, std::stop_token stop) {
    if (api) {
        const auto cleared = co_await clear_health(std::move(*api), std::move(node), stop);
        if (!cleared) {
            log.error("the health of the GPUs can't be removed", {{"error", cleared.error().message()}});
            co_return 1;
        }
    }
    const auto done = co_await store.clear(std::move(stop));
    if (!done) {
        log.error("the labels can't be removed", {{"error", done.error().message()}});
        co_return 1;
    }
    log.info("nothing of this program is there any more", {{"where", store.name()}});
    co_return 0;
}

// A log whose level may change while it is written.
class log_with_level {
public:
    log_with_level(kcontrol::environment& env, const options& o) : level_(std::make_shared<kcontrol::log_level>()) {
        set(o);
        const auto sink = log_to_standard_error(env, o.log_format());
        log_ = kcontrol::logger(
            [sink, level = level_](const kcontrol::log_record& record) {
                if (record.level >= *level) sink(record);
            },
            kcontrol::log_level::debug);
        if (!o.node_name().empty()) log_ = log_.with("node", o.node_name());
    }

    void set(const options& o) { *level_ = o.log_level(); }
    const kcontrol::logger& log() const noexcept { return log_; }

private:
    std::shared_ptr<kcontrol::log_level> level_;
    kcontrol::logger log_;
};

// What is served at the two ports.
class face {
public:
    face(kcontrol::environment& env, kcontrol::executor ex, site& pages, const options& o,
         guarded_serving::serving_secrets secrets, const kcontrol::logger& log)
        : all_(env, ex, pages.handler(), o.listen(), o.access(), std::move(secrets), limits(o), "gpu_labeler", log),
          health_(env, ex, pages.probe_handler(), kcontrol::health_server_options().drain_timeout(drain), log) {
        counts_.collect([this](kcontrol::metrics_writer& out) {
            kcontrol::http::write_server_metrics(out, "main", all_.stats());
            kcontrol::http::write_server_metrics(out, "health", health_.stats());
        });
        pages.add_metrics([this] { return counts_.text(); });
    }

    result<void> listen(const options& o, const kcontrol::logger& log) {
        const auto url = all_.start();
        if (!url) return url.error();
        if (!url->empty()) log.info("serving", {{"url", *url}});
        auto at = o.health_probe_bind_address();
        if (!at.enabled) return {};
        const auto listening = health_.listen(at);
        if (!listening) return listening.error().with_context("--health-probe-bind-address");  // it names the address
        health_.start();
        at.port = health_.local_port();
        log.info("serving health", {{"url", "http://" + at.text() + "/"}});
        return {};
    }

    kcontrol::awaitable<void> renew(std::stop_token stop) { return all_.renew(std::move(stop)); }

    kcontrol::awaitable<void> stop() {
        co_await all_.stop();
        co_await health_.stop();
    }

private:
    static kcontrol::http::server_options limits(const options& o) {
        kcontrol::http::server_options out;
        out.max_connections(o.max_connections()).max_buffered_bytes(defaults::max_buffered_bytes);
        return out.max_body(std::size_t{1} << 10).drain_timeout(drain);  // nothing takes a body
    }

    guarded_serving::guarded_server all_;
    kcontrol::http::server health_;
    kcontrol::metrics_registry counts_;
};

// Takes over what may change, whenever it is asked to.
kcontrol::awaitable<void> follow(kcontrol::environment& env, reload_request& reloads, options& o,
                                 std::function<void()> take_over, kcontrol::logger log, std::stop_token stop) {
    for (;;) {
        const bool asked = co_await reloads.asked(env, stop);
        if (!asked) co_return;
        const auto fresh = reloads.read();
        if (!fresh) {
            log.error("the settings can't be read again; those before hold on", {{"error", fresh.error().message()}});
            continue;
        }
        auto change = change_settings(o, *fresh);
        o = std::move(change.now);
        take_over();
        std::vector<kcontrol::log_field> fields{{"changed", change.taken.empty() ? "nothing" : change.taken}};
        if (!change.left.empty()) fields.push_back({"after a restart", change.left});
        log.info("settings read again", std::move(fields));
    }
}

// The labels, and beside them, where --listen asks for it, everything that is served.
kcontrol::awaitable<program_result> keep_labels(kcontrol::environment& env, kcontrol::executor ex, options& o,
                                                opened_store opened, std::optional<kcontrol::client> api,
                                                log_with_level& logging, reload_request* reloads,
                                                std::stop_token stop) {
    program_result out;
    const auto& log = logging.log();
    auto settings = settings_of(o);
    if (!settings) {
        log.error(settings.error().message());
        out.status = 1;
        co_return out;
    }
    gpu_marks gpus(env, ex, o);
    labeler keeper(
        env, std::move(*settings), [&gpus](std::stop_token s) { return gpus.read(std::move(s)); },
        std::move(opened.store), log);
    web_handlers shown(o.node_name(), history_layout::for_samples_every(o.sample_interval()));
    keeper.on_read([&shown](const inventory& found) { shown.take(found); });
    site pages(keeper.status(), shown);
    node_sample measured;
    pages.add_metrics([&] { return dcgm_metrics(measured, o.hostname().empty() ? o.node_name() : o.hostname()); });
    pages.add_metrics([&] { return loop_metrics(keeper.status(), gpus.reader().watching(), gpus.reader().hanging()); });
    kcontrol::metrics_registry counts(log);
    counts.collect([&env, asks = opened.api ? opened.api : api](kcontrol::metrics_writer& to) {
        kcontrol::write_process_metrics(to, env);
        if (asks) kcontrol::write_request_metrics(to, asks->requests());
    });
    pages.add_metrics([&counts] { return counts.text(); });
    auto secrets = guarded_serving::read_serving_files(env, o.access());
    if (!secrets) {
        log.error("can't serve", {{"error", secrets.error().message()}});
        out.status = 1;
        co_return out;
    }
    face serving(env, ex, pages, o, std::move(*secrets), log);
    std::optional<health_reporter> teller;
    if (api) teller.emplace(env, ex, std::move(*api), o.node_name(), log);
    std::optional<history_file> kept;
    if (!o.history_file().empty()) kept.emplace(env, shown.past(), o.history_file(), kcontrol::replace_file, log);
    std::optional<pusher> pushing;
    if (o.push().target().given()) {
        pushing.emplace(env, ex, o.push(), o.hostname().empty() ? o.node_name() : o.hostname(),
                        kcontrol::http::make_transport_factory(env), log);
        pages.add_metrics([&pushing] { return pushing->metrics(); });
    }
    measurer meter(env, gpus.reader(), kubelet(env, ex, o), o.sample_interval(), log);
    meter.on_change([&keeper] { keeper.event(); });
    meter.on_sample([&](const node_sample& sample) {
        shown.take(sample);
        measured = sample;
        if (teller) teller->take(sample);
        if (pushing) pushing->take(sample);
    });
    kcontrol::task_group tasks(env, ex, log);
    if (!o.once()) {
        const auto listening = serving.listen(o, log);
        if (!listening) {
            log.error("can't serve", {{"error", listening.error().message()}});
            out.status = 1;
            co_return out;
        }
    }
    if (kept && !o.once()) {
        kept->load();
        tasks.spawn(kept->keep(stop));
    }
    if (pushing && !o.once()) tasks.spawn(pushing->run(stop));
    if ((o.listen().enabled || teller || pushing || kept) && !o.once()) tasks.spawn(meter.measure(stop));
    if (o.listen().enabled && !o.once()) tasks.spawn(meter.ask_kubelet(stop));
    if (!o.once()) tasks.spawn(serving.renew(stop));
    if (teller) tasks.spawn(teller->run(stop));
    if (!o.once()) {
        tasks.spawn(meter.watch(stop));
        const std::function<void()> renewed = [&keeper, &teller] {
            keeper.node_renewed();
            if (teller) teller->node_renewed();
        };
        tasks.spawn(follow_registration(env, std::move(opened.token_file), renewed, log, stop));
    }
    const std::function<void()> take_over = [&] {
        logging.set(o);
        gpus.change(o);
        if (auto changed = settings_of(o)) keeper.change(std::move(*changed));
        meter.change_interval(o.sample_interval());
    };
    if (reloads && !o.once()) tasks.spawn(follow(env, *reloads, o, take_over, log, stop));
    co_await keeper.run(stop);
    co_await serving.stop();
    co_await tasks.join();
    out.status = !o.once() || keeper.succeeded() ? 0 : 1;
    out.hanging = gpus.reader().hanging() > 0;
    co_return out;
}

}  // namespace

kcontrol::awaitable<program_result> run_program(kcontrol::environment& env, kcontrol::executor ex, options o,
                                                std::stop_token stop, reload_request* reloads) {
    log_with_level logging(env, o);
    const auto& log = logging.log();
    program_result out;
    auto opened = open_store(env, ex, o, log);
    if (!opened) {
        log.error("there is no way to the labels", {{"error", opened.error().message()}});
        out.status = 1;
        co_return out;
    }
    std::optional<kcontrol::client> api;
    if (o.report_health() && opened->api) {
        api = opened->api;  // one client, whose requests are counted together
    } else if (o.report_health()) {
        auto connected = connect(env, ex, o, log);
        if (!connected) {
            log.error("there is no way to the Node", {{"error", connected.error().message()}});
            out.status = 1;
            co_return out;
        }
        api = std::move(*connected);
    }
    if (o.cleanup()) {
        out.status = co_await clean_up(*opened->store, std::move(api), o.node_name(), log, stop);
        co_return out;
    }
    log.info("starting", {{"where", opened->store->name()}, {"schedule", o.schedule()}});
    out = co_await keep_labels(env, ex, o, std::move(*opened), std::move(api), logging, reloads, stop);
    if (!o.once()) log.info("stopped");
    co_return out;
}

}  // namespace gpu_labeler
