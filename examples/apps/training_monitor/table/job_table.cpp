#include "table/job_table.hpp"

#include <algorithm>
#include <utility>

namespace training_monitor {
namespace {

bool allows(const std::set<std::string, std::less<>>& wanted, std::string_view value) {
    return wanted.empty() || wanted.contains(value);
}

}  // namespace

bool job_filter::matches(const job_view& job) const {
    return allows(clusters, job.cluster) && allows(namespaces, job.namespace_) && allows(kinds, job.kind) &&
           (states.empty() || states.contains(job.state));
}

job_table::job_key job_table::key_of(const job_view& view) {
    return {view.namespace_, view.name, view.kind, view.api_version};
}

bool job_table::visible(const cluster_entry& cluster, const entry& e) {
    if (is_part_of_watched(*e.view, e.owner, e.part_of_train_job, cluster.watched)) return false;
    if (!e.owner || !is_job_set(*e.owner)) return true;
    // A TrainJob runs a JobSet of its own name.
    const auto at = cluster.jobs.lower_bound({e.view->namespace_, e.owner->name, "TrainJob", ""});
    return at == cluster.jobs.end() || std::get<0>(at->first) != e.view->namespace_ ||
           std::get<1>(at->first) != e.owner->name || std::get<2>(at->first) != "TrainJob";
}

// `before` is the view that was shown.
void job_table::hide(entry& e, const job_view& before, bool deleted, std::vector<change>& out) {
    if (!e.shown) return;
    all_jobs_.reset();
    e.shown = false;
    counts_.remove(before);
    --shown_;
    out.push_back(next(change_type::job_removed));
    out.back().job = e.view;
    out.back().deleted = deleted;
}

// Publishes an entry whose view was `before` (null: it is new).
void job_table::show(const cluster_entry& cluster, entry& e, std::shared_ptr<const job_view> before, bool initial,
                     std::vector<change>& out) {
    if (!visible(cluster, e)) return hide(e, before ? *before : *e.view, false, out);
    all_jobs_.reset();
    if (e.shown && before) counts_.remove(*before);
    counts_.add(*e.view);
    shown_ += e.shown ? 0U : 1U;
    if (e.shown && before && *before == *e.view) return;
    change c = next(change_type::job);
    if (e.shown && before && before->state != e.view->state) {
        c.previous = before->state;
        ++counters_.transitions;
    }
    if (e.shown) c.before = std::move(before);
    if (!e.counted) ++counters_.jobs;
    e.counted = e.shown = true;
    c.initial = initial;
    c.job = e.view;
    out.push_back(std::move(c));
}

void job_table::refresh(const cluster_entry& cluster, entry& e, std::vector<change>& out) {
    show(cluster, e, e.view, false, out);
}

void job_table::refresh_job_set(cluster_entry& cluster, const job_view& train_job, std::vector<change>& out) {
    if (train_job.kind != "TrainJob") return;
    const auto children = cluster.by_job_set.find({train_job.namespace_, train_job.name});
    if (children == cluster.by_job_set.end()) return;
    for (const auto& key : children->second) refresh(cluster, cluster.jobs.at(key), out);
}

// The view as it is shown; what the object says is kept where that differs.
std::shared_ptr<const job_view> job_table::explained(job_view view, entry& of) const {
    of.told.reset();
    if (!explain_) return std::make_shared<const job_view>(std::move(view));
    auto told =
        std::make_unique<const object_words>(object_words{view.state, view.reason, view.message, view.replicas});
    explain_(view);
    const bool differs = view.state != told->state || view.reason != told->reason || view.message != told->message ||
                         view.replicas != told->replicas;
    if (differs) of.told = std::move(told);
    return std::make_shared<const job_view>(std::move(view));
}

std::vector<change> job_table::explain_again(std::string_view cluster, std::string_view namespace_,
                                             std::string_view kind, std::string_view name) {
    std::vector<change> out;
    const auto in = clusters_.find(cluster);
    if (in == clusters_.end()) return out;
    auto at = in->second.jobs.lower_bound(job_key{namespace_, name, kind, ""});
    for (; at != in->second.jobs.end(); ++at) {
        const auto& [its_namespace, its_name, its_kind, version] = at->first;
        if (its_namespace != namespace_ || its_name != name || its_kind != kind) break;
        entry& e = at->second;
        job_view as_told = *e.view;
        as_told.why.clear();
        as_told.stuck = trouble::none;
        as_told.stuck_count = 0;
        as_told.failure = {};
        if (e.told) {
            as_told.state = e.told->state;
            as_told.reason = e.told->reason;
            as_told.message = e.told->message;
            as_told.replicas = e.told->replicas;
        }
        auto next = explained(std::move(as_told), e);
        if (*e.view == *next) continue;
        auto before = std::exchange(e.view, std::move(next));
        show(in->second, e, std::move(before), false, out);
    }
    return out;
}

std::vector<change> job_table::add(observed_job job, bool initial) {
    std::vector<change> out;
    cluster_entry& cluster = clusters_[job.view.cluster];
    const job_key key = key_of(job.view);
    const auto known = cluster.jobs.find(key);
    if (known != cluster.jobs.end()) {
        // An addition of what is there: reported twice, or the deletion between two jobs of one name never came.
        if (known->second.view->uid == job.view.uid) {
            ++counters_.duplicates;
            return apply(cluster, known->second, std::move(job));
        }
        ++counters_.lost;
        forget(cluster, known, out);
    }
    entry fresh;
    fresh.view = explained(std::move(job.view), fresh);
    const auto at = cluster.jobs.try_emplace(key, std::move(fresh)).first;
    entry& e = at->second;
    e.resource_version = std::move(job.resource_version);
    e.owner = std::move(job.owner);
    e.source = std::move(job.source);
    e.part_of_train_job = job.part_of_train_job;
    std::set<job_key>* siblings = nullptr;
    try {
        if (e.owner && is_job_set(*e.owner)) {
            siblings = &cluster.by_job_set[{e.view->namespace_, e.owner->name}];
            siblings->insert(key);
        }
        show(cluster, e, nullptr, initial, out);
    } catch (...) {
        // There is no memory. The event comes again, and finds nothing of the job.
        if (!e.shown) {
            if (siblings != nullptr) siblings->erase(key);
            cluster.jobs.erase(at);
        }
        throw;
    }
    refresh_job_set(cluster, *e.view, out);
    return out;
}

std::vector<change> job_table::update(observed_job job) {
    cluster_entry& cluster = clusters_[job.view.cluster];
    const auto known = cluster.jobs.find(key_of(job.view));
    if (known == cluster.jobs.end()) {
        ++counters_.lost;
        return add(std::move(job));
    }
    entry& e = known->second;
    if (e.view->uid != job.view.uid) return add(std::move(job));
    if (!job.resource_version.empty() && e.resource_version == job.resource_version) {
        ++counters_.duplicates;
        return {};
    }
    return apply(cluster, e, std::move(job));
}

// The same object, later.
std::vector<change> job_table::apply(const cluster_entry& cluster, entry& e, observed_job job) {
    std::vector<change> out;
    e.resource_version = std::move(job.resource_version);
    e.source = std::move(job.source);
    auto next = explained(std::move(job.view), e);
    if (*e.view == *next) return out;
    auto before = std::exchange(e.view, std::move(next));
    show(cluster, e, std::move(before), false, out);
    return out;
}

void job_table::forget(cluster_entry& cluster, std::map<job_key, entry>::iterator at, std::vector<change>& out) {
    hide(at->second, *at->second.view, true, out);
    const auto view = at->second.view;
    const auto& owner = at->second.owner;
    if (owner && is_job_set(*owner)) {
        const auto siblings = cluster.by_job_set.find({view->namespace_, owner->name});
        siblings->second.erase(at->first);
        if (siblings->second.empty()) cluster.by_job_set.erase(siblings);
    }
    cluster.jobs.erase(at);
    refresh_job_set(cluster, *view, out);
}

std::vector<change> job_table::remove(const observed_job& last) {
    std::vector<change> out;
    const auto cluster = clusters_.find(last.view.cluster);
    if (cluster == clusters_.end()) return ++counters_.lost, out;
    const auto known = cluster->second.jobs.find(key_of(last.view));
    if (known == cluster->second.jobs.end()) return ++counters_.lost, out;
    forget(cluster->second, known, out);
    return out;
}

std::vector<change> job_table::set_cluster(cluster_view view) {
    std::vector<change> out;
    cluster_entry& cluster = clusters_[view.name];
    const bool news = !cluster.published || is_news(*cluster.published, view);
    cluster.view = std::make_shared<const cluster_view>(std::move(view));
    if (!news) return out;
    cluster.published = cluster.view;
    out.push_back(next(change_type::cluster));
    out.back().cluster = cluster.view;
    watched_kinds watched(*cluster.view);
    if (watched == cluster.watched) return out;
    cluster.watched = std::move(watched);
    for (auto& [key, e] : cluster.jobs) refresh(cluster, e, out);
    return out;
}

std::vector<change> job_table::remove_cluster(const std::string& name) {
    std::vector<change> out;
    const auto at = clusters_.find(name);
    if (at == clusters_.end()) return out;
    for (auto& [key, e] : at->second.jobs) hide(e, *e.view, false, out);
    if (at->second.view) {
        out.push_back(next(change_type::cluster_removed));
        out.back().cluster = at->second.view;
    }
    clusters_.erase(at);
    return out;
}

job_table::job_list job_table::jobs(const job_filter& filter) const {
    job_list out;
    if (filter.empty()) out.reserve(shown_);
    for (const auto& [name, cluster] : clusters_) {
        if (!filter.clusters.empty() && !filter.clusters.contains(name)) continue;
        for (const auto& [key, e] : cluster.jobs) {
            if (e.shown && filter.matches(*e.view)) out.push_back(e.view);
        }
    }
    return out;
}

std::shared_ptr<const job_table::job_list> job_table::all_jobs() const {
    if (!all_jobs_) all_jobs_ = std::make_shared<const job_list>(jobs());
    return all_jobs_;
}

void job_table::visit(const std::function<void(const job_view&)>& f) const {
    for (const auto& [name, cluster] : clusters_) {
        for (const auto& [key, e] : cluster.jobs) {
            if (e.shown) f(*e.view);
        }
    }
}

const job_table::entry* job_table::find_entry(std::string_view cluster, std::string_view namespace_,
                                              std::string_view kind, std::string_view name) const {
    const auto at = clusters_.find(cluster);
    if (at == clusters_.end()) return nullptr;
    const auto& jobs = at->second.jobs;
    auto job = jobs.lower_bound(job_key{namespace_, name, kind, ""});
    for (; job != jobs.end(); ++job) {  // two versions of one kind may hold the same name; one of them is in view
        const auto& [its_namespace, its_name, its_kind, version] = job->first;
        if (its_namespace != namespace_ || its_name != name || its_kind != kind) return nullptr;
        if (job->second.shown) return &job->second;
    }
    return nullptr;
}

std::shared_ptr<const job_view> job_table::find(std::string_view cluster, std::string_view namespace_,
                                                std::string_view kind, std::string_view name) const {
    const entry* e = find_entry(cluster, namespace_, kind, name);
    return e ? e->view : nullptr;
}

std::optional<job_details> job_table::details(std::string_view cluster, std::string_view namespace_,
                                              std::string_view kind, std::string_view name) const {
    const entry* e = find_entry(cluster, namespace_, kind, name);
    if (!e) return std::nullopt;
    return e->source.details();
}

job_table::cluster_list job_table::clusters() const {
    cluster_list out;
    for (const auto& [name, cluster] : clusters_) {
        if (cluster.view) out.push_back(cluster.view);
    }
    return out;
}

std::uint64_t job_table::reserve_ids(std::uint64_t count) {
    const std::uint64_t first = last_id_ + 1;
    last_id_ += count;
    return first;
}

}  // namespace training_monitor
