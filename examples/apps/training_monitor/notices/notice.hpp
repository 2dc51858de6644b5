// One thing to notify people of: a job went from one state to another, or a cluster can't be seen, or is back.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "jobs/job_view.hpp"
#include "notices/severity.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace training_monitor::notices {

/// The name of "the job was not there before" where a state is expected, and of "it is there no more".
inline constexpr std::string_view new_state = "New";
inline constexpr std::string_view gone_state = "Gone";

/// A job's state, or that it is not there. What stands before and after a change.
class standing {
public:
    standing() = default;                 ///< not there
    standing(job_state s) : state_(s) {}  // NOLINT: meant to convert

    const std::optional<job_state>& state() const noexcept { return state_; }

    friend bool operator==(const standing&, const standing&) = default;

private:
    std::optional<job_state> state_;
};

/// What a job can be told of besides its states, once it has lasted: after the first three, each `trouble`.
enum class job_condition {
    none,
    incomplete,  ///< it runs with fewer pods than wanted
    gpus_idle,   ///< all its GPUs are at 0 %
};

constexpr job_condition condition_of(trouble t) noexcept {
    return t == trouble::none
               ? job_condition::none
               : static_cast<job_condition>(static_cast<int>(job_condition::gpus_idle) + static_cast<int>(t));
}
constexpr trouble trouble_of(job_condition c) noexcept {
    const int beyond = static_cast<int>(c) - static_cast<int>(job_condition::gpus_idle);
    return beyond > 0 ? static_cast<trouble>(beyond) : trouble::none;
}

/// As rules, texts and JSON name it; empty for none.
constexpr std::string_view to_string(job_condition c) noexcept {
    switch (c) {
    case job_condition::none: return "";
    case job_condition::incomplete: return "Incomplete";
    case job_condition::gpus_idle: return "GPUsIdle";
    }
    return to_string(trouble_of(c));
}

/// What the copies of a notice for several receivers share: it is settled when the last of them is done with it.
class open_notice {
public:
    /// `pending` counts the notices of its job that are not settled; it may be null.
    open_notice(std::uint32_t receivers, std::shared_ptr<std::uint32_t> pending)
        : receivers_(receivers), pending_(std::move(pending)) {}

    /// One receiver is done with it. True if it was the last.
    bool close() {
        if (--receivers_ > 0) return false;
        if (pending_) --*pending_;
        return true;
    }

private:
    std::uint32_t receivers_;
    std::shared_ptr<std::uint32_t> pending_;
};

struct notice {
    std::string id;                       ///< the same for every receiver and every try, also after a restart
    std::shared_ptr<const job_view> job;  ///< after the change; of a deleted job as it was last shown
    standing from;                        ///< "not there" is New
    standing to;                          ///< "not there" is Gone
    kcontrol::wall_time at{};             ///< when the monitor saw it
    kcontrol::time_point seen{};          ///< likewise, for the latency
    std::uint32_t changes = 1;            ///< how many changes it stands for: more than one when the queue was full
    std::shared_ptr<open_notice> open;    ///< null: it goes to nobody
    std::string link;                     ///< the job's page; empty: nobody has said where the monitor is served
    kcontrol::duration lasted{};          ///< of a rule with `for:`: so long the job has been in this state
    std::vector<kcontrol::wall_time> restarts;      ///< of one that restarts: when it did so, as far as it is known
    job_condition condition = job_condition::none;  ///< of a rule about one: what has lasted
    std::string_view cluster_from, cluster_to;      ///< of a cluster, which stands as a job of its name: its states
    std::optional<severity> level;                  ///< as the rule has it
    std::string runbook;                            ///< likewise: the URL of what to do; may be empty
    std::string thread;                             ///< the same for all that is told of one matter
    std::vector<notice> members;   ///< of other jobs that failed for the same cause; it stands for them, too
    std::size_t earlier = 0;       ///< jobs of that cause of which the receiver was told before
    bool resolved = false;         ///< what was told of is over
    std::vector<std::string> log;  ///< the last lines of the container that failed, where they may be shown

    bool is_of_cluster() const { return !cluster_to.empty(); }
    std::string_view from_text() const {
        if (is_of_cluster()) return cluster_from;
        return from.state() ? to_string(*from.state()) : new_state;
    }
    std::string_view to_text() const {
        if (is_of_cluster()) return cluster_to;
        return to.state() ? to_string(*to.state()) : gone_state;
    }
};

/// "cluster/namespace/name (Kind)", for logs and people; of a cluster "cluster (Cluster)".
inline std::string job_text(const job_view& job) {
    std::string out = job.cluster;
    if (job.namespace_.empty()) return out.append(" (").append(job.kind).append(")");
    out.append("/").append(job.namespace_).append("/").append(job.name);
    return out.append(" (").append(job.kind).append(")");
}

}  // namespace training_monitor::notices
