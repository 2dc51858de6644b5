// Which objects a reflector mirrors, and how patient it is. The defaults stand here; informer_options hand them on.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/client/options.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/runtime/backoff.hpp>

#include <cstdint>

namespace kcontrol::inline v0_1 {

/// Whether a list comes as a stream: as a watch that begins with all objects, ends them with a bookmark that says so,
/// and goes on. Where many clients list at once, it saves the server memory; it takes up to twice the CPU of a list in
/// pages (docs/informers.md has figures). A server that refuses is asked for lists.
enum class list_streaming {
    by_default,  ///< in pages, unlike client-go: see reflector_policy::streams_by_default
    on,
    off,
};

/// How a reflector_fsm behaves.
class reflector_policy {
public:
    /// Objects a page of a list; 0 asks for all at once. Default 500, client-go's.
    reflector_policy& page_size(std::int64_t n) { return page_size_ = n, *this; }
    /// How often a kind that is not installed or forbidden is tried again. Default 15 s.
    reflector_policy& probe_period(duration d) { return probe_period_ = d, *this; }
    /// How long it waits after failures; default: 0.8 s, doubled up to 30 s, with jitter, as client-go.
    reflector_policy& backoff(backoff_policy p) { return backoff_ = p, *this; }
    /// A watch that was resumed after trouble and brings nothing for two of these is held against a consistent list:
    /// so a server is noticed whose versions went back. Default 20 s.
    reflector_policy& silence_period(duration d) { return silence_period_ = d, *this; }
    /// What one list may be in all its pages.
    reflector_policy& bounds(list_bounds b) { return bounds_ = b, *this; }
    /// Whether lists are streamed; default: list_streaming::by_default.
    reflector_policy& streaming(list_streaming s) { return streaming_ = s, *this; }
    /// A streamed list that has not sent all objects by then is given up, and lists are asked for from then on. Default
    /// 1 min, as long as a page of a list has.
    reflector_policy& initial_events_deadline(duration d) { return initial_events_deadline_ = d, *this; }

    std::int64_t page_size() const noexcept { return page_size_; }
    duration probe_period() const noexcept { return probe_period_; }
    const backoff_policy& backoff() const noexcept { return backoff_; }
    duration silence_period() const noexcept { return silence_period_; }
    const list_bounds& bounds() const noexcept { return bounds_; }
    list_streaming streaming() const noexcept { return streaming_; }
    duration initial_events_deadline() const noexcept { return initial_events_deadline_; }

    /// What list_streaming::by_default means.
    static KCONTROL_DECL bool streams_by_default() noexcept;

private:
    std::int64_t page_size_ = 500;
    duration probe_period_ = std::chrono::seconds(15);
    backoff_policy backoff_;
    duration silence_period_ = std::chrono::seconds(20);
    list_bounds bounds_;
    list_streaming streaming_ = list_streaming::by_default;
    duration initial_events_deadline_ = std::chrono::minutes(1);
};

/// Which objects a reflector mirrors, and its policy.
class reflector_options : public selection_options<reflector_options> {
public:
    reflector_options() = default;

    reflector_options& policy(reflector_policy p) { return policy_ = p, *this; }  ///< default: reflector_policy()
    /// Bounds of the watch's server-side timeout, drawn anew for each watch. Default
    /// client-go's, 5 to 10 minutes.
    reflector_options& watch_timeout(std::chrono::seconds least, std::chrono::seconds most) {
        return watch_timeout_min_ = least, watch_timeout_max_ = most, *this;
    }
    /// A watch without a sign of life for so long, or for three of the periods in which its server's bookmarks came so
    /// far, is half-open: it is resumed. The default is watch_options'.
    reflector_options& watch_idle(duration d) { return watch_idle_ = d, *this; }

    const reflector_policy& policy() const noexcept { return policy_; }
    /// Least of watch_timeout(); default 5 min.
    std::chrono::seconds watch_timeout_min() const noexcept { return watch_timeout_min_; }
    /// Most of watch_timeout(); default 10 min.
    std::chrono::seconds watch_timeout_max() const noexcept { return watch_timeout_max_; }
    duration watch_idle() const noexcept { return watch_idle_; }

private:
    reflector_policy policy_;
    std::chrono::seconds watch_timeout_min_ = watch_options::default_timeout;
    std::chrono::seconds watch_timeout_max_ = 2 * watch_options::default_timeout;
    duration watch_idle_ = watch_options::default_idle;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/watch/impl/options.ipp>
#endif
