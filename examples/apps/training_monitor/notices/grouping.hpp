// One message for jobs that failed for one cause: before a receiver's queue. A plain state machine.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "history/cause_groups.hpp"
#include "notices/notice.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace training_monitor::notices {

struct group_options {
    cause_parts by;
    kcontrol::duration wait = std::chrono::seconds(10);  ///< how long the first failure waits for others
    kcontrol::duration more = std::chrono::minutes(5);   ///< how long those that come later are collected
};

/// The first failure of a cause waits for `wait`; what failed for the same cause by then goes with it, in one notice.
/// What comes later goes in one more at the end of each `more`, until such a time passes without one. Other notices
/// pass at once, but for those about a job of which one waits: they keep their order.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class grouping {
public:
    /// Nothing: each notice passes.
    explicit grouping(std::optional<group_options> how) : how_(how) {}

    /// The notice if it is to be sent now.
    std::optional<notice> push(notice n, kcontrol::time_point now);

    /// When take() has something to do; nothing: nothing waits.
    std::optional<kcontrol::time_point> next() const;

    /// The job as it is known by now: its pods may have said meanwhile why it failed.
    using latest_job = std::function<std::shared_ptr<const job_view>(const notice&)>;
    /// Takes what is due: notices with their `members`.
    std::vector<notice> take(kcontrol::time_point now, const latest_job& latest);

    /// Notices that wait.
    std::size_t held() const;

private:
    struct held_notice {
        notice what;
        bool failure;
        std::string cause;
        kcontrol::time_point due;
    };
    struct open_group {
        std::string thread;
        std::size_t told = 0;
        std::vector<notice> later;
        kcontrol::time_point due;
    };
    static notice joined(std::vector<notice> all);
    std::optional<kcontrol::time_point> due_of_later(const notice& n) const;

    std::optional<group_options> how_;
    std::vector<held_notice> held_;           // in order
    std::map<std::string, open_group> open_;  // by cause
};

/// Whether it says that a job failed: for good, in a run that is started again, or in a crash loop.
bool is_of_failure(const notice& n);

}  // namespace training_monitor::notices
