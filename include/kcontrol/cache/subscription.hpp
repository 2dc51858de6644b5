// A handler of events, and what keeps it subscribed.
#pragma once

#include <kcontrol/cache/event_consumer.hpp>
#include <kcontrol/cache/handler_lag.hpp>
#include <kcontrol/client/invalid_object.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {
class published_loop;
struct handler_progress;
}  // namespace detail

/// Is called for objects that can't be decoded, in the same way.
using invalid_handler = std::function<void(const invalid_object&)>;

/// Keeps a handler subscribed; destruction unsubscribes, and no call begins after that. Of a handler that is called on
/// another executor than the informer's, one may be in progress then: end() waits for it.
///
/// Thread-safety: shared objects unsafe; use and destroy it on the informer's executor.
class [[nodiscard]] subscription {
public:
    subscription() = default;
    /// `progress` is an informer's; a source of another kind has none.
    explicit subscription(std::shared_ptr<void> hold, std::shared_ptr<detail::handler_progress> progress = {})
        : hold_(std::move(hold)), progress_(std::move(progress)) {}
    /// Several as one.
    KCONTROL_DECL static subscription all_of(std::vector<subscription> parts);

    void reset() { hold_.reset(); }  ///< unsubscribes; does not wait for a call that is in progress

    /// Whether this handler has been told all of the informer's first list: a queue of its own is behind has_synced()
    /// of the informer. False where there is no such handler, or no more; true of a source that is no informer.
    KCONTROL_DECL bool has_synced() const;
    /// Waits until has_synced() (true), or until `deadline`, `stop`, or the end of subscription or informer (false).
    KCONTROL_DECL awaitable<bool> wait_synced(std::stop_token stop, std::optional<time_point> deadline = std::nullopt);

    /// Unsubscribes, and waits until no call is in progress (true), or until `deadline` (false). Not to be awaited by
    /// the handler itself.
    KCONTROL_DECL awaitable<bool> end(std::optional<time_point> deadline = std::nullopt);

    /// How far the handler is behind; nothing at all where it has no queue.
    KCONTROL_DECL handler_lag lag() const;

private:
    friend class detail::published_loop;

    std::shared_ptr<void> hold_;
    std::shared_ptr<detail::handler_progress> progress_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cache/impl/subscription.ipp>
#endif
