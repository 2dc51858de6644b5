// A program of run() whose --listen is behind the guard: its flags, and the server of its pages.
#pragma once

#include <kcontrol/manager/listen_server.hpp>
#include <kcontrol/manager/run_options.hpp>
#include <kcontrol/serve/router.hpp>

#include "guarded_serving/access_options.hpp"

#include <memory>
#include <string>

namespace guarded_serving {

/// Thread-safety: distinct objects safe; shared objects unsafe.
/// Object lifetime: outlives run().
class guarded_listen {
public:
    /// `program` asks for logins in its name.
    explicit guarded_listen(std::string program) : program_(std::move(program)) {}
    guarded_listen(const guarded_listen&) = delete;
    guarded_listen& operator=(const guarded_listen&) = delete;

    /// Adds --tls-cert-file, --tls-private-key-file, --client-ca-file, --token-file, --trusted-origins and
    /// --insecure-listen, and what serves --listen. `address` is where it listens unless the command line says it.
    void add_to(kcontrol::run_options& to, std::string address = "127.0.0.1:8080");

    /// The program's pages, beside /healthz, /readyz and /metrics. They are added in the set-up.
    kcontrol::http::router& routes() noexcept { return routes_; }

    /// What the flags said.
    const access_options& access() const noexcept { return access_; }

private:
    kcontrol::result<std::unique_ptr<kcontrol::listen_server>> make(kcontrol::manager& m,
                                                                    const kcontrol::http::listen_address& at,
                                                                    const kcontrol::logger& log);

    std::string program_;
    access_options access_;
    kcontrol::http::router routes_;
};

}  // namespace guarded_serving
