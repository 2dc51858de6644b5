// From the first offer of a configuration to the end of a cluster, decided from offers and outcomes alone: a state
// machine without a clock, a client or a task.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/base/error.hpp>
#include <kcontrol/runtime/backoff.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

enum class cluster_phase : std::uint8_t {
    created,      ///< nothing was offered yet
    offered,      ///< a configuration was, usable or not; nothing runs
    engaged,      ///< one is in use
    retracting,   ///< one is in use, but on_engage() threw: what it made ends, and it is called again
    over_budget,  ///< what runs ends, and is retried after a backoff
    backoff,      ///< nothing runs until that is over
    disengaging,  ///< what runs ends
    disengaged,   ///< nothing runs, and nothing was offered since
};

/// What is to be done, in the order given. Those with a function after the semicolon end with its call.
enum class cluster_action : std::uint8_t {
    report,     ///< publish the status every second, until the next end
    publish,    ///< the status may have changed
    connect,    ///< make a client of wanted(), in place of that of used(); connected() or failed()
    introduce,  ///< call on_engage(); introduced() or threw()
    retract,    ///< end what on_engage() made, discard it, wait for delay(); retracted()
    retry,      ///< wait for delay(); retry() with what offers() was before that
    remove,     ///< call on_removed(); removed()
};

/// The life of one cluster of many. The caller that gets true from exceed() or disengage() ends what runs: it calls
/// on_disengage() if a configuration is used(), and ended() when all has returned. Timers and tasks of actions end with
/// that; what they call too late has no effect.
///
/// Any input may come while an action is executed, from a function of the embedding program that it calls. Where
/// offers() has changed meanwhile, the client of connect is discarded, and neither connected() nor failed() is called.
/// A caller that has abandoned the cluster executes nothing but remove, without a function, so that disengage() ends.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class cluster_life {
public:
    using actions = std::vector<cluster_action>;
    using config = std::shared_ptr<const auth::cluster_config>;

    /// `budget_backoff`: the first delay of a cluster that exceeded its budget.
    explicit cluster_life(duration budget_backoff)
        : throwing_(policy(std::chrono::seconds(1), std::chrono::minutes(1))),
          exceeding_(policy(budget_backoff, std::chrono::hours(1)).reset_after(std::chrono::hours(2))) {}

    cluster_phase phase() const noexcept { return phase_; }
    /// A configuration is in use, and nothing ends.
    bool running() const noexcept { return phase_ == cluster_phase::engaged || phase_ == cluster_phase::retracting; }
    const config& wanted() const noexcept { return wanted_; }         ///< offered last; null if it can't be used
    const config& used() const noexcept { return used_; }             ///< the one in use; null if there is none
    const std::string& warning() const noexcept { return warning_; }  ///< of the offer
    /// Why the configuration offered last is not in use.
    const std::optional<error>& failure() const noexcept { return failure_; }
    const std::optional<std::string>& thrown() const noexcept { return thrown_; }  ///< by on_engage(), the last time
    std::uint64_t offers() const noexcept { return offers_; }          ///< counts offer(), refuse(), disengage()
    std::uint64_t generation() const noexcept { return generation_; }  ///< configurations that were put to use
    std::uint64_t disengagements() const noexcept { return disengagements_; }  ///< that have ended
    /// How long retract, or retry, waits. `unit`: a random number in [0, 1).
    duration delay(time_point now, double unit) {
        return (phase_ == cluster_phase::backoff ? exceeding_ : throwing_).next(now, unit);
    }

    /// It is engaged with that already, and nothing is wrong.
    bool has(const auth::cluster_config& offered, const std::string& warning) const {
        return running() && wanted_ == used_ && *used_ == offered && warning_ == warning;
    }

    /// The cluster is to be engaged with this configuration. The same again ends no backoff; another one may be of
    /// another server, which is tried at once.
    actions offer(const auth::cluster_config& next, std::string warning) {
        if (has(next, warning)) return {};
        const bool in_use = used_ && *used_ == next;
        if (phase_ == cluster_phase::backoff && *wanted_ == next) return {};
        if (phase_ == cluster_phase::over_budget && in_use) {
            wanted_ = used_;
            return {};
        }
        ++offers_;
        warning_ = std::move(warning);
        wanted_ = in_use ? used_ : std::make_shared<const auth::cluster_config>(next);
        if (phase_ == cluster_phase::over_budget || phase_ == cluster_phase::disengaging) return {};  // later
        if (running() && in_use) {
            failure_.reset();
            return {cluster_action::publish};
        }
        return begin(cluster_action::connect);
    }

    /// There is no usable configuration. What runs with the one before goes on, and so does its backoff if it ends.
    actions refuse(error why) {
        ++offers_;
        failure_ = std::move(why);
        wanted_.reset();
        if (phase_ == cluster_phase::disengaging) return {};
        if (phase_ == cluster_phase::over_budget) wanted_ = used_;
        return begin(cluster_action::publish);
    }

    actions connected() {
        throwing_.reset();
        ++generation_;
        failure_.reset();
        used_ = wanted_;
        if (phase_ != cluster_phase::offered) return {cluster_action::publish};
        phase_ = cluster_phase::engaged;
        return {cluster_action::introduce};
    }
    /// A callback that failed is called again; any other failure lasts until the next offer.
    actions failed(error why) {
        const bool again = why == errc::callback_failed;
        failure_ = std::move(why);
        if (again) return {cluster_action::retry, cluster_action::publish};
        wanted_.reset();
        return {cluster_action::publish};
    }

    actions introduced() {
        if (!running()) return {};
        throwing_.reset();
        thrown_.reset();
        phase_ = cluster_phase::engaged;
        return {cluster_action::publish};
    }
    actions threw(std::string what) {
        if (!running()) return {};
        thrown_ = std::move(what);
        phase_ = cluster_phase::retracting;
        return {cluster_action::publish, cluster_action::retract};
    }
    actions retracted() const {
        if (phase_ != cluster_phase::retracting) return {};
        return {cluster_action::introduce};
    }

    actions retry(std::uint64_t offer) {
        if (offer != offers_ || !wanted_ || wanted_ == used_) return {};
        if (phase_ == cluster_phase::over_budget || phase_ == cluster_phase::disengaging) return {};
        return begin(cluster_action::connect);
    }

    /// Its caches are over its budget. True: end what runs.
    bool exceed() {
        if (!running()) return false;
        if (!wanted_) wanted_ = used_;
        phase_ = cluster_phase::over_budget;
        return true;
    }
    /// Nothing is wanted any more. True: end what runs. False: the end is under way, or there is nothing to end.
    bool disengage() {
        if (phase_ == cluster_phase::disengaging || phase_ == cluster_phase::disengaged) return false;
        ++offers_;
        wanted_.reset();
        return std::exchange(phase_, cluster_phase::disengaging) != cluster_phase::over_budget;
    }
    /// What ran has ended. `why`: what exceed() was called for.
    actions ended(std::optional<error> why) {
        const config former = std::exchange(used_, nullptr);
        failure_.reset();
        thrown_.reset();
        if (phase_ == cluster_phase::disengaging) return {cluster_action::remove};
        failure_ = std::move(why);
        const bool same = wanted_ == former;
        phase_ = same ? cluster_phase::backoff : cluster_phase::offered;
        if (!same) return {cluster_action::report, cluster_action::connect};
        return {cluster_action::report, cluster_action::publish, cluster_action::retry};
    }
    actions removed() {
        ++disengagements_;
        phase_ = cluster_phase::disengaged;
        if (!wanted_) return {};
        return begin(cluster_action::connect);
    }

private:
    static backoff_policy policy(duration initial, duration cap) {
        return backoff_policy().initial(initial).cap(cap).jitter(0.1);
    }
    // What an offer begins with: the status is published from the first one on.
    actions begin(cluster_action with) {
        const bool first = phase_ == cluster_phase::created || phase_ == cluster_phase::disengaged;
        if (first || phase_ == cluster_phase::backoff) phase_ = cluster_phase::offered;
        if (first) return {cluster_action::report, with};
        return {with};
    }

    cluster_phase phase_ = cluster_phase::created;
    config wanted_, used_;
    std::string warning_;
    std::optional<error> failure_;
    std::optional<std::string> thrown_;
    std::uint64_t offers_ = 0, generation_ = 0, disengagements_ = 0;
    backoff throwing_;  // of a transport factory, or on_engage()
    backoff exceeding_;
};

}  // namespace kcontrol::detail
