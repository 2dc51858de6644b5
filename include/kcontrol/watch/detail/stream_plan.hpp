// Whether lists are asked for as streams, and what is remembered of a server that did not give one.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/watch/options.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::detail {

/// The streamed list that is open, and those before it. After one that was refused, was late, or broke off three times
/// in a row, a list is asked for in its place. If that is answered at once, it was the streaming: no list is streamed
/// any more. If it fails as well, it was not, and the next list but one is streamed again.
///
/// Source: client-go tools/cache/reflector.go, watchList(); KEP-3157. That falls back for one list only.
/// Thread-safety: distinct objects safe; shared objects unsafe.
class stream_plan {
public:
    explicit stream_plan(const reflector_policy& policy)
        : wanted_(policy.streaming() == list_streaming::on ||
                  (policy.streaming() == list_streaming::by_default && reflector_policy::streams_by_default())),
          deadline_(policy.initial_events_deadline()) {}

    /// The next list is to be streamed, if it can be.
    bool usable() const noexcept { return wanted_ && why_not_.empty() && put_off_ < patience; }
    /// Why lists are not streamed any more; empty if they are, or nobody wants it.
    const std::string& refusal() const noexcept { return proved_ ? why_not_ : none_; }

    // --- the open one: from its answer until all of it has come
    void opened(time_point now, duration asked) noexcept { open_ = true, began_ = now, asked_ = asked; }
    void closed() noexcept { open_ = false; }
    bool is_open() const noexcept { return open_; }
    time_point began() const noexcept { return began_; }
    duration asked() const noexcept { return asked_; }
    std::optional<time_point> due() const noexcept { return open_ ? std::optional(began_ + deadline_) : std::nullopt; }
    bool is_late(time_point now) const noexcept { return open_ && now >= began_ + deadline_; }

    // --- what came of it
    /// It was refused, in these words.
    KCONTROL_DECL void refused(const error& why);
    /// The server put it off: it is overloaded, or can't say who asks. A list may get through all the same (servers
    /// count its cost otherwise), so that after the third in a row one list comes in its place, and only one.
    void put_off() noexcept { ++put_off_; }
    /// The deadline has passed.
    KCONTROL_DECL void late();
    /// A bookmark came that does not say whether all objects have come.
    KCONTROL_DECL void unmarked();
    /// It broke, or ended, in the middle.
    KCONTROL_DECL void broke(const error& why);

    /// A list that was not streamed has failed.
    void list_failed() noexcept {
        shared_ = shared_ || !why_not_.empty();
        put_off_ = 0;
    }
    /// A list was completed, streamed or not.
    KCONTROL_DECL void listed();

    /// Begins again with the same server.
    KCONTROL_DECL void restart();
    /// Another server: what the one before did, says nothing.
    KCONTROL_DECL void forget();

private:
    KCONTROL_DECL void give_up(std::string why);

    static constexpr std::uint32_t patience = 3;
    bool wanted_;
    duration deadline_;
    bool open_ = false;
    time_point began_{};
    duration asked_{};
    std::uint32_t broken_ = 0;   // in a row
    std::uint32_t put_off_ = 0;  // in a row
    std::string none_;           // empty, for who asks
    std::string why_not_;        // empty: nothing speaks against it
    bool shared_ = false;        // a list failed as well
    bool proved_ = false;        // a list was answered
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/watch/impl/stream_plan.ipp>
#endif
