// The in-process API server on a loopback port, with TLS or without, and the kubeconfig that leads to it.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/transport/self_signed.hpp>
#include <kcontrol/transport/server.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::testing {

/// An api_server behind a real socket. Any number of them live in one process.
///
/// Thread-safety: shared objects unsafe; use it on its executor, a strand or a single-threaded context. Texts and
/// configs may be taken from elsewhere once start() has returned. Object lifetime: the environment outlives it.
class local_api_server {
public:
    /// With `tls` a certificate authority is made on the spot; without, plain http.
    local_api_server(environment& env, executor ex, api_server_options options = {}, bool tls = true, logger log = {});

    /// Binds 127.0.0.1:`port` (0: a free one) and serves. After stop() it may be called again; without a port it takes
    /// the same one again. Errors: those of http::server::listen().
    result<void> start(std::uint16_t port = 0);
    /// The same at an address; a certificate names it, 127.0.0.1 and localhost.
    result<void> start(const http::listen_address& at);
    /// Requests for a path with that prefix ("/my/") go to that handler instead of the API, from now on.
    void mount(std::string prefix, http::handler answer);
    /// Stops listening and ends requests, watches too. Objects stay.
    awaitable<void> stop();
    /// Cuts every connection off, as a crash would.
    void reset_connections() { server_.reset_connections(); }

    /// The API behind the socket.
    testing::api_server& api() noexcept { return api_; }
    std::uint16_t port() const noexcept { return port_; }  ///< that start() bound last; 0 before

    /// How to reach it with that token (or none). A token is checked only if api().access() knows any.
    auth::cluster_config config(const std::string& token = {}) const;
    /// The same as a kubeconfig file's text, with context, cluster and user named `name`.
    std::string kubeconfig(const std::string& token = {}, const std::string& name = "local") const;
    /// A kubeconfig with a client certificate for `user`; TLS only.
    result<std::string> kubeconfig_with_certificate(const std::string& user, const std::string& name = "local") const;
    /// Certificates are of that authority from the next start() on.
    void set_authority(http::certificate_authority authority) { authority_.emplace(std::move(authority)); }
    /// Makes a new authority and certificate, used by the next start(): old kubeconfigs no longer verify.
    result<void> rotate_authority();

private:
    environment& env_;
    bool tls_;
    std::optional<http::certificate_authority> authority_;
    testing::api_server api_;
    class own_paths {
    public:
        std::string prefix;
        http::handler answer;
    };
    std::shared_ptr<own_paths> own_;
    http::server server_;
    std::string host_ = "127.0.0.1";
    std::uint16_t port_ = 0;
};

}  // namespace kcontrol::testing
