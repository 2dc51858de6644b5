// One candidate for a Lease: it leads, or it knows who does.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/leader/leader_fence.hpp>
#include <kcontrol/leader/options.hpp>
#include <kcontrol/metrics/metrics_writer.hpp>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

namespace kcontrol::inline v0_1 {

/// How a candidate stands, and what it has counted since it was made.
class leader_stats {
public:
    bool leading = false;                ///< at that moment, as its fence says
    std::string leader;                  ///< who holds the Lease, as far as is known; empty: nobody
    std::int32_t transitions = 0;        ///< how often the Lease went from one to another, as it says itself
    std::uint64_t terms = 0;             ///< how often this candidate began to lead
    std::uint64_t slow_paths = 0;        ///< renewals that did not go through at once
    std::uint64_t callbacks_thrown = 0;  ///< how often one of leader_callbacks threw, the work included
};

/// Contends for a Lease of coordination.k8s.io/v1 with any number of others, its own kind or client-go's. While it does
/// not lead it watches the Lease, so that it leads as soon as the Lease is given up; where it may not watch, it asks
/// every retry period.
///
/// What makes the fence sound is in docs/leadership.md. Needed rights on `leases`: get, create, update; better with
/// watch (and list, which some authorizers want for it).
///
/// Thread-safety: leading(), fence() and copies of it may be used from any thread; the rest belongs to the executor, a
/// strand or a single-threaded context.
/// Cancellation: stop() and the token given to start(). Object lifetime: destruction shuts the fence and stops it;
/// nothing is called then. The environment outlives that.
class leader_elector {
public:
    /// Begins nothing before start(). What `options` leave open, identity and namespace, it finds out here.
    KCONTROL_DECL leader_elector(environment& env, executor ex, client cl, leader_options options,
                                 leader_callbacks callbacks = {}, logger log = {});
    KCONTROL_DECL ~leader_elector();
    leader_elector(const leader_elector&) = delete;
    leader_elector& operator=(const leader_elector&) = delete;

    /// Begins to contend. Does nothing while it does; during a stop that has yet to end, it begins after that. When
    /// `parent` is triggered it ends as after stop(). Errors: those of leader_options::validate(), and invalid_argument
    /// where the Lease has no namespace and the program is not in a pod.
    KCONTROL_DECL result<void> start(std::stop_token parent = {});

    /// Ends it: the token of its work is triggered, the Lease is renewed until that has returned, for at most `drain`,
    /// and then given up. Work that awaits this stop itself counts as returned. True if the work has returned. The
    /// time it takes at most, beside `drain`: twice half the renew deadline, where the server does not answer.
    /// Idempotent.
    KCONTROL_DECL awaitable<bool> stop(duration drain = std::chrono::seconds(30));

    /// Goes on with another client, as after a rotation of credentials. Leadership stays.
    KCONTROL_DECL void rebuild(client next);

    /// Whether it leads at this moment; see leader_fence.
    KCONTROL_DECL bool leading() const noexcept;
    KCONTROL_DECL const leader_fence& fence() const noexcept;  ///< a copy may outlive the elector, and is shut then

    /// Who holds the Lease, as far as is known; empty: nobody, or nothing is known yet.
    KCONTROL_DECL std::string leader() const;
    KCONTROL_DECL const std::string& identity() const noexcept;    ///< its own, as it stands in the Lease
    KCONTROL_DECL const leader_options& options() const noexcept;  ///< with the identity and namespace that it found
    KCONTROL_DECL leader_stats stats() const;                      ///< as they are now

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

/// leader_election_master_status{name} and leader_election_slowpath_total{name}, as client-go names them; `name` is the
/// Lease's.
KCONTROL_DECL void write_leader_metrics(metrics_writer& out, const leader_elector& of);
KCONTROL_DECL void write_leader_metrics(metrics_writer& out, const std::string& name, const leader_stats& now);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/leader/impl/leader_elector.ipp>
#include <kcontrol/leader/impl/leader_elector_run.ipp>
#endif
