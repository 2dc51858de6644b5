// An API server on the simulated network: a cluster, for tests of what stands on a client.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/testing/sim_network.hpp>

#include <string>

namespace kcontrol::inline v0_1::testing {

/// An api_server that is a host of a sim_network, and runs on a strand of its own. sim_world makes them.
///
/// Thread-safety: shared objects unsafe; one thread. Object lifetime: context, environment and network outlive it.
class sim_server {
public:
    /// `name`: of the host. Webhooks are called on `network` unless the options have a transport for them.
    sim_server(sim_context& context, environment& env, sim_network& network, std::string name,
               api_server_options options = {});

    /// The name of the host, by which sim_network breaks its connections and delays requests to it.
    const std::string& name() const noexcept { return name_; }
    /// How to reach it with that token (or none). A token is checked only if api().access() knows any.
    auth::cluster_config config(const std::string& token = {}) const;

    /// Its kinds, objects, faults, and what was asked of it.
    api_server& api() noexcept { return api_; }
    const api_server& api() const noexcept { return api_; }  ///< the same, to look at

private:
    std::string name_;
    api_server api_;
};

}  // namespace kcontrol::testing
