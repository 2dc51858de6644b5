// How a manager behaves.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/manager/readiness.hpp>

#include <utility>

namespace kcontrol {

/// Options of a manager; the defaults are controller-runtime's.
class manager_options {
public:
    /// How long a stop may take in all. What has not returned by then is left behind. Default 30 s.
    manager_options& graceful_shutdown_timeout(duration d) { return graceful_shutdown_timeout_ = d, *this; }
    /// How the shared informers behave: namespace, selectors, page size… Their logger is the manager's.
    manager_options& informers(informer_options o) { return informers_ = std::move(o), *this; }
    /// What informers_synced() asks for, and how long an informer may be not live where that is `live`. Default:
    /// synced_once, as controller-runtime; 30 s.
    manager_options& ready_when(readiness r, duration grace = std::chrono::seconds(30)) {
        return ready_when_ = r, ready_grace_ = grace, *this;
    }
    manager_options& log(logger l) { return log_ = std::move(l), *this; }

    duration graceful_shutdown_timeout() const noexcept { return graceful_shutdown_timeout_; }
    const informer_options& informers() const noexcept { return informers_; }
    readiness ready_when() const noexcept { return ready_when_; }
    duration ready_grace() const noexcept { return ready_grace_; }
    const logger& log() const noexcept { return log_; }

private:
    duration graceful_shutdown_timeout_ = std::chrono::seconds(30);
    informer_options informers_;
    readiness ready_when_ = readiness::synced_once;
    duration ready_grace_ = std::chrono::seconds(30);
    logger log_;
};

}  // namespace kcontrol
