#include "pods/insight.hpp"

#include <kcontrol/client/client.hpp>
#include <kcontrol/client/retry_watcher.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include "pods/ask_node.hpp"
#include "pods/disruption.hpp"
#include "pods/event_record.hpp"
#include "pods/node_fault.hpp"
#include "pods/queue_position.hpp"
#include "pods/queued_workload.hpp"
#include "table/watched.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace training_monitor {
namespace {

using namespace std::chrono_literals;

constexpr auto news_pause = 200ms;
constexpr auto question_deadline = 5s;
constexpr auto forbidden_pause = 1min;
constexpr auto review_period = 1min;
constexpr std::size_t most_reviews = 10'000;
constexpr std::size_t most_events = 50;
constexpr std::size_t most_pods_asked = 3;
constexpr std::size_t most_watched_nodes = 32;
constexpr auto node_watch_length = 10min;

// Events tell more about it than its status: a pod that is being made, or one that failed.
bool is_worth_asking(const pod_row& pod) {
    if (pod.phase == "Pending") return pod.unscheduled_reason.empty();
    return pod.phase == "Failed" || pod.failed.has_value();
}

}  // namespace

job_ref ref_of(const job_view& job) { return {job.cluster, job.namespace_, std::string(job.kind), job.name}; }

insight::insight(kcontrol::environment& env, const std::vector<std::string>& kinds, std::vector<std::string> namespaces,
                 kcontrol::logger log)
    : env_(env),
      selectors_(pod_selectors(kinds)),
      namespaces_(std::move(namespaces)),
      log_(std::move(log)),
      pods_(pod_limits(), kinds) {}

void insight::engage(kcontrol::engaged_cluster& cluster) {
    watched& w = clusters_[cluster.name()];
    w = watched{&cluster, {}, {}};
    for (const auto& selector : selectors_) {
        auto how = kcontrol::kind_options().label_selector(selector).namespaces(namespaces_);
        // Annotations are the larger part of many pods; of them one is read, before Kubernetes 1.28.
        how.transform(kcontrol::transform_of<training_pod>([](training_pod& pod) {
            const std::string index = "batch.kubernetes.io/job-completion-index";
            const auto found = pod.metadata.annotations.find(index);
            const auto value = found == pod.metadata.annotations.end() ? std::string() : std::string(found->second);
            pod.metadata.annotations = {};
            if (!value.empty()) pod.metadata.annotations[index] = value;
        }));
        auto source = cluster.source_with(kcontrol::resource_of<training_pod>(), how);
        if (!source) {
            log_.error("pods can't be watched", {{"cluster", cluster.name()}, {"error", source.error().what()}});
            continue;
        }
        w.subscriptions.push_back((*source)->subscribe([this, name = cluster.name()](const kcontrol::any_event& event) {
            const auto pod = event.object().as<training_pod>();
            if (pod && !event.resync) take_pod(name, *pod, event.type == kcontrol::event_type::deleted);
        }));
        w.sources.push_back(std::move(*source));
    }
}

void insight::disengage(const std::string& cluster) {
    std::erase_if(loops_, [&](const auto& one) { return one.first.cluster == cluster; });
    clusters_.erase(cluster);
    pods_.forget_cluster(cluster);
    questions_.drop_cluster(cluster);
    rights_.erase(cluster);
    ask_not_before_.erase(cluster);
    std::erase_if(reviews_, [&](const auto& one) { return one.first.cluster == cluster; });
}

void insight::take_pod(const std::string& cluster, const training_pod& pod, bool gone) {
    for (const auto& job : gone ? pods_.remove(cluster, pod, seconds_now()) : pods_.set(cluster, pod)) {
        if (gone && find_ && !find_(job)) pods_.forget(job);
        mark(job);
    }
}

void insight::mark(const job_ref& job) {
    changed_jobs_.insert(job);
    news_.notify_all();
}

void insight::flush() {
    for (auto& [job, due] : loops_) {
        if (due > env_.now()) continue;
        changed_jobs_.insert(job);
        due = env_.now() + std::chrono::seconds(loop_seconds);
    }
    for (const auto& job : std::exchange(changed_jobs_, {})) {
        if (on_news_) on_news_(job);
    }
}

void insight::explain(job_view& job) const {
    const job_ref ref = ref_of(job);
    if (!pods_.has(ref)) return;
    training_monitor::explain(job, evidence(ref));
}

std::int64_t insight::seconds_now() const {
    return std::chrono::floor<std::chrono::seconds>(env_.wall_now().time_since_epoch()).count();
}

job_evidence insight::evidence(const job_ref& job) const {
    job_evidence out = pods_.evidence(job);
    out.at = seconds_now();
    return out;
}

// A crash loop is over when its containers have run for a while, and nothing tells that.
void insight::watch_loop(const job_view& job, const job_ref& ref) {
    if (job.stuck != trouble::crash_loop) {
        loops_.erase(ref);
        return;
    }
    std::int64_t last = 0;
    for (const auto& pod : pods_.evidence(ref).pods) last = std::max(last, pod.looped_at.value_or(0));
    const auto left =
        std::chrono::seconds(std::clamp<std::int64_t>(last + loop_seconds - seconds_now(), 1, loop_seconds));
    loops_[ref] = env_.now() + left;
    news_.notify_all();
}

std::optional<kcontrol::time_point> insight::next_news() const {
    std::optional<kcontrol::time_point> out;
    for (const auto& [job, due] : loops_) out = std::min(out.value_or(due), due);
    return out;
}

void insight::take(const std::vector<change>& changes) {
    for (const auto& c : changes) {
        if (!c.job) continue;
        const job_ref ref = ref_of(*c.job);
        if (c.type == change_type::job_removed) {
            loops_.erase(ref);
            questions_.drop(ref);
            if (c.deleted) pods_.forget(ref);
            continue;
        }
        watch_loop(*c.job, ref);
        const job_state state = c.job->state;
        const bool waits = state == job_state::created || state == job_state::pending || state == job_state::queued ||
                           state == job_state::unknown || state == job_state::restarting ||
                           (state == job_state::running && pods_.has_silent_pod(ref));
        const bool failed = state == job_state::failed;
        // What events said may have been true of the state before only.
        if (c.previous && !waits && !failed && pods_.set_events(ref, {})) mark(ref);
        const bool no_events = pods_.evidence(ref).events.empty();
        // The node on which it failed may say more than the pod.
        const bool asks_node = failed && c.job->gpus > 0 && !c.job->failure->node.empty();
        const bool told_by_pod = !c.job->why.empty() && no_events && !asks_node;
        // What was there at the start, and has failed long ago, is asked for when somebody looks.
        if (told_by_pod || (!waits && (!failed || c.initial))) {
            questions_.drop(ref);
        } else {
            questions_.want(ref, failed, env_.now());
            question_.notify_all();
        }
    }
}

void insight::look(const job_ref& job) {
    if (!questions_.look(job, env_.now())) return;
    ask_not_before_.erase(job.cluster);  // the right may have been given since
    looked_at_.insert(job);
    question_.notify_all();
}

cluster_rights insight::rights(const std::string& cluster) const {
    const auto at = rights_.find(cluster);
    return at == rights_.end() ? cluster_rights() : at->second;
}

cluster_rights insight::rights_for(const job_ref& job) const {
    auto out = rights(job.cluster);
    const auto at = reviews_.find({job.cluster, job.namespace_, job.kind, {}});
    if (at != reviews_.end()) {
        out.logs = at->second.logs;
        out.yaml = at->second.yaml;
    }
    return out;
}

// A right may be given or taken at any time.
kcontrol::awaitable<void> insight::review(job_ref job, std::stop_token stop) {
    const job_ref key{job.cluster, job.namespace_, job.kind, {}};
    const auto known = reviews_.find(key);
    if (known != reviews_.end() && env_.now() < known->second.at + review_period) co_return;
    const auto from = client_of(job.cluster);
    const auto view = find_ ? find_(job) : nullptr;
    if (!from || !view) co_return;
    review_of_rights now;
    auto logs = ask_right(*from, {job.namespace_, "", "pods", "log"}, stop);
    now.logs = co_await std::move(logs);
    for (const auto& choice : choose_kinds({job.kind})) {
        for (const auto* version : choice.versions) {
            if (version->gvk.api_version() != view->api_version) continue;
            auto yaml = ask_right(*from, {job.namespace_, version->gvk.group, version->plural, ""}, stop);
            now.yaml = co_await std::move(yaml);
        }
    }
    if (stop.stop_requested() || !clusters_.contains(job.cluster)) co_return;
    now.at = env_.now();
    if (reviews_.size() >= most_reviews) reviews_.clear();
    reviews_[key] = now;
}

std::optional<kcontrol::client> insight::client_of(const std::string& cluster) const {
    const auto at = clusters_.find(cluster);
    if (at == clusters_.end()) return std::nullopt;
    return at->second.cluster->get_client().live();
}

kcontrol::awaitable<void> insight::run_news(std::stop_token stop) {
    while (!stop.stop_requested()) {
        if (changed_jobs_.empty()) {
            const auto due = next_news();
            co_await news_.wait(env_, stop, due);
        }
        co_await kcontrol::sleep_for(env_, news_pause, stop);
        if (!stop.stop_requested()) flush();
    }
}

kcontrol::awaitable<void> insight::run_questions(kcontrol::executor ex, std::stop_token stop) {
    kcontrol::task_group watches(env_, ex, log_);
    while (!stop.stop_requested()) {
        std::optional<job_ref> next;
        const bool is_looked_at = !looked_at_.empty();
        if (is_looked_at) {
            next = *looked_at_.begin();
            looked_at_.erase(looked_at_.begin());
            auto reviewing = review(*next, stop);
            co_await std::move(reviewing);
        } else {
            next = questions_.take(env_.now());
        }
        if (!next) {
            co_await question_.wait(env_, stop, questions_.next_due());
            continue;
        }
        auto asking = ask(*next, stop);
        auto asked = co_await std::move(asking);
        if (is_looked_at || asked.version.empty()) continue;  // it may have failed long ago
        node_key node{next->cluster, std::move(asked.name)};
        const auto known = watched_nodes_.find(node);
        if (known != watched_nodes_.end()) {
            known->second.insert(*next);
        } else if (watched_nodes_.size() < most_watched_nodes) {
            watched_nodes_[node].insert(*next);
            watches.spawn(watch_node(node, std::move(asked.version), stop));
        }
    }
    co_await watches.join();
}

kcontrol::awaitable<void> insight::watch_node(node_key node, std::string version, std::stop_token stop) {
    if (auto from = client_of(node.cluster)) {
        kcontrol::watch_options which;
        which.field_selector("metadata.name=" + node.name).resource_version(std::move(version));
        kcontrol::retry_watcher watch(std::move(*from), kcontrol::resource_of<training_node>(), std::move(which));
        watch.give_up_at(env_.now() + node_watch_length);
        while (true) {
            const auto event = co_await watch.next(stop);
            if (!event) break;
            const auto told = event->object.as<training_node>();
            const auto fault = told ? fault_of(*told) : std::nullopt;
            if (!fault) continue;
            tell_fault(node, *fault);
            break;
        }
    }
    watched_nodes_.erase(node);
}

void insight::tell_fault(const node_key& node, const object_event& fault) {
    for (const auto& job : watched_nodes_[node]) {
        if (!clusters_.contains(job.cluster) || !find_ || !find_(job)) continue;
        auto events = pods_.evidence(job).events;
        std::erase_if(events, [&](const object_event& e) { return e.kind == fault.kind && e.name == fault.name; });
        events.push_back(fault);
        if (pods_.set_events(job, std::move(events))) mark(job);
    }
}

kcontrol::awaitable<insight::asked_node> insight::ask(job_ref job, std::stop_token stop) {
    asked_node out;
    const auto view = find_ ? find_(job) : nullptr;
    const auto from = client_of(job.cluster);
    if (view && view->state == job_state::running && !pods_.has_silent_pod(job)) questions_.drop(job);
    if (!view || !from) {
        questions_.drop(job);
        co_return out;
    }
    std::vector<object_event> found;
    co_await ask_about(*from, job, view->uid, found, stop);
    const job_evidence known = pods_.evidence(job);
    std::vector<pod_row> pods = known.pods;
    pods.insert(pods.end(), known.deleted.begin(), known.deleted.end());
    std::stable_partition(pods.begin(), pods.end(), has_failed);  // those tell why
    std::size_t asked = 0;
    for (const auto& pod : pods) {
        if (asked == most_pods_asked || !is_of(*view, pod) || !is_worth_asking(pod)) continue;
        ++asked;
        co_await ask_about(*from, job, pod.uid, found, stop);
    }
    if (view->state == job_state::queued) co_await ask_queue(*from, job, view->uid, found, stop);
    keep_newest(found, most_events);
    if (view->gpus > 0 && !view->failure->node.empty()) {
        auto asking = ask_node(*from, view->failure->node, stop);
        const auto node = co_await std::move(asking);
        auto fault = node && *node ? fault_of(**node) : std::nullopt;
        if (fault) {
            found.push_back(std::move(*fault));
        } else if (node && *node && view->state == job_state::failed) {
            out = {view->failure->node, std::string(std::string_view((*node)->metadata.resource_version))};
        }
    }
    if (!stop.stop_requested() && clusters_.contains(job.cluster) && pods_.set_events(job, std::move(found))) mark(job);
    co_return out;
}

kcontrol::awaitable<void> insight::ask_about(kcontrol::client from, const job_ref& job, std::string uid,
                                             std::vector<object_event>& into, std::stop_token stop) {
    const auto refused = ask_not_before_.find(job.cluster);
    if (uid.empty() || (refused != ask_not_before_.end() && env_.now() < refused->second)) co_return;
    kcontrol::list_options which;
    which.in_namespace(job.namespace_).field_selector("involvedObject.uid=" + uid).limit(200);
    which.deadline(question_deadline).stop(stop);
    const auto listed = co_await from.list_page<event_record>(std::move(which));
    if (!clusters_.contains(job.cluster)) co_return;  // it left meanwhile
    if (!listed) {
        const bool missing = listed.error().code() == kcontrol::api_errc::forbidden;
        if (missing) {
            rights_[job.cluster].events = right_state::missing;
            ask_not_before_[job.cluster] = env_.now() + forbidden_pause;
        }
        co_return;
    }
    rights_[job.cluster].events = right_state::given;
    for (const auto& event : listed->items) {
        if (event->involved_object.uid == uid) into.push_back(observe(*event));
    }
}

kcontrol::awaitable<void> insight::ask_queue(kcontrol::client from, const job_ref& job, std::string uid,
                                             std::vector<object_event>& into, std::stop_token stop) {
    kcontrol::list_options which;
    which.in_namespace(job.namespace_).label_selector("kueue.x-k8s.io/job-uid=" + uid).limit(10);
    which.deadline(question_deadline).stop(stop);
    const auto listed = co_await from.list_page<queued_workload>(std::move(which));
    if (!listed) co_return;  // no Kueue there, or no right: then the job says that it is queued, and no more
    for (const auto& workload : listed->items) {
        std::string place;
        const auto waits_for_quota = [](const job_condition& c) {
            return c.type == "QuotaReserved" && c.status == "False";
        };
        const auto& conditions = workload->status.conditions;
        if (std::any_of(conditions.begin(), conditions.end(), waits_for_quota)) {
            place = co_await ask_position(from, job, *workload, stop);
        }
        for (const auto& c : conditions) {
            if (c.status != "False" || (c.type != "QuotaReserved" && c.type != "Admitted") || c.message.empty())
                continue;
            into.push_back({"Workload", std::string(std::string_view(workload->metadata.name)), "Normal", c.reason,
                            place.empty() ? c.message : c.message + " (" + place + ")", 1,
                            parse_rfc3339_seconds(c.last_transition_time)});
        }
    }
}

// Empty where Kueue does not serve its visibility API, the right is missing, or the Workload is not among the first.
kcontrol::awaitable<std::string> insight::ask_position(kcontrol::client from, const job_ref& job,
                                                       const queued_workload& workload, std::stop_token stop) {
    const std::string& queue = workload.spec.queue_name;
    if (queue.empty()) co_return std::string();
    kcontrol::http::request question("GET", pending_workloads_target(job.namespace_, queue));
    question.headers.set("Accept", "application/json");
    kcontrol::http::exchange_options bounds;
    bounds.deadline(question_deadline).max_body(most_pending_bytes).stop(std::move(stop));
    const auto answer = co_await from.raw(std::move(question), std::move(bounds));
    if (!answer || answer->status != 200) co_return std::string();
    const auto position = find_position(answer->body, workload.metadata.name);
    co_return position ? describe(*position, queue) : std::string();
}

}  // namespace training_monitor
