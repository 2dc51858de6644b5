// Rate limiters: how long a key waits that is added because its work failed.
#pragma once

#include <kcontrol/workqueue/rate_limit.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace kcontrol::inline v0_1 {

/// What a rate limiter is asked about.
class rate_limit_attempt {
public:
    /// Failures of the key before this one, the time of this one, and a random number in [0, 1).
    rate_limit_attempt(std::uint64_t failures_before, time_point at, double random)
        : failures(failures_before), now(at), unit(random) {}

    std::uint64_t failures;  ///< of the key, since its last success, before this one
    time_point now;          ///< when the work failed
    double unit;             ///< a random number in [0, 1)
};

/// A rate limiter as a value. A copy has a state of its own: each controller that is given one counts for itself.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class rate_limiter {
public:
    /// The default of controllers: exponential(5 ms, 1000 s).
    KCONTROL_DECL rate_limiter();
    /// Of each key: exponential in its failures, as the policy says; it is never reset by time.
    KCONTROL_DECL rate_limiter(backoff_policy policy);  // NOLINT: meant to convert
    KCONTROL_DECL rate_limiter(const rate_limiter&);
    KCONTROL_DECL rate_limiter(rate_limiter&&) noexcept;
    KCONTROL_DECL rate_limiter& operator=(rate_limiter) noexcept;  ///< takes over limits and state
    KCONTROL_DECL ~rate_limiter();

    /// Of each key: `initial`, and twice as long after each further failure, up to `cap`.
    static KCONTROL_DECL rate_limiter exponential(duration initial, duration cap);
    /// Of all keys together: `burst` at once, then `per_second` a second. Not above zero: none after the burst, for
    /// practical purposes.
    static KCONTROL_DECL rate_limiter bucket(double per_second, std::size_t burst);
    /// Of each key: `fast` for its first `fast_tries` failures, `slow` for those that follow.
    static KCONTROL_DECL rate_limiter fast_slow(duration fast, duration slow, std::uint64_t fast_tries);
    /// The longest that any of them says; of none: no wait. client-go's default is
    /// max_of({exponential(5ms, 1000s), bucket(10, 100)}).
    static KCONTROL_DECL rate_limiter max_of(std::vector<rate_limiter> all);
    /// A function of the program. Copies of the limiter have copies of the function.
    static KCONTROL_DECL rate_limiter custom(std::function<duration(const rate_limit_attempt&)> delay);

    /// The same, but never longer than `longest`.
    KCONTROL_DECL rate_limiter at_most(duration longest) const;

    /// How long the key waits; never below zero. Throws what a function of the program throws.
    KCONTROL_DECL duration next(const rate_limit_attempt& attempt);

    class base;

private:
    explicit rate_limiter(std::unique_ptr<base> inside) noexcept;
    std::unique_ptr<base> inside_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/workqueue/impl/rate_limiter.ipp>
#endif
