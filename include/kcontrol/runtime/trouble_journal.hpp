// Which changes between well and not well the log tells: each once, and one that comes again and again once a minute.
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

/// What to write into the log.
class trouble_entry {
public:
    std::uint64_t times = 1;  ///< how often this trouble came since it was told last
    duration lasted{};        ///< of the end: since when there was trouble
};

/// The fields of a record about trouble: why, under that name, and how often it came, if more than once.
inline std::vector<log_field> trouble_fields(std::string_view name, std::string why, const trouble_entry& entry) {
    std::vector<log_field> out{{name, std::move(why)}};
    if (entry.times > 1) out.push_back({"times", std::to_string(entry.times)});
    return out;
}

/// The field of a record about its end: after how many seconds, if there was trouble.
inline void append_trouble_end(std::vector<log_field>& to, const trouble_entry& entry) {
    if (entry.lasted <= duration::zero()) return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(entry.lasted);
    to.push_back({"after_seconds", std::to_string(seconds.count())});
}

/// `Cause` says which trouble it is, and is compared: a code or a pair of codes, never a text with numbers in it.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
template <class Cause>
class trouble_journal {
public:
    /// There is trouble. An entry if it is to be told: at once, but the same one not twice within a minute.
    std::optional<trouble_entry> trouble(const Cause& what, time_point now) {
        if (present_ == what) return std::nullopt;
        if (!present_ && !told_) since_ = now;
        present_ = what;
        memory& seen = remember(what);
        ++seen.times;
        if (seen.told_at && now - *seen.told_at < std::chrono::minutes(1)) return std::nullopt;
        seen.told_at = now;
        told_ = true;
        trouble_entry entry;
        entry.times = std::exchange(seen.times, 0);
        return entry;
    }

    /// All is well. An entry the first time, and whenever trouble was told before.
    std::optional<trouble_entry> well(time_point now) {
        present_.reset();
        if (was_well_ && !told_) return std::nullopt;
        trouble_entry entry;
        if (told_) entry.lasted = now - since_;
        told_ = false;
        was_well_ = true;
        return entry;
    }

    /// Trouble was told, and its end was not.
    bool told() const noexcept { return told_; }

private:
    struct memory {
        Cause what;
        std::optional<time_point> told_at;
        std::uint64_t times = 0;
    };

    // Causes are few; of a program that finds ever new ones the oldest are forgotten.
    memory& remember(const Cause& what) {
        for (memory& one : seen_) {
            if (one.what == what) return one;
        }
        if (seen_.size() == 16) seen_.erase(seen_.begin());
        seen_.push_back({what, std::nullopt, 0});
        return seen_.back();
    }

    std::optional<Cause> present_;  // the trouble that lasts
    std::vector<memory> seen_;
    time_point since_{};
    bool told_ = false;
    bool was_well_ = false;
};

}  // namespace kcontrol
