// What is pending for one receiver: a bounded queue, its rate limits and its retries. A plain state machine.
#pragma once

#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/burst_limit.hpp>

#include "notices/delivery.hpp"
#include "notices/notice.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace training_monitor::notices {

class queue_options {
public:
    /// How many notices may wait.
    queue_options& capacity(std::size_t n) { return capacity_ = n, *this; }
    /// Each try is counted by each of these. `per_second` > 0, `burst` >= 1.
    queue_options& limit(double per_second, double burst) {
        const std::chrono::duration<double> period(1 / per_second);
        limits_.emplace_back(static_cast<std::uint32_t>(burst), std::chrono::ceil<kcontrol::duration>(period));
        return *this;
    }
    queue_options& retry(retry_policy p) { return retry_ = p, *this; }

    std::size_t capacity() const noexcept { return capacity_; }
    const std::vector<kcontrol::burst_limit>& limits() const noexcept { return limits_; }
    const retry_policy& retry() const noexcept { return retry_; }

private:
    std::size_t capacity_ = 1000;
    std::vector<kcontrol::burst_limit> limits_;
    retry_policy retry_;
};

/// A notice that no further try will be made for.
struct dead_notice {
    notice what;
    std::uint32_t attempts = 0;
    std::string why;
};

struct queue_counters {
    std::uint64_t sent = 0;
    std::uint64_t failed = 0;     ///< given up
    std::uint64_t dropped = 0;    ///< to make room
    std::uint64_t coalesced = 0;  ///< folded into another one of the same job
    std::uint64_t retries = 0;    ///< tries after the first
};

/// One try at a time, in order: a notice that must wait for its next try keeps the others of this receiver waiting, for
/// what hinders it hinders them. When the queue is full, notices of one job become one, from the first state to the
/// last; where that makes no room the oldest is dropped.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class notice_queue {
public:
    explicit notice_queue(queue_options options)
        : options_(std::move(options)), limits_(options_.limits()), pauses_(retry_policy::pauses()) {}

    /// Returns what was dropped to make room.
    std::optional<dead_notice> push(notice n);

    struct nothing {};  ///< there is nothing to do before the next push()
    struct wait_until {
        kcontrol::time_point when;
    };  ///< nor before that
    struct try_now {
        notice what;
        std::uint32_t attempt;
    };
    using action = std::variant<nothing, wait_until, try_now>;

    /// What to do at `now`. After try_now comes done() before the next call.
    action next(kcontrol::time_point now);

    /// How the try ended; `unit` is a random number in [0, 1). Returns the notice if it was given up.
    std::optional<dead_notice> done(const delivery& how, kcontrol::time_point now, double unit);

    /// Notices that wait, the one being tried included.
    std::size_t size() const noexcept { return waiting_.size() + (current_ ? 1 : 0); }
    std::size_t capacity() const noexcept { return options_.capacity(); }
    const queue_counters& counters() const noexcept { return counters_; }

private:
    using job_key = std::tuple<std::string, std::string, std::string, std::string_view, std::string>;
    using place = std::list<notice>::iterator;

    static job_key key_of(const notice& n);
    static void fold(notice& into, notice&& later);
    void append(notice&& n);
    void compact();
    void erase(place at);

    queue_options options_;
    std::vector<kcontrol::burst_limit> limits_;
    kcontrol::backoff pauses_;
    std::list<notice> waiting_;
    std::map<job_key, std::vector<place>> by_job_;  // in order
    struct trial {
        notice what;
        std::uint32_t attempts = 0;
        kcontrol::time_point not_before{};
    };
    std::optional<trial> current_;
    queue_counters counters_;
};

}  // namespace training_monitor::notices
