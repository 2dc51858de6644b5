#include "history/history.hpp"

#include "table/health.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace training_monitor {
namespace {

using kcontrol::wall_time;

std::string cut_value(const std::string& text) {
    if (text.size() <= span::max_text) return text;
    std::size_t end = span::max_text;  // never inside a character
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end) + "…";
}

// When the state began of a job that is seen for the first time: what the job itself says, if it says so.
wall_time begin_of(const job_view& job, wall_time now) {
    const auto& said = is_final(job.state) ? job.completion_time : job.start_time;
    if (!said || job.state == job_state::suspended || job.state == job_state::queued) return now;
    // Compared in seconds: the years that a text may name do not fit into nanoseconds.
    const bool is_past = std::chrono::seconds(*said) < std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
    return is_past ? wall_time(std::chrono::seconds(*said)) : now;
}

// Every kind of that name has been listed, or is not there.
bool is_listed(const cluster_view& cluster, std::string_view kind) {
    bool live = false;
    for (const auto& k : cluster.kinds) {
        if (k.kind != kind) continue;
        if (k.state != "live" && k.state != "not-installed") return false;
        live = live || k.state == "live";
    }
    return live;
}

}  // namespace

job_record* history::record_of(const job_view& job) const {
    const job_id id{job.cluster, job.namespace_, job.kind, job.name, job.uid};
    const auto at = records_.find(id);
    return at == records_.end() ? nullptr : at->get();
}

const job_record* history::find(std::string_view cluster, std::string_view name_space, std::string_view kind,
                                std::string_view name) const {
    const job_record* best = nullptr;
    for (auto at = records_.lower_bound(job_id{cluster, name_space, kind, name, {}}); at != records_.end(); ++at) {
        const job_id id = (*at)->id();
        if (id.cluster != cluster || id.name_space != name_space || id.kind != kind || id.name != name) break;
        const auto rank = [](const job_record& r) { return std::pair(r.in_view, r.last_seen); };
        if (!best || rank(**at) > rank(*best)) best = at->get();
    }
    return best;
}

observation history::observe(const std::vector<change>& changes, wall_time now) {
    observation out;
    out.changes.reserve(changes.size());
    // A cluster's leave takes its jobs out of view in the same breath; they live on.
    std::set<std::string_view> left;
    for (const auto& c : changes) {
        if (c.type == change_type::cluster_removed) left.insert(c.cluster->name);
    }
    for (const auto& c : changes) {
        std::optional<transition> turned;
        switch (c.type) {
        case change_type::job: turned = see(c, now, out.found_out); break;
        case change_type::job_removed: lose(c, left.contains(c.job->cluster), now); break;
        case change_type::cluster:
            settle(*c.cluster, now, out.found_out);
            if (is_unreadable(*c.cluster)) {
                unreadable_.try_emplace(c.cluster->name, now);
            } else {
                unreadable_.erase(c.cluster->name);
            }
            break;
        case change_type::cluster_removed: unreadable_.erase(c.cluster->name); break;
        }
        out.changes.push_back(enriched_change{c, turned});
    }
    return out;
}

std::optional<transition> history::see(const change& c, wall_time now, std::vector<missed>& out) {
    const job_view& job = *c.job;
    std::optional<transition> turned;
    job_record* r = record_of(job);
    if (!r) {
        auto fresh = std::make_unique<job_record>();
        r = fresh.get();
        r->view = c.job;
        r->first_seen = r->stuck_since = now;
        records_.insert(std::move(fresh));
        set_state(*r, job, begin_of(job, now));
        turned = transition{std::nullopt, job.state, c.initial};
    } else {
        const bool was_away = !r->in_view;
        const auto before = std::pair(r->state(), r->last_seen);
        if (r->view->stuck != job.stuck) r->stuck_since = now;
        r->view = c.job;
        if (was_away) {
            if (const auto away = away_.find(job.cluster); away != away_.end()) away->second.erase(r);
            r->gone.reset();
            r->spans.back().to.reset();
        }
        if (before.first != job.state) {
            set_state(*r, job, was_away ? std::max(before.second, begin_of(job, now)) : now);
            turned = transition{before.first, job.state, was_away};
            if (was_away && is_final(job.state)) note(missed{c.job, before.first, before.second, std::nullopt}, out);
        } else {
            // What a job waited for is told until it goes on, also where its pods do not say it any more.
            span& last = r->spans.back();
            const bool waits = !is_final(job.state) && job.state != job_state::running;
            if (!waits || !job.why.empty() || !last.explained) {
                last.reason = cut_value(job.reason);
                last.message = cut_value(message_of(job));
                last.explained = !job.why.empty();
            }
        }
    }
    in_view_ += std::exchange(r->in_view, true) ? 0U : 1U;
    r->last_seen = now;
    touch(*r);
    return turned;
}

void history::set_state(job_record& r, const job_view& job, wall_time from) {
    if (!r.spans.empty()) r.spans.back().to = from;
    r.spans.push_back(
        span{job.state, cut_value(job.reason), cut_value(message_of(job)), from, std::nullopt, !job.why.empty()});
    for (; r.spans.size() > options_.max_spans(); ++r.first_span) r.spans.erase(r.spans.begin());
}

void history::lose(const change& c, bool with_cluster, wall_time now) {
    job_record* r = record_of(*c.job);
    if (!r) return;
    in_view_ -= std::exchange(r->in_view, false) ? 1U : 0U;
    r->last_seen = now;
    if (with_cluster) {
        away_[c.job->cluster].insert(r);
    } else {
        r->gone = now;
        if (!is_final(r->state())) r->spans.back().to = now;
    }
    touch(*r);
}

void history::settle(const cluster_view& cluster, wall_time now, std::vector<missed>& out) {
    const auto away = away_.find(cluster.name);
    if (away == away_.end() || away->second.empty()) return;
    std::map<std::string_view, bool> listed;
    for (const auto& k : cluster.kinds) listed[k.kind] = is_listed(cluster, k.kind);
    std::vector<job_record*> gone;
    for (auto* r : away->second) {
        const auto kind = listed.find(r->view->kind);
        if (kind != listed.end() && kind->second && is_watched_namespace(r->view->namespace_)) gone.push_back(r);
    }
    // In the order of names, not of addresses.
    std::sort(gone.begin(), gone.end(), [](const job_record* a, const job_record* b) { return a->id() < b->id(); });
    for (auto* r : gone) {
        away->second.erase(r);
        r->gone = now;
        if (!is_final(r->state())) r->spans.back().to = now;
        touch(*r);
        note(missed{r->view, r->state(), r->last_seen, now}, out);
    }
}

std::optional<wall_time> history::unreadable_since(std::string_view cluster) const {
    const auto at = unreadable_.find(cluster);
    return at == unreadable_.end() ? std::nullopt : std::optional(at->second);
}

bool history::is_watched_namespace(std::string_view name) const {
    const auto& all = options_.namespaces();
    return all.empty() || std::find(all.begin(), all.end(), name) != all.end();
}

void history::note(missed what, std::vector<missed>& out) {
    out.push_back(what);
    if (missed_.size() == max_missed) missed_.pop_front();
    missed_.push_back(std::move(what));
}

void history::restore(job_record record) {
    record.in_view = false;
    record.pending = nullptr;
    auto owned = std::make_unique<job_record>(std::move(record));
    job_record* r = owned.get();
    if (!records_.insert(std::move(owned)).second) return;
    if (!r->gone) away_[r->view->cluster].insert(r);
}

bool history::is_notified(const job_view& job, job_state state) const {
    const job_record* r = record_of(job);
    return r && r->notified == state;
}

void history::mark_notified(const job_view& job, job_state state) {
    job_record* r = record_of(job);
    if (!r || r->notified == state) return;
    r->notified = state;
    touch(*r);
}

std::shared_ptr<std::uint32_t> history::add_pending(const job_view& job) {
    job_record* r = record_of(job);
    if (!r) return nullptr;
    if (!r->pending) r->pending = std::make_shared<std::uint32_t>(0);
    ++*r->pending;
    return r->pending;
}

void history::settled(const job_view& job) {
    job_record* r = record_of(job);
    if (r && r->gone && r->settled_gone()) touch(*r);
}

std::size_t history::gone() const {
    std::size_t away = 0;
    for (const auto& [cluster, jobs] : away_) away += jobs.size();
    return out_of_view() - away;
}

std::vector<std::unique_ptr<job_record>> history::forget(wall_time before, std::size_t most, forgettable which) {
    const auto age = [](const job_record& r) { return std::max(r.last_seen, r.gone.value_or(r.last_seen)); };
    std::vector<const job_record*> old;
    if (out_of_view() == 0) return {};
    for (const auto& r : records_) {
        if (r->in_view || (which == forgettable::gone && !r->gone)) continue;
        if (age(*r) < before) old.push_back(r.get());
    }
    const auto by_age = [&](const job_record* a, const job_record* b) { return age(*a) < age(*b); };
    std::stable_sort(old.begin(), old.end(), by_age);
    if (old.size() > most) old.resize(most);
    std::vector<std::unique_ptr<job_record>> out;
    for (const auto* r : old) {
        auto node = records_.extract(records_.find(r->id()));
        if (const auto away = away_.find(r->view->cluster); away != away_.end()) away->second.erase(node.value().get());
        out.push_back(std::move(node.value()));
    }
    return out;
}

}  // namespace training_monitor
