// One cluster of the demo: an API server in this process, behind real TLS and HTTP on a loopback port.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/transport/server.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace training_monitor::demo {

/// Thread-safety: shared objects unsafe; use it on its executor.
/// Object lifetime: the environment outlives it.
class simulated_cluster {
public:
    simulated_cluster(kcontrol::environment& env, kcontrol::executor ex, std::string name);

    /// Makes certificates and a token, and listens. Errors: those of the operating system.
    kcontrol::result<void> start();
    kcontrol::awaitable<void> stop();

    /// Every connection breaks and nobody answers any more; objects stay and may change.
    kcontrol::awaitable<void> go_down();
    kcontrol::result<void> come_back();

    /// Another token from now on; the one before is good until revoke_old_tokens().
    void rotate();
    void revoke_old_tokens();

    /// What a kubeconfig would say now.
    kcontrol::auth::cluster_config config() const;

    /// Answers a request for that target in the API server's place: what is behind a proxy of its, or another API
    /// server.
    void answer_before(std::function<std::optional<kcontrol::http::response>(std::string_view target)> f) {
        answer_before_ = std::move(f);
    }

    /// How many lists and watches of a kind it was asked for.
    std::size_t requests(std::string_view plural);

    const std::string& name() const noexcept { return name_; }
    kcontrol::testing::api_server& api() noexcept { return api_; }

private:
    kcontrol::awaitable<void> serve(const kcontrol::http::handler& api, kcontrol::http::server_request request,
                                    kcontrol::http::responder& out);

    kcontrol::environment& env_;
    std::string name_;
    kcontrol::testing::api_server api_;
    kcontrol::http::server server_;
    std::function<std::optional<kcontrol::http::response>(std::string_view)> answer_before_;
    std::string ca_pem_;
    std::optional<kcontrol::http::server_tls> tls_;
    kcontrol::http::listen_address address_;
    std::string token_;
};

}  // namespace training_monitor::demo
