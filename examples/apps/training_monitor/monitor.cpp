#include "monitor.hpp"

#include "table/health.hpp"
#include "table/watched.hpp"

#include <algorithm>

namespace training_monitor {
namespace {

std::string time_text(const std::optional<kcontrol::wall_time>& at) {
    if (!at) return {};
    return to_rfc3339(std::chrono::floor<std::chrono::seconds>(*at).time_since_epoch().count());
}

bool is_pod(const kcontrol::kind_status& kind) { return kind.gvk.group.empty() && kind.gvk.kind == "Pod"; }

cluster_view view_of(const kcontrol::cluster_status& status) {
    cluster_view out;
    out.name = status.name;
    out.state = to_string(status.state);
    out.reason = status.reason;
    out.server = status.server;
    out.generation = status.generation;
    out.last_sync = time_text(status.last_sync);
    std::vector<kcontrol::kind_status> jobs;
    for (const auto& kind : status.kinds) {
        const auto& informer = kind.informer;
        if (is_pod(kind)) {
            out.pods = to_string(informer.state);
            out.pods_reason = informer.reason;
            continue;
        }
        jobs.push_back(kind);
        out.kinds.push_back({kind.gvk.kind, kind.gvk.api_version(), std::string(to_string(informer.state)),
                             informer.reason, informer.objects, informer.lists, informer.watches,
                             time_text(informer.last_event), informer.invalid, informer.server_changes,
                             informer.rollbacks});
    }
    // Pods are beside the matter: a cluster whose jobs are in view is live, with the right to read pods or without.
    const auto [state, reason] = kcontrol::derive_cluster_state(status.kinds);
    if (!out.pods.empty() && state == status.state && (reason == status.reason || reason.empty())) {
        const auto [of_jobs, why] = kcontrol::derive_cluster_state(jobs);
        out.state = to_string(of_jobs);
        if (!reason.empty()) out.reason = why;
    }
    return out;
}

kcontrol::cluster_budget budget_of(const fleet_options& o) {
    kcontrol::cluster_budget out;
    out.max_concurrent_requests(o.max_concurrent_requests()).max_consecutive_failures(o.max_consecutive_failures());
    return out.objects(o.max_objects());
}

// Nothing of it can be seen: a cluster whose every kind that is installed is forbidden has failed, whatever else works.
void fail_if_all_forbidden(cluster_view& view) {
    const kind_view* forbidden = nullptr;
    for (const auto& kind : view.kinds) {
        if (kind.state == "not-installed") continue;
        if (kind.state != "forbidden") return;
        forbidden = &kind;
    }
    if (!forbidden) return;
    view.state = to_string(kcontrol::cluster_state::failed);
    view.reason = "every kind is forbidden: " + forbidden->reason;
}

// The library has a line for each informer, too, and for a cluster that is about to connect or to be left as the
// program ends. A cluster is one line per change here; what else there is to know of it is on the page.
kcontrol::logger line_per_change(const kcontrol::logger& to, std::stop_token ending) {
    return kcontrol::logger([to, ending = std::move(ending)](const kcontrol::log_record& r) {
        const bool is_detail = r.message.starts_with("the informer is ") || r.message == "the cluster joined" ||
                               (ending.stop_requested() && r.message == "the cluster is disengaged");
        to.write(is_detail ? kcontrol::log_level::debug : r.level, r.message, r.fields);
    });
}

bool pods_settled(const cluster_view& cluster) { return cluster.pods != "listing" && cluster.pods != "idle"; }

// Complete or out of order, but no longer on its way.
bool is_settled(const cluster_view& cluster) {
    if (cluster.state == "connecting") return false;
    if (!pods_settled(cluster)) return false;
    return std::none_of(cluster.kinds.begin(), cluster.kinds.end(),
                        [](const auto& kind) { return kind.state == "listing" || kind.state == "idle"; });
}

}  // namespace

monitor::monitor(kcontrol::environment& env, kcontrol::executor ex, const options& o,
                 kcontrol::http::transport_factory transport, kcontrol::logger log, kcontrol::client_options treats,
                 kcontrol::auth::cluster_config home)
    : env_(env),
      log_(log),
      source_of_clusters_(source_text(o)),
      insight_(env, o.kinds(), o.namespaces(), log.with("part", "pods")) {
    table_.on_explain([this](job_view& job) { insight_.explain(job); });
    insight_.on_news(
        [this](const job_ref& job) { tell(table_.explain_again(job.cluster, job.namespace_, job.kind, job.name)); });
    insight_.on_find(
        [this](const job_ref& job) { return table_.find(job.cluster, job.namespace_, job.kind, job.name); });
    kcontrol::multicluster_options settings;
    settings.kinds(choose_kinds(o.kinds())).namespaces(o.namespaces());
    settings.budget(budget_of(o.fleet()));
    if (const auto rate = o.fleet().rate_limit(); rate != 0) {
        treats.rate_limit(rate, 2 * rate);
    }
    settings.transport(std::move(transport))
        .client(std::move(treats))
        .log(line_per_change(log_, ending_.get_token()))
        .metrics(counts_);
    if (o.fleet().shares()) {
        kcontrol::sharding_options group(o.fleet().shard_group());
        settings.sharding(group.weight(o.fleet().shard_weight()), std::move(home));
    }
    // It is told every version that a server sends, also where many come at once: of a job that ran and ended between
    // two looks, the history and the notices have both.
    settings.on_event([this](const std::string& cluster, const kcontrol::resource_info& info,
                             const kcontrol::any_event& event) { take_event(cluster, info, event); });
    settings.on_status([this](const kcontrol::cluster_status& status) { take_status(status); });
    settings.on_engage([this](kcontrol::engaged_cluster& cluster) { insight_.engage(cluster); });
    settings.on_disengage([this](kcontrol::engaged_cluster& cluster) { insight_.disengage(cluster.name()); });
    if (o.usage().on()) measure_usage(o.usage());
    settings.on_removed([this](const std::string& cluster) {
        logged_.erase(cluster);
        gpus_.forget(cluster);
        if (usage_) usage_->forget(cluster);
        tell(table_.remove_cluster(cluster));
    });
    clusters_ = std::make_unique<kcontrol::multicluster_manager>(env, std::move(ex), std::move(settings));
}

void monitor::measure_usage(const usage_options& how) {
    usage_sources from;
    from.client_of = [this](const std::string& cluster) { return insight_.client_of(cluster); };
    from.clusters = [this] {
        std::vector<std::string> out;
        for (const auto& cluster : table_.clusters()) out.push_back(cluster->name);
        return out;
    };
    from.jobs = [this](const std::string& cluster) { return jobs_to_measure(cluster); };
    usage_.emplace(env_, how, std::move(from));
    usage_->on_news([this, said = how.is_asked_for()](const std::string& cluster) {
        // Where it is on by default, nobody misses it.
        if (said)
            insight_.set_usage_right(cluster, usage_->lacks_right(cluster) ? right_state::missing : right_state::given);
        if (on_usage_ && !stopping_) on_usage_(cluster);
    });
}

std::vector<job_to_measure> monitor::jobs_to_measure(const std::string& cluster) const {
    job_filter running;
    running.clusters.insert(cluster);
    running.states.insert(job_state::running);
    std::vector<job_to_measure> out;
    for (auto& job : table_.jobs(running)) {
        if (job->gpus == 0) continue;
        auto pods = insight_.evidence(ref_of(*job)).pods;
        std::erase_if(pods, [&](const pod_row& pod) { return !is_of(*job, pod); });
        out.push_back({std::move(job), std::move(pods)});
    }
    return out;
}

void monitor::take_status(const kcontrol::cluster_status& status) {
    auto view = view_of(status);
    if (!view.pods.empty()) {
        const bool missing = view.pods == "forbidden", known = view.pods == "live";
        insight_.set_pods_right(view.name, missing ? right_state::missing
                                           : known ? right_state::given
                                                   : right_state::unknown);
    }
    fail_if_all_forbidden(view);
    log_state(view, to_string(status.state));
    tell(table_.set_cluster(std::move(view)));
}

// The library's log has its own states. Where the monitor's view differs, for pods are beside the matter or nothing of
// the cluster may be seen, the log has that, too.
void monitor::log_state(const cluster_view& shown, std::string_view of_library) {
    logged_state& before = logged_[shown.name];
    const bool library_says_so = shown.state == of_library && before.of_library != of_library;
    const bool is_news = shown.state != before.shown && shown.state != "connecting" && !library_says_so;
    before = {std::string(of_library), shown.state};
    if (!is_news) return;
    const std::string message = "the cluster is shown as " + shown.state;
    if (shown.state == "live") {
        log_.info(message, {{"cluster", shown.name}});
    } else {
        log_.warning(message, {{"cluster", shown.name}, {"reason", shown.reason}});
    }
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
    insight_.take(changes);
    if (publish_) publish_(changes);
    changed_.notify_all();
}

kcontrol::result<void> monitor::start(std::unique_ptr<kcontrol::cluster_source> source, change_handler publish) {
    source_ = std::move(source);
    publish_ = std::move(publish);
    tasks_.emplace(env_, clusters_->get_executor());
    tasks_->spawn(insight_.run_news(ending_.get_token()));
    tasks_->spawn(insight_.run_questions(clusters_->get_executor(), ending_.get_token()));
    tasks_->spawn(gpus_.run(clusters_->get_executor(), ending_.get_token()));
    if (usage_) tasks_->spawn(usage_->run(clusters_->get_executor(), ending_.get_token()));
    return source_->start([this](std::vector<kcontrol::desired_cluster> desired) {
        if (desired.empty() && (!expected_ || !expected_->empty())) {
            log_.warning("there are no clusters to watch", {{"source", source_of_clusters_}});
        }
        expected_.emplace();
        for (const auto& cluster : desired) expected_->push_back(cluster.name);
        clusters_->set_desired(std::move(desired));
        changed_.notify_all();
    });
}

kcontrol::awaitable<void> monitor::stop() {
    stopping_ = true;
    ending_.request_stop();
    if (source_) source_->stop();
    if (tasks_) co_await tasks_->join();
    co_await clusters_->stop();
}

kcontrol::awaitable<bool> monitor::wait_complete(std::stop_token stop, kcontrol::duration patience,
                                                 kcontrol::duration deadline) {
    const auto started = env_.now();
    const auto is_due = [&](kcontrol::duration after) { return env_.now() >= started + after; };
    while (!stop.stop_requested() && !is_due(deadline)) {
        const auto clusters = table_.clusters();
        const bool all_known = expected_ && clusters.size() == expected_->size();
        const bool complete = all_known && std::all_of(clusters.begin(), clusters.end(), [](const auto& c) {
                                  return is_complete(*c) && pods_settled(*c);
                              });
        if (complete) {
            insight_.flush();  // what the pods said last
            co_return true;
        }
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
