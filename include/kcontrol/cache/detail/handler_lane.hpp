// A handler with a queue of its own: the informer puts events in, the handler is called for them where it wants to be.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/cache/detail/event_queue.hpp>
#include <kcontrol/cache/event_consumer.hpp>
#include <kcontrol/cache/handler_lag.hpp>
#include <kcontrol/cache/handler_options.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace kcontrol::inline v0_1::detail {

/// Calls one handler for what its queue holds, one event after another, on an executor of its own.
///
/// Thread-safety: lag() and full() may be called from any thread, the others belong to the informer's executor.
/// Object lifetime: a call in progress keeps it alive.
class handler_lane : public std::enable_shared_from_this<handler_lane> {
public:
    /// Counts what handlers throw, of all lanes of an informer.
    using error_count = std::shared_ptr<std::atomic<std::uint64_t>>;

    /// `on_news` is called on `home`, the informer's executor, after has_synced() or idle() have become true, and when
    /// the queue is full no more.
    KCONTROL_DECL handler_lane(environment& env, executor home, logger log, event_consumer handler,
                               const handler_options& options, error_count errors, std::function<void()> on_news);

    KCONTROL_DECL void push(any_event event);
    /// All that was there at first has been pushed.
    KCONTROL_DECL void push_synced();
    /// No call begins until resume(). What waits, waits.
    KCONTROL_DECL void pause();
    KCONTROL_DECL void resume();
    /// No call begins any more; what waited is freed.
    KCONTROL_DECL void close();

    KCONTROL_DECL bool full() const;
    KCONTROL_DECL bool has_synced() const;
    /// No call is in progress.
    KCONTROL_DECL bool idle() const;
    KCONTROL_DECL handler_lag lag() const;
    bool every_version() const noexcept { return every_version_; }
    const std::string& name() const noexcept { return name_; }

private:
    static awaitable<void> run(std::shared_ptr<handler_lane> self);
    KCONTROL_DECL void run_if_due();
    KCONTROL_DECL std::optional<any_event> take();
    KCONTROL_DECL void told();
    KCONTROL_DECL void announce();
    KCONTROL_DECL bool closed() const;

    environment& env_;
    const executor home_, ex_;
    const std::string name_;
    const bool every_version_;
    const event_consumer handler_;
    const error_count errors_;
    guarded_calls calls_;  // used by whoever calls the handler
    std::function<void()> on_news_;

    mutable std::mutex mutex_;  // guards what follows
    event_queue queue_;
    bool running_ = false;  // run() is on its way
    bool calling_ = false;
    bool paused_ = false;
    bool closed_ = false;
    bool was_synced_ = false;
    bool unannounced_ = false;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cache/impl/handler_lane.ipp>
#endif
