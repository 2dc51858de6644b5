// Who leads, and at which address: what a program knows that is no candidate itself.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/service/address_annotation.hpp>
#include <kcontrol/service/follow_options.hpp>
#include <kcontrol/service/freshness.hpp>
#include <kcontrol/service/snapshot_reader.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::service {

/// The Lease of "k8s://NAMESPACE/LEASE". Errors: invalid_argument, naming the part that is wrong and the form.
KCONTROL_DECL result<namespaced_name> parse_leader_url(std::string_view url);

/// Who leads at one moment. It never changes.
///
/// Thread-safety: shared objects safe.
class followed_leader {
public:
    /// 0: nothing is known yet. It grows by one with each change of holder or address.
    std::uint64_t version = 0;
    std::string holder;   ///< holderIdentity of the Lease; empty: there is no leader
    std::string address;  ///< where it is reached; empty: no leader, or its address is not known
};

/// What changed, for the callback: the leader, the state, or what stands in the way.
class leader_change {
public:
    bool leader_changed = false;                    ///< false: only state or problem differ
    std::shared_ptr<const followed_leader> leader;  ///< never null
    freshness state = freshness::stale;             ///< at the time of the change
    std::optional<error> problem;                   ///< as leader_follower::problem()
};

/// Called on the executor after each change; what it throws is logged.
using leader_callback = std::function<void(const leader_change&)>;

/// A thread's own way to the newest leader.
using leader_reader = snapshot_reader<followed_leader>;

/// How a leader is followed.
class leader_follower_options : public follow_options<leader_follower_options> {};

/// Follows a Lease of coordination.k8s.io/v1, whoever contends for it: kcontrol's electors or client-go's.
///
/// The address is that of the annotation `service.kcontrol.dev/address`, else the holderIdentity, if that has the form
/// HOST:PORT. All candidates of a Lease set the annotation, or none does: it stays when the Lease changes hands. A
/// Lease that is missing, or has no holder, or one whose time is up, has no leader. Its time counts as for candidates:
/// from when its last renewal was observed, by the clock of this machine, for the duration that the Lease says. So a
/// leader that died before the start is only found out after that duration.
///
/// Needed rights on `leases` (coordination.k8s.io) of that name: list and watch.
///
/// Thread-safety, cancellation and lifetime: as those of `endpoints`.
class leader_follower {
public:
    /// Asks nothing before start().
    KCONTROL_DECL leader_follower(environment& env, executor ex, client cl, namespaced_name lease,
                                  leader_follower_options options = {}, leader_callback on_change = {},
                                  logger log = {});
    KCONTROL_DECL ~leader_follower();
    leader_follower(const leader_follower&) = delete;
    leader_follower& operator=(const leader_follower&) = delete;

    /// As endpoints::start(). Errors: invalid_argument for a name that no Lease can have.
    KCONTROL_DECL result<void> start(std::stop_token parent = {});
    /// As endpoints::stop().
    KCONTROL_DECL awaitable<void> stop();

    /// The newest; never null, on any thread.
    KCONTROL_DECL std::shared_ptr<const followed_leader> leader() const;
    KCONTROL_DECL leader_reader reader() const;  ///< a reader for the calling thread
    KCONTROL_DECL freshness state() const;       ///< as endpoints::state(), on any thread
    KCONTROL_DECL duration age() const;          ///< as endpoints::age(), on any thread
    /// What stands in the way, on any thread: api_errc::forbidden (with the rule that is missing), api_errc::not_found
    /// (there is no such Lease), errc::invalid_argument (its holder says no address), or why the server can't be
    /// reached.
    KCONTROL_DECL std::optional<error> problem() const;

    /// As endpoints::wait().
    KCONTROL_DECL awaitable<result<std::shared_ptr<const followed_leader>>> wait(
        std::uint64_t after, std::stop_token stop = {}, std::optional<time_point> deadline = std::nullopt);
    /// As endpoints::wait_live().
    KCONTROL_DECL awaitable<result<std::shared_ptr<const followed_leader>>> wait_live(
        std::stop_token stop = {}, std::optional<time_point> deadline = std::nullopt);

    KCONTROL_DECL const namespaced_name& lease() const noexcept;  ///< what it was made with

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol::service

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/leader_follower.ipp>
#endif
