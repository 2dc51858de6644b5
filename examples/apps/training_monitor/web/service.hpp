// The interface as a running server, with its certificate and its tokens.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "options.hpp"
#include "web/web.hpp"

#include <memory>
#include <stop_token>
#include <string>

namespace training_monitor {

/// Thread-safety: shared objects unsafe; use it on the executor it was made with.
/// Object lifetime: the environment, the options and the site outlive it; stop() before it is destroyed.
class service {
public:
    virtual ~service() = default;

    /// Listens and serves, health at a port of its own where --health-probe-bind-address says so. Returns the URL,
    /// empty where
    /// --listen says nowhere. Errors: name the flag and the remedy.
    virtual kcontrol::result<std::string> start() = 0;

    /// Until `stop`: certificates and tokens that change on disk come into use without a restart; such that are broken
    /// are logged, and those in use stay.
    virtual kcontrol::awaitable<void> renew(std::stop_token stop) = 0;

    virtual kcontrol::awaitable<void> stop() = 0;
};

/// Reads the files that serving needs. Errors: name the flag, the file and what is wrong.
kcontrol::result<std::unique_ptr<service>> make_service(kcontrol::environment& env, kcontrol::executor ex, web& site,
                                                        const options& o, kcontrol::logger log);

}  // namespace training_monitor
