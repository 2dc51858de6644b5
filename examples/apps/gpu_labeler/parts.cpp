#include "parts.hpp"

#include <kcontrol/metrics/process_metrics.hpp>
#include <kcontrol/runtime/staged_file.hpp>
#include <kcontrol/transport/client.hpp>

#include "metrics/dcgm_metrics.hpp"
#include "service/follow_registration.hpp"
#include "service/reports.hpp"

namespace gpu_labeler {
namespace {

health_patience patience_of(const options& o) {
    return {o.health_unknown_after(), o.health_known_after(), o.health_well_after()};
}

std::optional<pod_resources_client> kubelet(kcontrol::environment& env, kcontrol::executor ex, const options& o) {
    if (o.pod_resources_socket().empty()) return std::nullopt;
    return pod_resources_client(env, std::move(ex), o.pod_resources_socket());
}

}  // namespace

kcontrol::result<loop_settings> settings_of(const options& o) {
    auto schedule = cron::schedule::parse(o.schedule(), cron::time_zone::local());
    if (!schedule) return schedule.error().with_context("--schedule");
    loop_settings out(std::move(*schedule));
    out.start_jitter(o.start_jitter()).resync(o.resync_interval()).keep(o.keep_labels()).once(o.once());
    return out;
}

parts::parts(kcontrol::environment& env, kcontrol::executor ex, const options& o, loop_settings settings,
             guarded_serving::serving_secrets secrets, opened_store opened, const kcontrol::logger& log)
    : gpus(env, ex, o),
      keeper(
          env, std::move(settings), [this](std::stop_token s) { return gpus.read(std::move(s)); },
          std::move(opened.store), log),
      shown(o.node_name(), history_layout::for_samples_every(o.sample_interval())),
      pages(keeper.status(), shown),
      counts(log),
      serving(env, ex, pages, o, std::move(secrets), log),
      meter(env, gpus.reader(), kubelet(env, ex, o), o.sample_interval(), log),
      env_(env),
      o_(o),
      log_(log),
      token_file_(std::move(opened.token_file)) {
    if (opened.health) health.emplace(env, ex, *opened.health, o.node_name(), log, patience_of(o));
    if (!o.history_file().empty()) past.emplace(env, shown.past(), o.history_file(), kcontrol::replace_file, log);
    if (o.push().target().given()) {
        pushing.emplace(env, ex, o.push(), host(), kcontrol::http::make_transport_factory(env), log);
    }
    feed();
    add_metrics(opened.api ? std::move(opened.api) : std::move(opened.health));
}

std::string parts::host() const { return o_.hostname().empty() ? o_.node_name() : o_.hostname(); }

void parts::feed() {
    keeper.on_read([this](const inventory& found) { shown.take(found); });
    meter.on_change([this] { keeper.event(); });
    meter.on_sample([this](const node_sample& sample) {
        shown.take(sample);
        measured = sample;
        if (health) health->take(sample);
        if (pushing) pushing->take(sample);
    });
}

void parts::add_metrics(std::optional<kcontrol::client> asks) {
    counts.collect([this, asks = std::move(asks)](kcontrol::metrics_writer& to) {
        kcontrol::write_process_metrics(to, env_);
        if (asks) kcontrol::write_request_metrics(to, asks->requests());
    });
    pages.add_metrics([this] { return dcgm_metrics(measured, host()); });
    pages.add_metrics(
        [this] { return loop_metrics(keeper.status(), gpus.reader().watching(), gpus.reader().hanging()); });
    pages.add_metrics([this] { return counts.text(); });
    pages.add_metrics([this] { return serving.metrics(); });
    if (pushing) pages.add_metrics([this] { return pushing->metrics(); });
}

void parts::start(kcontrol::task_group& tasks, std::stop_token stop) {
    if (past) {
        past->load();
        tasks.spawn(past->keep(stop));
    }
    if (pushing) tasks.spawn(pushing->run(stop));
    if (o_.listen().enabled || health || pushing || past) tasks.spawn(meter.measure(stop));
    if (o_.listen().enabled) tasks.spawn(meter.ask_kubelet(stop));
    tasks.spawn(serving.renew(stop));
    if (health) tasks.spawn(health->run(stop));
    tasks.spawn(meter.watch(stop));
    tasks.spawn(follow_registration(
        env_, token_file_, [this] { node_renewed(); }, log_, stop));
}

void parts::node_renewed() {
    keeper.node_renewed();
    if (health) health->node_renewed();
}

void parts::take_over() {
    gpus.change(o_);
    if (auto changed = settings_of(o_)) keeper.change(std::move(*changed));
    meter.change_interval(o_.sample_interval());
    if (health) health->change(patience_of(o_));
}

}  // namespace gpu_labeler
