// Which changes of an informer's state the log tells: each once, and one that comes again and again once a minute.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/runtime/trouble_journal.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace kcontrol::detail {

/// What to write into the log.
class journal_entry : public trouble_entry {
public:
    informer_state state = informer_state::idle;
    bool trouble = false;  ///< it is not live, and status.reason says why
};

/// Thread-safety: distinct objects safe; shared objects unsafe.
class state_journal {
public:
    /// What is to be told of a status, if anything.
    std::optional<journal_entry> take(const informer_status& status, time_point now) {
        const bool trouble = status.state == informer_state::failed || status.state == informer_state::forbidden ||
                             status.state == informer_state::not_installed;
        if (trouble) return take_trouble({status.state, status.failure}, now);
        if (status.state != informer_state::live) return std::nullopt;
        present_.reset();
        if (lived_ && !told_) return std::nullopt;
        journal_entry entry;
        entry.state = informer_state::live;
        if (told_) entry.lasted = now - since_;
        told_ = false;
        lived_ = true;
        return entry;
    }

private:
    using cause = std::pair<informer_state, error_code>;

    std::optional<journal_entry> take_trouble(const cause& what, time_point now) {
        if (present_ == what) return std::nullopt;
        if (!present_) since_ = now;
        present_ = what;
        ++times_;
        if (last_ == what && now - told_at_ < std::chrono::minutes(1)) return std::nullopt;
        journal_entry entry;
        entry.state = what.first;
        entry.trouble = true;
        entry.times = last_ == what ? times_ : 1;
        last_ = what;
        told_at_ = now;
        told_ = true;
        times_ = 0;
        return entry;
    }

    std::optional<cause> present_;  // of the trouble that lasts
    std::optional<cause> last_;     // of the trouble told last
    time_point told_at_{};
    time_point since_{};
    std::uint64_t times_ = 0;
    bool told_ = false;   // trouble was, and its end was not
    bool lived_ = false;  // that it is live was told once
};

}  // namespace kcontrol::detail
