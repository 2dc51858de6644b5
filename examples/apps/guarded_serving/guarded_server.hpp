// A server behind the guard, with its certificate and its tokens, which may change on disk while it runs.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/transport/listen_address.hpp>
#include <kcontrol/transport/server.hpp>

#include "guarded_serving/access_options.hpp"
#include "guarded_serving/guard.hpp"
#include "guarded_serving/serving_files.hpp"

#include <optional>
#include <stop_token>
#include <string>

namespace guarded_serving {

/// Thread-safety: shared objects unsafe; use it on the executor it was made with.
/// Object lifetime: the environment outlives it; stop() before it is destroyed.
class guarded_server {
public:
    /// `secrets` is what stands in the files that `access` names. `program` asks for logins. Where there are logins,
    /// `limits` gets a time in which they must come.
    guarded_server(kcontrol::environment& env, kcontrol::executor ex, kcontrol::http::handler inner,
                   kcontrol::http::listen_address at, access_options access, serving_secrets secrets,
                   kcontrol::http::server_options limits, std::string program, kcontrol::logger log);
    guarded_server(const guarded_server&) = delete;
    guarded_server& operator=(const guarded_server&) = delete;

    /// Listens and serves. Returns the URL, empty where the address says nowhere. Errors: name the flag and the remedy.
    kcontrol::result<std::string> start();

    /// Until `stop`: certificates and tokens that change on disk come into use without a restart; such that are broken
    /// are logged, and those in use stay.
    kcontrol::awaitable<void> renew(std::stop_token stop);

    kcontrol::awaitable<void> stop();

    kcontrol::http::server_stats stats() const { return server_.stats(); }

private:
    void look();
    std::string tls_files() const;
    void complain(const std::string& why);

    kcontrol::environment& env_;
    kcontrol::http::listen_address at_;
    access_options access_;
    kcontrol::logger log_;
    std::optional<kcontrol::http::server_tls> tls_;
    std::string complaint_;
    guard guard_;
    kcontrol::http::server server_;
};

}  // namespace guarded_serving
