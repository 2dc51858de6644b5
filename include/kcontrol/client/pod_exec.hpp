// A command in a container, or its own main process: what it writes, what it reads, and how it ended.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

namespace detail {
class exec_state;
}

/// What to run, and which of its streams are wanted: the API's PodExecOptions and PodAttachOptions.
class exec_options {
public:
    exec_options() = default;

    /// May be left out where the pod has one container only.
    exec_options& container(std::string name) { return container_ = std::move(name), *this; }
    /// The command is read from write(); close_input() is its end. Default: it has no input.
    exec_options& input(bool on = true) { return input_ = on, *this; }
    /// Default: both. With tty() all output comes as one.
    exec_options& output(bool on) { return output_ = on, *this; }
    /// The command's standard error. Default: on; with tty() it comes as output.
    exec_options& error_output(bool on) { return error_output_ = on, *this; }
    /// The command has a terminal; see resize().
    exec_options& tty(bool on = true) { return tty_ = on, *this; }
    /// Until it runs. Default 30 s. How long it runs is its own matter.
    exec_options& deadline(duration d) { return deadline_ = d, *this; }
    /// Ends the opening with errc::stopped.
    exec_options& stop(std::stop_token token) { return stop_ = std::move(token), *this; }

    const std::string& container() const noexcept { return container_; }
    bool input() const noexcept { return input_; }
    bool output() const noexcept { return output_; }
    bool error_output() const noexcept { return error_output_; }
    bool tty() const noexcept { return tty_; }
    duration deadline() const noexcept { return deadline_; }
    const std::stop_token& stop() const noexcept { return stop_; }

private:
    std::string container_;
    bool input_ = false, output_ = true, error_output_ = true, tty_ = false;
    duration deadline_ = std::chrono::seconds(30);
    std::stop_token stop_;
};

enum class exec_source { output, error_output };

/// Some bytes that a command wrote.
class exec_output {
public:
    exec_source from = exec_source::output;  ///< which stream; with tty() always output
    std::string_view bytes;                  ///< good until the next call
};

/// A command that runs. What it writes is anything: escape_control() it before it gets to a terminal of yours.
///
/// Thread-safety: shared objects unsafe; use it on the client's executor. One next() at a time; write(), resize() and
/// close_input() may be called meanwhile, and by several: they take turns. A command may wait for its output to be read
/// before it reads its input, so do both.
/// Object lifetime: destruction closes the connection, which ends calls in progress; what the command does then is the
/// container runtime's matter (most let it run on).
class exec_stream {
public:
    KCONTROL_DECL exec_stream(exec_stream&&) noexcept;
    KCONTROL_DECL exec_stream& operator=(exec_stream&&) noexcept;
    KCONTROL_DECL ~exec_stream();

    /// What it writes next; nothing when it has ended, see exit_code(). Errors: the server's Status where the command
    /// could not be run to its end; stopped, connection_lost, truncated (the connection ended, and nobody said how the
    /// command did).
    KCONTROL_DECL awaitable<result<std::optional<exec_output>>> next(std::stop_token stop);

    /// How it ended: 0 to 255. Nothing before next() has said that it has.
    KCONTROL_DECL std::optional<int> exit_code() const noexcept;

    /// Input for the command, which lives until this returns; waits while the command does not read. Errors:
    /// invalid_argument without exec_options::input(), stopped, connection_lost.
    KCONTROL_DECL awaitable<result<void>> write(std::string_view input, std::stop_token stop);
    /// No more input. Errors, besides: unavailable where the server knows v4.channel.k8s.io only (Kubernetes before
    /// 1.30), which has no word for it.
    KCONTROL_DECL awaitable<result<void>> close_input(std::stop_token stop);
    /// The size of the terminal.
    KCONTROL_DECL awaitable<result<void>> resize(std::uint16_t columns, std::uint16_t rows, std::stop_token stop);

    /// "v5.channel.k8s.io" or "v4.channel.k8s.io".
    KCONTROL_DECL const std::string& protocol() const noexcept;

    /// For open_exec() and open_attach().
    KCONTROL_DECL exec_stream(environment& env, http::opened_websocket opened, const exec_options& options);

private:
    std::shared_ptr<detail::exec_state> state_;
};

/// Runs a command (not by a shell) in a pod's container. Errors: invalid_argument (no command, no stream at all), the
/// server's: not_found, forbidden, bad_request; protocol_error where it, or a proxy on the way, speaks no WebSocket;
/// unknown_outcome where the connection broke in between.
KCONTROL_DECL awaitable<result<exec_stream>> open_exec(client c, namespaced_name pod, std::vector<std::string> command,
                                                       exec_options options = {});

/// Attaches to a container's main process. Errors: the same.
KCONTROL_DECL awaitable<result<exec_stream>> open_attach(client c, namespaced_name pod, exec_options options = {});

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/pod_exec.ipp>
#endif
