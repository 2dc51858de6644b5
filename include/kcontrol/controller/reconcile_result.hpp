// What a reconciler answers: finished, again later, or an error.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/time.hpp>

#include <optional>

namespace kcontrol::inline v0_1 {

/// The outcome of a reconcile that did not fail.
class reconcile_result {
public:
    /// Which of the functions below made it.
    enum class kind { done, requeue, requeue_after };

    /// The same as done().
    reconcile_result() = default;

    /// Nothing to do until something changes. Forgets earlier failures.
    static reconcile_result done() { return {}; }

    /// Once more after the key's backoff, as after an error, but without one.
    static reconcile_result requeue() { return reconcile_result(kind::requeue, duration::zero()); }

    /// Once more after `delay`. Forgets earlier failures. Zero or less is done(), as in controller-runtime.
    static reconcile_result requeue_after(duration delay) {
        return delay > duration::zero() ? reconcile_result(kind::requeue_after, delay) : done();
    }

    /// The priority of that other reconcile, in place of the one that this reconcile had.
    reconcile_result with_priority(int p) const {
        reconcile_result out = *this;
        out.priority_ = p;
        return out;
    }

    kind type() const noexcept { return kind_; }        ///< done unless another function made it
    duration delay() const noexcept { return delay_; }  ///< of requeue_after(); else zero
    /// Nothing: it keeps the priority that it has.
    const std::optional<int>& priority() const noexcept { return priority_; }

    friend bool operator==(const reconcile_result&, const reconcile_result&) = default;

private:
    reconcile_result(kind k, duration d) : kind_(k), delay_(d) {}
    kind kind_ = kind::done;
    duration delay_{};
    std::optional<int> priority_;
};

/// What a reconciler that is a coroutine returns. An error makes the controller try again after the key's backoff.
using reconciliation = awaitable<result<reconcile_result>>;

/// The error of a reconciler that a retry can't help: it is logged and counted; the key waits for the next change.
inline error terminal_error(const error& cause) { return error(errc::terminal, cause.what()); }

}  // namespace kcontrol
