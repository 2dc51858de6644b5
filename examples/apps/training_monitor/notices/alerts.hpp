// What receivers were told of and is not over: so that they can be told in the same thread when it is. A plain state
// machine.
#pragma once

#include "notices/notice.hpp"

#include <cstddef>
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

    /// The job came to `to`.
    std::vector<ended_alert> moved(const job_view& job, standing to);
    /// `which` holds of the job no more. If the job failed or restarts, that is what the matter is from now on.
    std::vector<ended_alert> over(const job_view& job, job_condition which);
    /// `which` holds of no job of the cluster but of these.
    std::vector<ended_alert> only(const std::string& cluster, job_condition which,
                                  const std::vector<const job_view*>& jobs);

    std::size_t size() const noexcept { return open_.size(); }

private:
    using job_key = std::tuple<std::string, std::string, std::string, std::string_view, std::string>;
    using alert_key = std::pair<std::size_t, std::string>;  // receiver, thread
    struct alert {
        notice what;
        std::set<job_key> jobs;  ///< for which it is not over
        std::size_t total = 0;
    };
    static job_key key_of(const job_view& job) { return {job.cluster, job.namespace_, job.name, job.kind, job.uid}; }
    template <class Fits>
    std::vector<ended_alert> end(const job_view& job, Fits fits);

    std::size_t most_;
    std::map<alert_key, alert> open_;
    std::map<job_key, std::set<alert_key>> by_job_;
};

}  // namespace training_monitor::notices
