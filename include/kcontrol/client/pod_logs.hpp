// The log of a container, as it is written: as lines, or as bytes.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/client/detail/line_splitter.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Which part of a log, and in what shape: the parameters of the API's PodLogOptions.
class log_options {
public:
    log_options() = default;

    /// May be left out where the pod has one container only.
    log_options& container(std::string name) { return container_ = std::move(name), *this; }
    /// Goes on with what is written from now on, until the container ends.
    log_options& follow(bool on = true) { return follow_ = on, *this; }
    /// Of the container's run before this one.
    log_options& previous(bool on = true) { return previous_ = on, *this; }
    /// Only what is younger than that; at least 1 s.
    log_options& since(std::chrono::seconds age) { return since_ = age, *this; }
    /// Only what is younger than that time.
    log_options& since_time(wall_time t) { return since_time_ = t, *this; }
    /// Only so many lines from the end; 0 with follow() is what is new.
    log_options& tail(std::int64_t lines) { return tail_ = lines, *this; }
    /// Begins each line with the time at which it was written.
    log_options& timestamps(bool on = true) { return timestamps_ = on, *this; }
    /// Ends after so many bytes, in the middle of a line if need be.
    log_options& limit_bytes(std::int64_t bytes) { return limit_bytes_ = bytes, *this; }

    /// next_line() gives longer lines in pieces of this many bytes. Default 1 MiB.
    log_options& longest_line(std::size_t bytes) { return longest_line_ = bytes, *this; }
    /// Until the first byte may come. Default 30 s.
    log_options& deadline(duration d) { return deadline_ = d, *this; }
    /// How long nothing may be written. Default: as long as it likes; that the server is there is seen to below.
    log_options& idle(duration d) { return idle_ = d, *this; }
    /// Ends the opening with errc::stopped.
    log_options& stop(std::stop_token token) { return stop_ = std::move(token), *this; }

    const std::string& container() const noexcept { return container_; }
    bool follow() const noexcept { return follow_; }
    bool previous() const noexcept { return previous_; }
    const std::optional<std::chrono::seconds>& since() const noexcept { return since_; }
    const std::optional<wall_time>& since_time() const noexcept { return since_time_; }
    const std::optional<std::int64_t>& tail() const noexcept { return tail_; }
    bool timestamps() const noexcept { return timestamps_; }
    const std::optional<std::int64_t>& limit_bytes() const noexcept { return limit_bytes_; }
    std::size_t longest_line() const noexcept { return longest_line_; }
    duration deadline() const noexcept { return deadline_; }
    duration idle() const noexcept { return idle_; }
    const std::stop_token& stop() const noexcept { return stop_; }

private:
    std::string container_;
    bool follow_ = false, previous_ = false, timestamps_ = false;
    std::optional<std::chrono::seconds> since_;
    std::optional<wall_time> since_time_;
    std::optional<std::int64_t> tail_, limit_bytes_;
    std::size_t longest_line_ = std::size_t{1} << 20;
    duration deadline_ = std::chrono::seconds(30);
    duration idle_ = std::chrono::hours(24 * 365);
    std::stop_token stop_;
};

/// A log that is being read. What containers write is anything: escape_control() it before it gets to a terminal.
///
/// Thread-safety: shared objects unsafe; use it on the client's executor, one call at a time.
/// Object lifetime: outlives its calls; destruction ends the log.
class log_stream {
public:
    /// For open_logs(). Of the options count longest_line() and idle().
    log_stream(std::unique_ptr<http::body_stream> body, const log_options& options)
        : body_(std::move(body)), lines_(options.longest_line()), idle_(options.idle()) {}

    /// The next line, without its end; nothing after the last one. What it points to is good until the next call.
    /// Errors: stopped, timeout (idle()), connection_lost, truncated.
    KCONTROL_DECL awaitable<result<std::optional<pod_log_line>>> next_line(std::stop_token stop);

    /// Bytes as they come; 0 at the end. Use either this or next_line(). Errors: the same.
    awaitable<result<std::size_t>> read_some(std::span<char> into, std::stop_token stop) {
        return body_->read_some(into, idle_, std::move(stop));
    }

private:
    std::unique_ptr<http::body_stream> body_;
    detail::line_splitter lines_;
    duration idle_;
    bool ended_ = false;
};

/// Opens the log of a pod's container. Errors: invalid_argument, and the server's: not_found, bad_request (a container
/// that has not begun, or one must be named).
KCONTROL_DECL awaitable<result<log_stream>> open_logs(client c, namespaced_name pod, log_options options);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/pod_logs.ipp>
#endif
