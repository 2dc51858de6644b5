// How the watches of a kind are doing: in order, silent when they should not be, or one after the other for nothing.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// Judges the open watch and those before it. Three things speak against them: several in a row ended early and
/// brought nothing; a list did not cure a watch that was refused as too old; a watch resumed after trouble stays
/// silent. Progress (a newer version) or half a minute without an end speaks for them.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class watch_health {
public:
    /// `silence`: a server that is well says something, if only a bookmark, within two of these.
    explicit watch_health(duration silence) : silence_(silence) {}

    // --- the open watch
    /// `asked` is how long it shall last. `odd`: there is something to be told until it has lasted a while.
    KCONTROL_DECL void opened(time_point now, duration asked, bool odd);
    /// It brought a newer version. Returns whether that ends trouble.
    KCONTROL_DECL bool progressed();
    KCONTROL_DECL void ended() noexcept;
    bool is_open() const noexcept { return open_; }
    bool has_progressed() const noexcept { return progressed_; }
    duration age(time_point now) const noexcept { return now - opened_; }
    /// It ended when it was asked to, more or less.
    KCONTROL_DECL bool was_asked_to_end(time_point now) const noexcept;
    /// It has lasted so long that it is in order, whatever it brought.
    KCONTROL_DECL bool is_healthy(time_point now) const noexcept;

    // --- when to look at it
    std::optional<time_point> due() const noexcept { return due_; }
    KCONTROL_DECL void plan_look(time_point now, bool odd);
    /// It is silent where that is a sign: whether a consistent list should be asked for now. Counts as that question.
    KCONTROL_DECL bool take_silence(time_point now);
    /// Another sign that versions went back: whether to ask now, for the question is not repeated too soon.
    KCONTROL_DECL bool take_sign(time_point now);
    void probed(time_point now) noexcept { probed_ = now; }

    // --- those in a row
    /// The silence of the next one, or of the open one, is a sign: it follows a failure.
    void suspect(bool yes = true) noexcept { suspected_ = yes; }
    void add_fruitless() noexcept { ++fruitless_; }
    std::uint32_t fruitless() const noexcept { return fruitless_; }
    KCONTROL_DECL bool is_out_of_patience() const noexcept;
    /// It was refused as too old, or unknown. Returns whether one before it was, and no progress came since.
    bool add_expired() noexcept { return std::exchange(expired_, true); }
    void forget_trouble() noexcept { fruitless_ = 0, expired_ = false; }

    /// The shell was stopped at any point.
    void restart() noexcept { ended(), fruitless_ = 0; }
    /// Another server or another history: what was, says nothing.
    void start_over() noexcept { restart(), suspected_ = false; }

private:
    duration silence_;
    time_point opened_{};
    duration asked_{};
    bool open_ = false;
    bool progressed_ = false;
    bool suspected_ = false;
    bool expired_ = false;
    std::uint32_t fruitless_ = 0;
    std::optional<time_point> due_;
    std::optional<time_point> probed_;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/watch/impl/watch_health.ipp>
#endif
