// HAProxy's runtime API: one command over its unix socket, and the answer.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <functional>
#include <stop_token>
#include <string>

namespace follow::haproxy {

/// Gives one command and returns the whole answer, without the line breaks at its end.
using ask_function = std::function<kcontrol::awaitable<kcontrol::result<std::string>>(std::string, std::stop_token)>;

/// Asks the HAProxy behind this socket; each command has a connection of its own, as HAProxy closes it after one line.
/// The function runs on `ex`. Errors: connection_refused (with the remedy), connection_lost, timeout (5 s), stopped,
/// too_large (16 MiB), each with the socket's path; invalid_argument for a path that is too long for a socket.
///
/// Object lifetime: `env` outlives the function and its calls.
ask_function ask_socket(kcontrol::environment& env, kcontrol::executor ex, std::string socket);

}  // namespace follow::haproxy
