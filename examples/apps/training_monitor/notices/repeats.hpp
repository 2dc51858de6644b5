// What repeats itself is summed up: a job that goes back and forth makes one notice, not nine. A plain state machine.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "notices/notice.hpp"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace training_monitor::notices {

/// Between the rules and a receiver's queue. A state that the receiver was told of less than `within` ago is held back;
/// when that time is over, or the job comes to a state that is news, one notice stands for all that were held. The end
/// of a job (Succeeded, Failed, Gone) is never held.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class repeats {
public:
    /// Zero: nothing is held.
    explicit repeats(kcontrol::duration within) : within_(within) {}

    struct answer {
        std::optional<notice> now;      ///< what to send at once; it stands for those that were held, too
        std::optional<notice> covered;  ///< what another notice stands for from now on: its receiver is done with it
    };
    answer push(notice n, kcontrol::time_point at);

    /// When the next one that is held is due; nothing: none is held.
    std::optional<kcontrol::time_point> next() const;

    /// Takes those that are due.
    std::vector<notice> take(kcontrol::time_point now);

    std::size_t held() const;

private:
    using job_key = std::tuple<std::string, std::string, std::string, std::string_view, std::string>;
    struct entry {
        std::map<job_state, kcontrol::time_point> told;
        std::optional<notice> held;
        kcontrol::time_point due{};
    };
    static job_key key_of(const job_view& job) { return {job.cluster, job.namespace_, job.name, job.kind, job.uid}; }
    void forget(kcontrol::time_point now);

    kcontrol::duration within_;
    std::map<job_key, entry> jobs_;
    kcontrol::time_point forgot_{};
};

}  // namespace training_monitor::notices
