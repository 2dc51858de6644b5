// Which failures and recoveries are logged: each change once, and a failure that recurs at most once a minute.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// A record to log.
class failure_record {
public:
    std::uint64_t times = 1;  ///< how often this failure occurred since it was last logged
    duration lasted{};        ///< of a recovery: how long the failure lasted
};

/// The fields of a record about a failure: the reason, under that name, and how often it occurred, if more than once.
inline std::vector<log_field> failure_fields(std::string_view name, std::string why, const failure_record& entry) {
    std::vector<log_field> out{{name, std::move(why)}};
    if (entry.times > 1) out.push_back({"times", std::to_string(entry.times)});
    return out;
}

/// The field of a record about the recovery: after how many seconds, if a failure was logged.
inline void append_recovery_field(std::vector<log_field>& to, const failure_record& entry) {
    if (entry.lasted <= duration::zero()) return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(entry.lasted);
    to.push_back({"after_seconds", std::to_string(seconds.count())});
}

/// `Cause` identifies a failure, and is compared: a code or a pair of codes, never a text with numbers in it.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
template <class Cause>
class failure_log {
public:
    /// A failure occurred. A record if it is to be logged: at once, but the same failure not twice within a minute.
    std::optional<failure_record> failed(const Cause& what, time_point now) {
        if (present_ == what) return std::nullopt;
        if (!present_ && !reported_) since_ = now;
        present_ = what;
        occurrences& of = count_of(what);
        ++of.times;
        if (of.logged_at && now - *of.logged_at < std::chrono::minutes(1)) return std::nullopt;
        of.logged_at = now;
        reported_ = true;
        failure_record entry;
        entry.times = std::exchange(of.times, 0);
        return entry;
    }

    /// There is no failure. A record the first time, and whenever a failure was logged before.
    std::optional<failure_record> recovered(time_point now) {
        present_.reset();
        if (was_healthy_ && !reported_) return std::nullopt;
        failure_record entry;
        if (reported_) entry.lasted = now - since_;
        reported_ = false;
        was_healthy_ = true;
        return entry;
    }

    /// A failure was logged, and its end was not.
    bool reported() const noexcept { return reported_; }

private:
    struct occurrences {
        Cause what;
        std::optional<time_point> logged_at;
        std::uint64_t times = 0;
    };

    // Causes are few; if a program has ever new ones, the oldest are discarded.
    occurrences& count_of(const Cause& what) {
        for (occurrences& one : counts_) {
            if (one.what == what) return one;
        }
        if (counts_.size() == 16) counts_.erase(counts_.begin());
        counts_.push_back({what, std::nullopt, 0});
        return counts_.back();
    }

    std::optional<Cause> present_;  // the failure that lasts
    std::vector<occurrences> counts_;
    time_point since_{};
    bool reported_ = false;
    bool was_healthy_ = false;
};

}  // namespace kcontrol
