// When a value that is derived from an informer's store is built again.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/cache/detail/informer_parts.hpp>
#include <kcontrol/cache/published_options.hpp>
#include <kcontrol/cache/subscription.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/scope.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace kcontrol::inline v0_1 {
class any_informer;
class store;
}  // namespace kcontrol

namespace kcontrol::inline v0_1::detail {

struct handler_progress;

/// The part of published<V> that does not depend on V. It belongs to the informer's executor, but for problem() and
/// failures(). A coroutine runs only while a rebuild is due, and waits with a deadline: nothing is left behind in a
/// context that is destroyed.
class published_loop : public std::enable_shared_from_this<published_loop> {
public:
    KCONTROL_DECL published_loop(any_informer& from, published_options options);
    KCONTROL_DECL virtual ~published_loop();
    published_loop(const published_loop&) = delete;
    published_loop& operator=(const published_loop&) = delete;

    /// Builds the value at once if the informer has synced, and begins to follow.
    KCONTROL_DECL void begin(any_informer& from);
    /// Builds nothing any more, and ends all waits.
    KCONTROL_DECL void end();

    KCONTROL_DECL std::optional<error> problem() const;
    std::uint64_t failures() const noexcept { return failures_.load(std::memory_order_relaxed); }

    static KCONTROL_DECL awaitable<result<void>> wait(std::shared_ptr<published_loop> self, std::uint64_t after,
                                                      std::stop_token stop, std::optional<time_point> deadline);

protected:
    /// Builds the value from the store, and publishes it if it differs. What the user's function throws gets out.
    virtual void build(const store& objects) = 0;
    virtual std::uint64_t version() const noexcept = 0;
    /// Whether it ended while the user's function ran: what that made is not published then.
    KCONTROL_DECL bool over() const;

private:
    void on_event();
    void on_status(bool synced);
    void demand(duration quiet);
    bool rebuild();
    static awaitable<void> run(std::shared_ptr<published_loop> self, duration quiet);

    published_options options_;
    informer_parts of_;
    std::string kind_;
    scope lifetime_;
    std::shared_ptr<handler_progress> progress_;  // of events_: notified when the informer ends, and of each version
    subscription events_, status_;
    std::uint64_t seen_ = 0;  // events
    bool following_ = false;  // the subscription's first events are over
    bool begun_ = false;      // the value was built, or its function failed
    bool pending_ = false;    // run() runs

    std::atomic<std::uint64_t> failures_{0};
    mutable std::mutex mutex_;
    std::optional<error> problem_;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cache/impl/published_loop.ipp>
#endif
