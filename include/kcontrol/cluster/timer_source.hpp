// A source that says something once a period: for what is to be looked at whether or not anything changed.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/cluster/generic_event.hpp>
#include <kcontrol/cluster/source.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <memory>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Options of a timer_source.
class timer_options {
public:
    /// At least 1 ms.
    explicit timer_options(duration period) : period_(period) {}
    /// Each period is longer by up to this share of itself, so that many programs do not ask at once. Default 0.1.
    timer_options& jitter(double share) { return jitter_ = share, *this; }
    /// Whether the first event is emitted immediately. Default: after a period.
    timer_options& fire_immediately(bool yes) { return fire_immediately_ = yes, *this; }
    /// What messages and the causes of reconciles call it. Default "timer".
    timer_options& name(std::string n) { return name_ = std::move(n), *this; }
    timer_options& log(logger l) { return log_ = std::move(l), *this; }  ///< told what handlers throw; default: nobody

    duration period() const noexcept { return period_; }  ///< as it was given; less than 1 ms counts as 1 ms
    double jitter() const noexcept { return jitter_; }
    bool fire_immediately() const noexcept { return fire_immediately_; }
    const std::string& name() const noexcept { return name_; }
    const logger& log() const noexcept { return log_; }

private:
    duration period_;
    double jitter_ = 0.1;
    bool fire_immediately_ = false;
    std::string name_ = "timer";
    logger log_;
};

/// Tells a generic event about one name, once a period, to each who is subscribed, counted from when he did. A period
/// that was slept through is left out. It is synced from the beginning.
///
/// For something of each object there is reconcile_result::requeue_after().
///
/// Thread-safety: shared objects unsafe; use it on the executor given, a strand or a single-threaded context. Object
/// lifetime: the environment outlives it and its subscriptions.
class timer_source final : public event_source {
public:
    /// `about`: with enqueue_for_object it is the request.
    KCONTROL_DECL timer_source(environment& env, executor ex, namespaced_name about, timer_options options);

    [[nodiscard]] KCONTROL_DECL subscription subscribe(any_event_handler handler) override;
    KCONTROL_DECL awaitable<bool> wait_synced(std::stop_token stop, std::optional<time_point> deadline) override;
    KCONTROL_DECL std::string describe() const override;
    KCONTROL_DECL std::string kind() const override;

private:
    environment* env_;
    executor ex_;
    any_event event_;
    timer_options options_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/timer_source.ipp>
#endif
