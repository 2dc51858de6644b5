// What receivers were told of and is not over: so that they can be told in the same thread when it is. A plain state
// machine.
#pragma once

#include "notices/notice.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace training_monitor::notices {

/// A matter that a receiver was told of is over: the job runs, succeeded or was deleted, or the condition holds no
/// more.
struct ended_alert {
    std::size_t receiver = 0;
    notice what;  ///< what was told
};

/// An alert as it outlasts a restart. Without jobs it is over.
struct kept_alert {
    struct job_name {
        std::string cluster, namespace_, kind, name, uid;
        friend bool operator==(const job_name&, const job_name&) = default;
    };
    std::string receiver;        ///< its name
    notice what;                 ///< of the job it says which, its GPUs and the node of its failure
    std::string reference;       ///< what the receiver called its first message; empty: it did not say
    std::vector<job_name> jobs;  ///< for which it is not over
    std::size_t total = 0;       ///< of all jobs that it was about
};

/// Of a notice with members, the matter is over when it is over for each job of it.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class alerts {
public:
    /// At most so many are kept; of others the end is not told.
    explicit alerts(std::size_t most = 20'000) : most_(most) {}

    /// The receiver took `n`, or is about to if it tells of no trouble: it then ends what the same thread told of this
    /// job alone.
    void told(std::size_t receiver, const notice& n);

    /// Is told of each alert that begins, changes or ends: by receiver and thread. See kept().
    void on_changed(std::function<void(std::size_t receiver, const std::string& thread)> f) { changed_ = std::move(f); }
    /// As it is now; without jobs if it is over. `receiver` and `reference` are the caller's to fill in.
    kept_alert kept(std::size_t receiver, const std::string& thread) const;
    /// Puts back what an earlier run was told of. Whether its condition holds is not known yet: over() does not end it
    /// before holds() or doubtful() was called.
    void restore(std::size_t receiver, const kept_alert& from);
    /// `which` holds of the job.
    void holds(const job_view& job, job_condition which);
    /// Those put back of which holds() was not called: they are like others from now on.
    std::vector<notice> doubtful();

    /// The job came to `to`.
    std::vector<ended_alert> moved(const job_view& job, standing to);
    /// `which` holds of the job no more. If the job failed or restarts, that is what the matter is from now on.
    std::vector<ended_alert> over(const job_view& job, job_condition which);
    /// `which` holds of no job of the cluster but of these.
    std::vector<ended_alert> only(const std::string& cluster, job_condition which,
                                  const std::vector<const job_view*>& jobs);

    /// The cluster was removed: nothing more is heard of its jobs.
    void forget(const std::string& cluster);

    std::size_t size() const noexcept { return open_.size(); }

private:
    using job_key = std::tuple<std::string, std::string, std::string, std::string_view, std::string>;
    using alert_key = std::pair<std::size_t, std::string>;  // receiver, thread
    struct alert {
        notice what;
        std::set<job_key> jobs;  ///< for which it is not over
        std::size_t total = 0;
        bool doubtful = false;
    };
    static job_key key_of(const job_view& job) { return {job.cluster, job.namespace_, job.name, job.kind, job.uid}; }
    void tell(const alert_key& key) {
        if (changed_) changed_(key.first, key.second);
    }
    template <class Fits>
    std::vector<ended_alert> end(const job_view& job, Fits fits);

    std::size_t most_;
    std::map<alert_key, alert> open_;
    std::map<job_key, std::set<alert_key>> by_job_;
    std::function<void(std::size_t, const std::string&)> changed_;
};

}  // namespace training_monitor::notices
