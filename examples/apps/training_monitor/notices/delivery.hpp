// How one try to deliver a notice ended, and whether another one can help.
#pragma once

#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace training_monitor::notices {

/// The end of one try.
class delivery {
public:
    enum class kind {
        sent,
        try_again,  ///< another try may help: the network, an overloaded receiver
        refused,    ///< the same again would be refused again
    };

    static delivery sent() { return delivery(kind::sent, {}); }
    static delivery try_again(std::string why, std::optional<kcontrol::duration> after = std::nullopt) {
        delivery out(kind::try_again, std::move(why));
        out.retry_after = after;
        return out;
    }
    static delivery refused(std::string why) { return delivery(kind::refused, std::move(why)); }

    kind how;
    std::string why;                                ///< one line without a secret; empty if sent
    std::optional<kcontrol::duration> retry_after;  ///< what the receiver asked for
    std::string reference;  ///< what the receiver calls the message that it took; empty: it does not say

private:
    delivery(kind h, std::string w) : how(h), why(std::move(w)) {}
};

/// When to give up: whichever comes first.
class retry_policy {
public:
    retry_policy& attempts(std::uint32_t n) { return attempts_ = n, *this; }
    retry_policy& max_age(kcontrol::duration d) { return max_age_ = d, *this; }

    std::uint32_t attempts() const noexcept { return attempts_; }
    kcontrol::duration max_age() const noexcept { return max_age_; }

    /// 1 s doubling to 1 min, each stretched by up to half.
    static kcontrol::backoff_policy pauses() {
        return kcontrol::backoff_policy()
            .initial(std::chrono::seconds(1))
            .cap(std::chrono::minutes(1))
            .jitter(0.5)
            .reset_after(std::chrono::hours(24));
    }
    /// A receiver that asks for a longer pause does not get it.
    static constexpr kcontrol::duration longest_pause = std::chrono::minutes(5);

private:
    std::uint32_t attempts_ = 10;
    kcontrol::duration max_age_ = std::chrono::minutes(15);
};

}  // namespace training_monitor::notices
