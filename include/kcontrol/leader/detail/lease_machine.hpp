// Who leads, decided from answers and times alone: a state machine without a clock, a client or a task.
#pragma once

#include <kcontrol/api/coordination/v1.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

using coordination_lease = api::coordination::v1::lease;

/// What leader_options says, as far as decisions go.
class lease_settings {
public:
    std::string name, namespace_, identity;
    std::map<std::string, std::string> labels, annotations;  // that the Lease gets
    duration lease = std::chrono::seconds(15);
    duration renew = std::chrono::seconds(10);
    duration retry = std::chrono::seconds(2);
    bool refuse_token_reset = false;
};

/// release: the update by which the Lease becomes nobody's.
enum class lease_request { none, get, create, update, release };

/// What to do now.
class lease_step {
public:
    lease_step() = default;

    lease_request request = lease_request::none;
    coordination_lease object;  ///< of create, update and release
    time_point until{};         ///< of a request: when to give it up; else: nothing is to do before, unless told
    bool finished = false;      ///< after stop(): nothing is left to do
};

enum class lease_event { new_leader, started, stopped, token_went_back };

/// What is to be told, in this order.
class lease_notice {
public:
    lease_notice(lease_event e, std::string t) : event(e), text(std::move(t)) {}
    lease_event event;
    std::string text;  ///< the new leader, or empty if nobody is; why it stopped; which versions went back
    friend bool operator==(const lease_notice&, const lease_notice&) = default;
};

/// One candidate for one Lease, as client-go's elector, but for this:
/// - It leads until `renew` after the request of its last renewal began, so that all others, who count `lease` from
///   when they saw that renewal, come at least lease - renew later, whatever the network and the wall clocks do.
/// - After a loss it stays a candidate. It takes the Lease again only when the work of the time before has returned.
/// - While it is told what a watch sees it asks only when the Lease is free, and then at once.
/// - Where a Lease is deleted that somebody else holds, it waits until that one's time is up.
/// - With refuse_token_reset it gives a Lease back whose version is smaller after its own write than one it has seen.
///
/// Times are of a clock that counts suspension; the wall clock gets into the Lease only. Events of the watch may come
/// at any time, also between next() and answered(), and late.
///
/// Source: k8s.io/client-go 0.36, tools/leaderelection/leaderelection.go.
/// Thread-safety: distinct objects safe; shared objects unsafe.
class lease_machine {
public:
    explicit lease_machine(lease_settings settings) : set_(std::move(settings)) {}

    /// What to do at `now`. A request is followed by answered() before the next call.
    KCONTROL_DECL lease_step next(time_point now, wall_time wall);
    /// How the last request ended. `unit` in [0, 1) spreads the candidates.
    KCONTROL_DECL void answered(const result<coordination_lease>& answer, time_point now, double unit);

    /// The watch shows the Lease so, or as deleted.
    KCONTROL_DECL void observed(const coordination_lease& seen, time_point now);
    KCONTROL_DECL void vanished(time_point now);
    /// Whether a watch tells changes.
    void watching(bool yes) noexcept { watching_ = yes; }
    /// Work of an earlier candidacy still runs.
    void work_goes_on() noexcept { busy_ = true; }
    /// It, or what was begun at `started`, has ended.
    void work_returned() noexcept { busy_ = false; }
    /// It shall lead no more; with `release` it says so in the Lease if that is its own, and tries that until `until`.
    KCONTROL_DECL void stop(bool release, time_point until);

    KCONTROL_DECL std::vector<lease_notice> take_notices();

    /// It leads before that time.
    time_point fence() const noexcept { return fence_; }
    bool leading() const noexcept { return leading_; }
    /// The version of the write that began its last term.
    std::uint64_t token() const noexcept { return token_; }
    /// Who holds the Lease, as far as is known.
    std::string holder() const { return record_ ? record_->spec.holder_identity.str() : std::string(); }
    std::int32_t transitions() const noexcept { return record_ ? record_->spec.lease_transitions.value_or(0) : 0; }
    /// How often a renewal did not go through at once, so that the Lease had to be read.
    std::uint64_t slow_paths() const noexcept { return slow_paths_; }

private:
    bool mine() const noexcept { return record_ && record_->spec.holder_identity == set_.identity; }
    KCONTROL_DECL time_point free_at() const;
    KCONTROL_DECL lease_step follow(time_point now, wall_time wall);
    KCONTROL_DECL lease_step give_up(time_point now, wall_time wall);
    KCONTROL_DECL lease_step ask(lease_request what, time_point now, wall_time wall);
    KCONTROL_DECL coordination_lease wanted(wall_time wall) const;
    KCONTROL_DECL void read(const result<coordination_lease>& answer, time_point now, double unit);
    KCONTROL_DECL void written(const coordination_lease& answer, time_point now);
    KCONTROL_DECL bool went_back(const coordination_lease& answer, std::uint64_t newest);
    KCONTROL_DECL void note_version(const coordination_lease& seen);
    KCONTROL_DECL void refused(const error& why, time_point now, double unit);
    KCONTROL_DECL void take(const coordination_lease& seen, time_point now);
    KCONTROL_DECL void forget(time_point now);
    KCONTROL_DECL void report();
    KCONTROL_DECL void lose(std::string why);
    KCONTROL_DECL void pause(time_point now, double unit);

    lease_settings set_;
    std::optional<coordination_lease> record_;
    time_point observed_at_{};   // when its spec was seen to differ from the one before
    time_point absent_until_{};  // of a Lease that was deleted: until then its holder may think that it leads
    bool current_ = false;       // record_, or that there is none, is what an update may build on
    bool watching_ = false;
    bool waited_ = false;
    bool doubt_ = false;  // a write may have gone through of which nothing is known

    std::uint64_t newest_ = 0;    // version of the Lease that was seen
    std::uint64_t acquired_ = 0;  // version that was read back of a write that acquired it, and whose answer was lost
    std::uint64_t token_ = 0;
    bool barred_ = false;         // versions went back: it does not lead
    bool acquiring_ = false;      // the last write would have acquired it
    bool acquired_lost_ = false;  // such a write may have gone through

    bool leading_ = false;
    bool busy_ = false;
    time_point fence_{};
    time_point next_try_{};

    lease_request pending_ = lease_request::none;
    time_point sent_{};

    bool stopping_ = false, release_ = false;
    time_point release_until_{};

    std::string reported_;
    std::vector<lease_notice> notices_;
    std::uint64_t slow_paths_ = 0;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/leader/impl/lease_machine.ipp>
#endif
