// Commands in containers and connections to ports of pods, as whoever plays the node sees them.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/websocket.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// What a request for `pods/exec` or `pods/attach` wants (PodExecOptions).
class exec_request {
public:
    namespaced_name pod;               ///< there is one, and it has a node
    std::string container;             ///< the one asked for, else the pod's only one
    std::vector<std::string> command;  ///< none: attach
    bool attaches = false;             ///< pods/attach: wants what runs already, no command
    bool input = false,                ///< stdin: the client sends
        output = false,                ///< stdout: the client hears it
        error_output = false,          ///< stderr: the client hears it
        tty = false;                   ///< a terminal, which has one output only
};

/// A command that a client runs in a container, seen from inside.
///
/// Thread-safety: shared objects unsafe; use it in the peer's coroutine only.
/// Object lifetime: until the peer returns.
class exec_call {
public:
    /// `has_end`: the client has a word for the end of its input (v5.channel.k8s.io).
    exec_call(exec_request request, std::unique_ptr<http::websocket> socket, bool has_end);

    const exec_request& request() const noexcept { return request_; }  ///< what the client asked for
    /// The program and its arguments; none: attach.
    const std::vector<std::string>& command() const noexcept { return request_.command; }

    /// What the client types next; nothing where its input ends, it has none, or it has gone. Pings of the client are
    /// answered meanwhile.
    awaitable<std::optional<std::string>> read();
    /// What the command says. False: nobody hears it any more.
    awaitable<bool> write(std::string_view output);
    /// The same on its error output; with a terminal there is one output only.
    awaitable<bool> write_error(std::string_view output);
    /// Columns and rows of the terminal, as the client said while read() waited; at first 0.
    std::pair<std::uint16_t, std::uint16_t> terminal() const noexcept { return {columns_, rows_}; }

    /// Tells how the command ended, and ends the connection; for the server.
    awaitable<void> finish(int exit_code);

private:
    awaitable<bool> send(char channel, std::string_view content);
    awaitable<std::optional<std::string>> next_message();

    exec_request request_;
    std::unique_ptr<http::websocket> socket_;
    bool has_end_;
    bool input_ended_ = false;
    bool gone_ = false;
    std::uint16_t columns_ = 0, rows_ = 0;
};

/// A connection to a port of a pod, seen from inside.
///
/// Thread-safety and object lifetime: as exec_call.
class port_call {
public:
    /// `socket` speaks v4.channel.k8s.io. The server calls begin() before the peer.
    port_call(namespaced_name pod, std::uint16_t port, std::unique_ptr<http::websocket> socket);

    const namespaced_name& pod() const noexcept { return pod_; }  ///< there is one, and it has a node
    std::uint16_t port() const noexcept { return port_; }         ///< of the pod, not 0

    /// What the client sends next; nothing when it has gone.
    awaitable<std::optional<std::string>> read();
    /// False: the client has gone.
    awaitable<bool> write(std::string_view bytes);
    /// Nobody listens there, or what else the node has to say; the peer returns then.
    awaitable<void> refuse(std::string_view why);

    /// Names the port on both channels, which is what the client waits for; for the server.
    awaitable<void> begin();
    /// Ends the connection; for the server.
    awaitable<void> finish();

private:
    awaitable<bool> send(char channel, std::string_view content);

    namespaced_name pod_;
    std::uint16_t port_;
    std::unique_ptr<http::websocket> socket_;
    bool gone_ = false;
};

/// Plays a container: called for each command and each attached client, returns the exit code. What it throws ends the
/// connection without one, as a node does that dies.
using exec_handler = std::function<awaitable<int>(exec_call&)>;

/// Plays what listens at pods' ports.
using port_handler = std::function<awaitable<void>(port_call&)>;

}  // namespace kcontrol::testing
