// What is remembered of each job: its states one after another, from when to when, and that it is gone. A plain state
// machine in memory; memory/ keeps it in a file.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "history/job_record.hpp"
#include "history/observation.hpp"
#include "table/change.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

class history_options {
public:
    history_options() = default;

    /// How many states of one job are kept: the newest.
    history_options& max_spans(std::size_t n) { return max_spans_ = n, *this; }
    /// The namespaces that are watched; empty: all. A job of another one is not gone because nobody sees it.
    history_options& namespaces(std::vector<std::string> names) { return namespaces_ = std::move(names), *this; }

    std::size_t max_spans() const noexcept { return max_spans_; }
    const std::vector<std::string>& namespaces() const noexcept { return namespaces_; }

private:
    std::size_t max_spans_ = 64;
    std::vector<std::string> namespaces_;
};

/// Thread-safety: shared objects unsafe.
class history {
public:
    explicit history(history_options options = {}) : options_(std::move(options)) {}
    history(const history&) = delete;
    history& operator=(const history&) = delete;

    /// Remembers what the table's changes say. Returns them with what each meant, and what they brought to light that
    /// happened while nobody looked.
    observation observe(const std::vector<change>& changes, kcontrol::wall_time now);

    /// Puts back what an earlier run remembered. A job that was observed in this run already stays as it is.
    void restore(job_record record);

    /// For notices: whether people were notified that this job is in this state, so that nobody is notified twice, not
    /// even after a restart (memory/ keeps the mark). Nobody was notified of a job that is not remembered.
    bool is_notified(const job_view& job, job_state state) const;
    void mark_notified(const job_view& job, job_state state);

    /// Likewise: a notice of it is pending. Returns the count of those, one more now, which is taken down again when
    /// the notice is settled; null for a job that is not remembered.
    std::shared_ptr<std::uint32_t> add_pending(const job_view& job);
    /// That count was taken down.
    void settled(const job_view& job);

    /// What is remembered of that very job, by its uid. Null if nothing is.
    const job_record* find(const job_view& job) const { return record_of(job); }

    /// The job of that name: the one in view, else the one seen last. Null if there is none.
    const job_record* find(std::string_view cluster, std::string_view name_space, std::string_view kind,
                           std::string_view name) const;

    /// Since when nothing of the cluster could be read; nothing: it can be.
    std::optional<kcontrol::wall_time> unreadable_since(std::string_view cluster) const;

    /// What happened while nobody looked, since the start; the newest `max_missed`.
    const std::deque<missed>& missed_since_start() const noexcept { return missed_; }
    static constexpr std::size_t max_missed = 10'000;

    std::size_t size() const noexcept { return records_.size(); }
    /// How many of them are not in view.
    std::size_t out_of_view() const noexcept { return records_.size() - in_view_; }
    /// How many of those are known to be gone.
    std::size_t gone() const;

    /// Whom forget() may take: whatever is not in view, or only what is known to be gone. A cluster may come back.
    enum class forgettable { away, gone };

    /// Forgets jobs that were last seen, or found gone, before `before`; the oldest first, and `most` at the most.
    /// Returns them.
    std::vector<std::unique_ptr<job_record>> forget(kcontrol::wall_time before, std::size_t most,
                                                    forgettable which = forgettable::away);

    /// Called with each record that changed, for who keeps it.
    void on_touched(std::function<void(job_record&)> call) { touched_ = std::move(call); }

private:
    struct by_name {
        using is_transparent = void;
        bool operator()(const job_id& a, const job_id& b) const { return a < b; }
        template <class Pointer>
        bool operator()(const Pointer& a, const job_id& b) const {
            return a->id() < b;
        }
        template <class Pointer>
        bool operator()(const job_id& a, const Pointer& b) const {
            return a < b->id();
        }
        bool operator()(const std::unique_ptr<job_record>& a, const std::unique_ptr<job_record>& b) const {
            return a->id() < b->id();
        }
    };
    using record_set = std::set<std::unique_ptr<job_record>, by_name>;

    job_record* record_of(const job_view& job) const;
    std::optional<transition> see(const change& c, kcontrol::wall_time now, std::vector<missed>& out);
    void lose(const change& c, bool with_cluster, kcontrol::wall_time now);
    void settle(const cluster_view& cluster, kcontrol::wall_time now, std::vector<missed>& out);
    void set_state(job_record& r, const job_view& job, kcontrol::wall_time from);
    void touch(job_record& r) {
        if (touched_) touched_(r);
    }
    void note(missed what, std::vector<missed>& out);
    bool is_watched_namespace(std::string_view name) const;

    history_options options_;
    record_set records_;
    std::size_t in_view_ = 0;
    std::map<std::string, std::set<job_record*>, std::less<>> away_;  ///< of each cluster: not in view, yet not gone
    std::map<std::string, kcontrol::wall_time, std::less<>> unreadable_;
    std::deque<missed> missed_;
    std::function<void(job_record&)> touched_;
};

}  // namespace training_monitor
