#include "monitor.hpp"

#include "table/watched.hpp"
#include "web/health.hpp"

#include <algorithm>

namespace training_monitor {
namespace {

std::string time_text(const std::optional<kcontrol::wall_time>& at) {
    if (!at) return {};
    return to_rfc3339(std::chrono::floor<std::chrono::seconds>(*at).time_since_epoch().count());
}

cluster_view view_of(const kcontrol::cluster_status& status) {
    cluster_view out;
    out.name = status.name;
    out.state = to_string(status.state);
    out.reason = status.reason;
    out.server = status.server;
    out.generation = status.generation;
    out.last_sync = time_text(status.last_sync);
    for (const auto& kind : status.kinds) {
        const auto& informer = kind.informer;
        out.kinds.push_back({kind.gvk.kind, kind.gvk.api_version(), std::string(to_string(informer.state)),
                             informer.reason, informer.objects, informer.lists, informer.watches,
                             time_text(informer.last_event), informer.invalid, informer.server_changes,
                             informer.rollbacks});
    }
    return out;
}

// Complete or out of order, but no longer on its way.
bool is_settled(const cluster_view& cluster) {
    if (cluster.state == "connecting") return false;
    return std::none_of(cluster.kinds.begin(), cluster.kinds.end(),
                        [](const auto& kind) { return kind.state == "listing" || kind.state == "idle"; });
}

}  // namespace

monitor::monitor(kcontrol::environment& env, kcontrol::executor ex, const options& o,
                 kcontrol::http::transport_factory transport, kcontrol::logger log)
    : env_(env) {
    kcontrol::multicluster_options settings;
    settings.kinds(choose_kinds(o.kinds())).namespaces(o.namespaces());
    settings.transport(std::move(transport)).log(std::move(log));
    // It is told every version that a server sends, also where many come at once: of a job that ran and ended between
    // two looks, the history and the notices have both.
    settings.on_event([this](const std::string& cluster, const kcontrol::resource_info& info,
                             const kcontrol::any_event& event) { take_event(cluster, info, event); });
    settings.on_status([this](const kcontrol::cluster_status& status) { tell(table_.set_cluster(view_of(status))); });
    settings.on_removed([this](const std::string& cluster) { tell(table_.remove_cluster(cluster)); });
    clusters_ = std::make_unique<kcontrol::multicluster_manager>(env, std::move(ex), std::move(settings));
}

void monitor::take_event(const std::string& cluster, const kcontrol::resource_info& info,
                         const kcontrol::any_event& event) {
    if (event.resync) return;
    auto job = observe(info, event.object(), cluster);
    switch (event.type) {
    case kcontrol::event_type::added: return tell(table_.add(std::move(job), event.initial));
    case kcontrol::event_type::updated: return tell(table_.update(std::move(job)));
    case kcontrol::event_type::deleted: return tell(table_.remove(job));
    case kcontrol::event_type::generic: return;  // no informer tells it
    }
}

void monitor::tell(const std::vector<change>& changes) {
    if (changes.empty() || stopping_) return;
    if (publish_) publish_(changes);
    changed_.notify_all();
}

kcontrol::result<void> monitor::start(std::unique_ptr<kcontrol::cluster_source> source, change_handler publish) {
    source_ = std::move(source);
    publish_ = std::move(publish);
    return source_->start([this](std::vector<kcontrol::desired_cluster> desired) {
        expected_.emplace();
        for (const auto& cluster : desired) expected_->push_back(cluster.name);
        clusters_->set_desired(std::move(desired));
        changed_.notify_all();
    });
}

kcontrol::awaitable<void> monitor::stop() {
    stopping_ = true;
    if (source_) source_->stop();
    co_await clusters_->stop();
}

kcontrol::awaitable<bool> monitor::wait_complete(std::stop_token stop, kcontrol::duration patience,
                                                 kcontrol::duration deadline) {
    const auto started = env_.now();
    const auto is_due = [&](kcontrol::duration after) { return env_.now() >= started + after; };
    while (!stop.stop_requested() && !is_due(deadline)) {
        const auto clusters = table_.clusters();
        const bool all_known = expected_ && clusters.size() == expected_->size();
        const bool complete =
            all_known && std::all_of(clusters.begin(), clusters.end(), [](const auto& c) { return is_complete(*c); });
        if (complete) co_return true;
        // Without a usable configuration a cluster has no kinds, and waiting won't help.
        const bool hopeless = std::any_of(clusters.begin(), clusters.end(),
                                          [](const auto& c) { return c->state == "failed" && c->kinds.empty(); });
        const bool settled =
            all_known && std::all_of(clusters.begin(), clusters.end(), [](const auto& c) { return is_settled(*c); });
        if (settled && (hopeless || is_due(patience))) co_return false;
        const auto next = is_due(patience) ? deadline : patience;
        co_await changed_.wait(env_, stop, started + next);
    }
    co_return false;
}

}  // namespace training_monitor
