// One test before two servers: the in-process one, and a real kube-apiserver with its etcd where the machine has them.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/testing/local_api_server.hpp>

#include <memory>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::testing {

/// An API server that a test starts, asks by HTTP, and stops.
///
/// Thread-safety: shared objects unsafe; use it on its executor.
/// Object lifetime: call stop() before it goes; the environment outlives it.
class server_under_test {
public:
    virtual ~server_under_test() = default;

    /// Ready to answer when it returns. Errors: file_failed, unavailable, timeout, with what the programs said.
    virtual awaitable<result<void>> start() = 0;
    virtual awaitable<void> stop() = 0;  ///< returns when nothing of it runs; start() may follow
    /// How to reach it, as somebody who may do everything.
    virtual auth::cluster_config config() const = 0;
    /// The same as a kubeconfig file's text.
    virtual std::string kubeconfig() const = 0;
};

/// The in-process server behind a port of 127.0.0.1.
std::unique_ptr<server_under_test> fake_apiserver(environment& env, executor ex, api_server_options options = {});

/// The directory that has kube-apiserver and etcd: KUBEBUILDER_ASSETS, or the first in PATH; nothing: none has.
std::optional<std::string> find_apiserver_assets(environment& env);

/// A kube-apiserver and an etcd of `assets` on free ports of 127.0.0.1, with their state in a directory that goes with
/// them. Nothing acts beside it: no garbage collection, no controllers. It needs an environment that runs programs.
std::unique_ptr<server_under_test> real_apiserver(environment& env, executor ex, std::string assets);

}  // namespace kcontrol::testing
