// A program's own server at --listen, in the place of that of run(): with its pages, and who may read them.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/transport/listen_address.hpp>

#include <functional>
#include <memory>

namespace kcontrol::inline v0_1 {

class manager;

/// What serves at --listen. It has manager::handler() or manager::answer() for /healthz, /readyz and /metrics.
///
/// Thread-safety: used on the manager's executor.
class listen_server {
public:
    listen_server() = default;
    listen_server(const listen_server&) = delete;
    listen_server& operator=(const listen_server&) = delete;
    virtual ~listen_server() = default;

    /// Listens and serves, before the set-up. Errors: name the flag and the remedy; the program ends with them.
    virtual result<void> start() = 0;
    /// Ends what start() began; called once, after the manager's run.
    virtual awaitable<void> stop() = 0;
};

/// Makes the server for an address, which is enabled. Errors: as of start(); invalid_argument is one of the command
/// line, and the program ends with status 2.
using listen_server_function =
    std::function<result<std::unique_ptr<listen_server>>(manager&, const http::listen_address&, const logger&)>;

}  // namespace kcontrol
