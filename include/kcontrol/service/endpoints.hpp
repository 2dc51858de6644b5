// The endpoints of a Service, or of pods, as one value that is kept up to date.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/service/endpoints_snapshot.hpp>
#include <kcontrol/service/endpoints_target.hpp>
#include <kcontrol/service/follow_options.hpp>
#include <kcontrol/service/freshness.hpp>
#include <kcontrol/service/snapshot_reader.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::service {

/// How endpoints are followed; see follow_options for what they share with leader_follower.
class endpoints_options : public follow_options<endpoints_options> {
public:
    /// Which port. Empty, the default: the first port of the Service, or the first one that a pod declares.
    ///
    /// A name: the Service's port of that name, or the container's. A number: that port of the Service (80, where its
    /// pods listen on 8080), else the port on which the endpoints listen; of pods any number, also one that they do not
    /// declare.
    endpoints_options& port(std::string name_or_number) { return port_ = std::move(name_or_number), *this; }

    const std::string& port() const noexcept { return port_; }

private:
    std::string port_;
};

/// Called on the executor after each change; what it throws is logged.
using endpoints_callback = std::function<void(const endpoints_change&)>;

/// A thread's own way to the newest snapshot.
using endpoints_reader = snapshot_reader<endpoints_snapshot>;

/// Follows the endpoints of a target by a watch, over everything that happens to it: watches that break, versions that
/// are too old (410), an etcd that was restored, Services that are deleted and created again. A deletion that was
/// missed can't stay: what follows a gap is a list, which replaces all.
///
/// Until the server has answered, the value is that of the cache file, or empty. While the server can't be reached it
/// stays as it is; state() and age() say how far it can be relied on.
///
/// Thread-safety: snapshot(), reader(), state(), age() and problem() may be called from any thread; the rest belongs to
/// the executor, a strand or a single-threaded context.
/// Cancellation: stop() and the token given to start(). Object lifetime: destruction stops it, and nothing is called
/// then; snapshots and readers may outlive it. The environment outlives what still runs.
class endpoints {
public:
    /// Asks nothing before start().
    KCONTROL_DECL endpoints(environment& env, executor ex, client cl, endpoints_target target,
                            endpoints_options options = {}, endpoints_callback on_change = {}, logger log = {});
    KCONTROL_DECL ~endpoints();
    endpoints(const endpoints&) = delete;
    endpoints& operator=(const endpoints&) = delete;

    /// Reads the cache file, if there is one, and begins to follow. Does nothing while it does. When `parent` is
    /// triggered it ends as after stop(). Errors: invalid_argument for a target or a port that can't be meant.
    KCONTROL_DECL result<void> start(std::stop_token parent = {});

    /// Ends it, and waits until what runs has returned. The snapshot stays, and becomes stale. Idempotent; start()
    /// begins again where it stopped.
    KCONTROL_DECL awaitable<void> stop();

    /// The newest snapshot; never null. For threads that read often see reader().
    KCONTROL_DECL std::shared_ptr<const endpoints_snapshot> snapshot() const;
    /// A reader for the calling thread.
    KCONTROL_DECL endpoints_reader reader() const;

    /// How far the snapshot can be relied on at this moment. It is computed at the call, so that it is right also while
    /// the executor is blocked.
    KCONTROL_DECL freshness state() const;
    /// For how long the server has not confirmed the snapshot; of one from the cache file, since that was written.
    /// duration::max() where nothing was ever known. It counts suspension of the machine.
    KCONTROL_DECL duration age() const;
    /// What stands in the way, if anything, with the remedy: api_errc::forbidden (with the rule that is missing),
    /// api_errc::not_found (there is no such Service), errc::invalid_argument (the endpoints have no such port: the
    /// message lists those there are; the Service is of type ExternalName), or why the server can't be reached.
    KCONTROL_DECL std::optional<error> problem() const;

    /// Waits until there is a snapshot with a version beyond `after`: 0 waits for the first one, from the file or the
    /// server. Errors: timeout at `deadline`, stopped by `stop`, unavailable once this has stopped.
    KCONTROL_DECL awaitable<result<std::shared_ptr<const endpoints_snapshot>>> wait(
        std::uint64_t after, std::stop_token stop = {}, std::optional<time_point> deadline = std::nullopt);
    /// Waits until the server has confirmed the snapshot: state() is live. Errors: as wait(); that of a timeout names
    /// problem().
    KCONTROL_DECL awaitable<result<std::shared_ptr<const endpoints_snapshot>>> wait_live(
        std::stop_token stop = {}, std::optional<time_point> deadline = std::nullopt);

    KCONTROL_DECL const endpoints_target& target() const noexcept;  ///< what it was made with

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol::service

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/endpoints.ipp>
#endif
