// Where a controller's events come from: the seam between informers and controllers.
#pragma once

#include <kcontrol/cache/subscription.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/make_ready.hpp>
#include <kcontrol/runtime/time.hpp>

#include <optional>
#include <stop_token>
#include <string>

namespace kcontrol::inline v0_1 {

/// Something that notifies of changes. A controller subscribes when it starts, waits until the source is synced before
/// its first reconcile, and unsubscribes when it stops.
///
/// Thread-safety: shared objects unsafe; use it on the controller's executor.
class event_source {
public:
    virtual ~event_source() = default;

    /// Calls `handler` for what is there already and for every change, until the subscription dies. One that is thrown
    /// away hears nothing more.
    [[nodiscard]] virtual subscription subscribe(any_event_handler handler) = 0;

    /// Waits until what is there already is known (true), or until `deadline` or `stop` (false).
    virtual awaitable<bool> wait_synced(std::stop_token stop, std::optional<time_point> deadline) = 0;

    /// For messages: what it is and, while it is not synced, why.
    virtual std::string describe() const = 0;

    /// The kind of the objects it notifies of, to be told among the causes of a reconcile; empty if it has no name for
    /// them. It does not change.
    virtual std::string kind() const { return {}; }
};

/// A source that keeps the objects it notifies of.
class cached_source : public event_source {
public:
    /// The object as it is known, or an empty one.
    virtual any_object get(const namespaced_name& key) const = 0;
    /// Whether get() gives the metadata of objects alone; see informer_options::memory_budget().
    virtual bool metadata_only() const { return false; }
    /// The whole object, which is asked for while metadata_only(). From any executor. Errors: those of client::get().
    virtual awaitable<result<any_object>> fetch(namespaced_name key, std::stop_token stop) const;
};

inline awaitable<result<any_object>> cached_source::fetch(namespaced_name key, std::stop_token) const {
    return make_ready<result<any_object>>(get(key));
}

}  // namespace kcontrol
