// Rules with `for:`: which states are watched for how long they last. A plain state machine.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "notices/notice.hpp"
#include "notices/rules.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace training_monitor::notices {

/// A state that has lasted as long as a rule asks: `what` goes to `receiver`.
struct lasted_state {
    notice what;
    std::size_t receiver = 0;
    std::size_t rule = 0;
};

/// One vigil is kept for each job and receiver that a rule with `for:` names; the job's next change ends it.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class vigils {
public:
    /// The job of `n` came to n.to, `lasted` ago: ends what was kept for the job and keeps `wanted`, but for what is
    /// over already.
    void begin(const notice& n, kcontrol::duration lasted, const std::vector<delayed_receiver>& wanted,
               kcontrol::time_point now);

    /// The job changed, or is there no more.
    void end(const job_view& job) { kept_.erase(key_of(job)); }

    /// When the next one is over; nothing: none is kept.
    std::optional<kcontrol::time_point> next() const;

    /// Takes those that are over.
    std::vector<lasted_state> take(kcontrol::time_point now);

    std::size_t size() const noexcept { return kept_.size(); }

private:
    using job_key = std::tuple<std::string, std::string, std::string, std::string_view, std::string>;
    struct vigil {
        notice what;
        std::size_t receiver, rule;
        kcontrol::time_point over;
    };
    static job_key key_of(const job_view& job) { return {job.cluster, job.namespace_, job.name, job.kind, job.uid}; }

    std::map<job_key, std::vector<vigil>> kept_;
};

}  // namespace training_monitor::notices
