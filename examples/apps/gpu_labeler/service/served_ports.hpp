// What is served at the two ports: everything at --listen, health alone at --health-probe-bind-address.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/transport/server.hpp>

#include "guarded_serving/guarded_server.hpp"
#include "options.hpp"
#include "service/site.hpp"

#include <stop_token>
#include <string>

namespace gpu_labeler {

/// Thread-safety: shared objects unsafe; use it on the executor given.
/// Object lifetime: the environment and the pages outlive it; stop() before it is destroyed.
class served_ports {
public:
    served_ports(kcontrol::environment& env, kcontrol::executor ex, site& pages, const options& o,
                 guarded_serving::serving_secrets secrets, const kcontrol::logger& log);

    /// At the addresses of `o`, where they name one. Errors name the flag.
    kcontrol::result<void> listen(const options& o, const kcontrol::logger& log);

    /// Until `stop`: certificates and tokens that change on disk come into use.
    kcontrol::awaitable<void> renew(std::stop_token stop) { return all_.renew(std::move(stop)); }

    kcontrol::awaitable<void> stop();

    /// Counts of both servers, in Prometheus' text.
    std::string metrics() { return counts_.text(); }

private:
    guarded_serving::guarded_server all_;
    kcontrol::http::server health_;
    kcontrol::metrics_registry counts_;
};

}  // namespace gpu_labeler
