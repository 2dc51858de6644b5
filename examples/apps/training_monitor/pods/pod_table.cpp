#include "pods/pod_table.hpp"

#include "pods/disruption.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace training_monitor {

bool pod_table::put(entry& to, pod_row row) {
    const auto at = to.rows.find(row.name);
    if (at != to.rows.end()) {
        if (at->second == row) return false;
        at->second = std::move(row);
        return true;
    }
    if (size_ >= limits_.most() || to.rows.size() >= limits_.most_of_job()) {
        ++left_out_;
        return false;
    }
    std::string name = row.name;
    to.rows.emplace(std::move(name), std::move(row));
    ++size_;
    return true;
}

bool pod_table::wants(const job_ref& job) const {
    return kinds_.empty() || std::find(kinds_.begin(), kinds_.end(), job.kind) != kinds_.end();
}

std::vector<job_ref> pod_table::set(const std::string& cluster, const training_pod& pod) {
    std::vector<job_ref> out;
    const pod_row row = row_of(pod);
    for (auto& job : jobs_of(pod, cluster)) {
        if (!wants(job)) continue;
        const auto at = jobs_.try_emplace(job).first;
        at->second.deleted.erase(row.name);
        if (put(at->second, row)) out.push_back(std::move(job));
        drop_empty(at);
    }
    return out;
}

void pod_table::keep_deleted(const job_ref& job, entry& of, pod_row row) {
    constexpr std::size_t most_deleted = 20'000;
    std::string name = row.name;
    deleted_.emplace_back(job, name);
    of.deleted.insert_or_assign(std::move(name), std::move(row));
    if (deleted_.size() <= most_deleted) return;
    const auto oldest = jobs_.find(deleted_.front().first);
    if (oldest != jobs_.end()) {
        oldest->second.deleted.erase(deleted_.front().second);
        drop_empty(oldest);
    }
    deleted_.pop_front();
}

std::vector<job_ref> pod_table::remove(const std::string& cluster, const training_pod& pod, std::int64_t now) {
    std::vector<job_ref> out;
    for (auto& job : jobs_of(pod, cluster)) {
        const auto at = jobs_.find(job);
        if (at == jobs_.end()) continue;
        const auto row = at->second.rows.find(pod.metadata.name);
        if (row == at->second.rows.end() || row->second.uid != std::string_view(pod.metadata.uid)) continue;
        if (has_failed(row->second)) at->second.gone_failure = row->second;
        row->second.deleted_at = now;
        keep_deleted(job, at->second, std::move(row->second));
        at->second.rows.erase(row);
        --size_;
        out.push_back(std::move(job));
    }
    return out;
}

bool pod_table::set_events(const job_ref& job, std::vector<object_event> events) {
    const auto at = jobs_.try_emplace(job).first;
    const bool differ = at->second.events != events;
    at->second.events = std::move(events);
    drop_empty(at);
    return differ;
}

void pod_table::forget(const job_ref& job) {
    const auto at = jobs_.find(job);
    if (at == jobs_.end()) return;
    at->second.gone_failure.reset();
    at->second.deleted.clear();
    at->second.events.clear();
    drop_empty(at);
}

void pod_table::forget_cluster(const std::string& cluster) {
    auto at = jobs_.lower_bound(job_ref{cluster, {}, {}, {}});
    while (at != jobs_.end() && at->first.cluster == cluster) {
        size_ -= at->second.rows.size();
        at = jobs_.erase(at);
    }
}

job_evidence pod_table::evidence(const job_ref& job) const {
    job_evidence out;
    const auto at = jobs_.find(job);
    if (at == jobs_.end()) return out;
    const auto sorted = [](const std::map<std::string, pod_row>& from) {
        std::vector<pod_row> rows;
        for (const auto& [name, row] : from) rows.push_back(row);
        std::stable_sort(rows.begin(), rows.end(), [](const pod_row& a, const pod_row& b) {
            return std::tie(a.type, a.index, a.created) < std::tie(b.type, b.index, b.created);
        });
        return rows;
    };
    out.pods = sorted(at->second.rows);
    out.deleted = sorted(at->second.deleted);
    out.gone_failure = at->second.gone_failure;
    out.events = at->second.events;
    return out;
}

std::vector<const pod_row*> pod_table::pods_of(const std::string& cluster) const {
    std::vector<const pod_row*> out;
    std::set<std::string_view> seen;
    for (auto at = jobs_.lower_bound(job_ref{cluster, {}, {}, {}}); at != jobs_.end(); ++at) {
        if (at->first.cluster != cluster) break;
        for (const auto& [name, row] : at->second.rows) {
            if (row.uid.empty() || seen.insert(row.uid).second) out.push_back(&row);
        }
    }
    return out;
}

std::vector<std::pair<job_ref, const pod_row*>> pod_table::pods_on(
    const std::string& cluster, std::string_view node, const std::function<bool(const job_ref&)>& in_view) const {
    std::vector<std::pair<job_ref, const pod_row*>> out;
    std::map<std::string_view, std::size_t> places;  // by uid
    for (auto at = jobs_.lower_bound(job_ref{cluster, {}, {}, {}}); at != jobs_.end(); ++at) {
        if (at->first.cluster != cluster) break;
        for (const auto& [name, row] : at->second.rows) {
            if (row.node != node) continue;
            const auto [place, is_new] = places.try_emplace(row.uid, out.size());
            if (is_new || row.uid.empty()) {
                out.emplace_back(at->first, &row);
            } else if (auto& shown = out[place->second].first; !in_view(shown) && in_view(at->first)) {
                shown = at->first;
            }
        }
    }
    return out;
}

bool pod_table::has_silent_pod(const job_ref& job) const {
    const auto at = jobs_.find(job);
    if (at == jobs_.end()) return false;
    const auto& rows = at->second.rows;
    return std::any_of(rows.begin(), rows.end(), [](const auto& row) { return is_silent(row.second); });
}

void pod_table::drop_empty(std::map<job_ref, entry>::iterator at) {
    const entry& e = at->second;
    if (e.rows.empty() && e.deleted.empty() && !e.gone_failure && e.events.empty()) jobs_.erase(at);
}

}  // namespace training_monitor
