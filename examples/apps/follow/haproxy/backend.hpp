// One backend of a HAProxy, kept as the endpoints are.
#pragma once

#include <kcontrol/base/log.hpp>

#include "haproxy/plan.hpp"
#include "haproxy/runtime_api.hpp"

#include <string>

namespace follow::haproxy {

/// What came of one pass.
class outcome {
public:
    outcome() = default;

    std::size_t commands = 0;  ///< how many were given
    std::size_t pending = 0;   ///< servers that can't be removed as connections are open
};

/// Thread-safety: shared objects unsafe. Object lifetime: it outlives its calls.
class backend {
public:
    /// `options`: see plan().
    backend(ask_function ask, std::string name, std::string options, kcontrol::logger log);

    /// Looks which servers of this program there are, and gives the commands that are needed. A HAProxy that was
    /// restarted has none of them, and gets all.
    ///
    /// Errors: those of the socket; protocol_error with what HAProxy said, and to which command. The other commands
    /// are given all the same, and the first error is returned.
    kcontrol::awaitable<kcontrol::result<outcome>> apply(std::vector<endpoint> endpoints, std::stop_token stop);

private:
    ask_function ask_;
    std::string name_, options_;
    kcontrol::logger log_;
};

}  // namespace follow::haproxy
