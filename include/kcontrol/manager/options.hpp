// How a manager behaves.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/cluster/cache_options.hpp>
#include <kcontrol/leader/options.hpp>
#include <kcontrol/manager/readiness.hpp>
#include <kcontrol/runtime/trace.hpp>

#include <optional>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Options of a manager; the defaults are controller-runtime's.
class manager_options {
public:
    /// How long a stop may take in all. What has not returned by then is left behind. Default 30 s.
    manager_options& graceful_shutdown_timeout(duration d) { return graceful_shutdown_timeout_ = d, *this; }
    /// How the shared informers behave, of all kinds and of single ones: namespaces, selectors, transform, page size…
    /// Their logger is the manager's.
    manager_options& cache(cache_options o) { return cache_ = std::move(o), *this; }
    /// The same for all kinds that cache() sets nothing else for.
    manager_options& informers(informer_options o) {
        return cache_.all_kinds(std::move(o), cache_.namespaces()), *this;
    }
    /// What informers_synced() asks for, and how long an informer may be not live where that is `live`. Default:
    /// synced_once, as controller-runtime; 30 s.
    manager_options& ready_when(readiness r, duration grace = std::chrono::seconds(30)) {
        return ready_when_ = r, ready_grace_ = grace, *this;
    }
    /// Controllers and runnables of the group `leading`, which is the default, run only while this process holds that
    /// Lease; writes through the manager's client are refused while it does not. See docs/leadership.md.
    manager_options& leader_election(leader_options o) { return leader_election_ = std::move(o), *this; }
    /// The same, or none: what leader_flags::options() says.
    manager_options& leader_election(std::optional<leader_options> o) { return leader_election_ = std::move(o), *this; }
    /// A loss of leadership ends the manager's run with not_leading, for programs that can't be fenced otherwise.
    /// Default false: it goes on, and may lead again.
    manager_options& exit_on_loss(bool yes) { return exit_on_loss_ = yes, *this; }
    /// Where records go; default: nowhere, and with run() to standard error.
    manager_options& log(logger l) { return log_ = std::move(l), *this; }
    /// controller_options::trace() and sample_traces() of all controllers that have no sink of their own.
    manager_options& trace(trace_sink s, trace_sampler sampler = {}) {
        return trace_ = std::move(s), trace_sampler_ = std::move(sampler), *this;
    }

    duration graceful_shutdown_timeout() const noexcept { return graceful_shutdown_timeout_; }
    const cache_options& cache() const noexcept { return cache_; }
    const informer_options& informers() const noexcept { return cache_.all_kinds(); }
    readiness ready_when() const noexcept { return ready_when_; }
    duration ready_grace() const noexcept { return ready_grace_; }  ///< the `grace` of ready_when(); default 30 s
    const std::optional<leader_options>& leader_election() const noexcept { return leader_election_; }
    bool exit_on_loss() const noexcept { return exit_on_loss_; }
    const logger& log() const noexcept { return log_; }
    const trace_sink& trace() const noexcept { return trace_; }
    /// The `sampler` of trace(); default: an empty one.
    const trace_sampler& sample_traces() const noexcept { return trace_sampler_; }

private:
    duration graceful_shutdown_timeout_ = std::chrono::seconds(30);
    cache_options cache_;
    readiness ready_when_ = readiness::synced_once;
    duration ready_grace_ = std::chrono::seconds(30);
    std::optional<leader_options> leader_election_;
    bool exit_on_loss_ = false;
    logger log_;
    trace_sink trace_;
    trace_sampler trace_sampler_;
};

}  // namespace kcontrol
