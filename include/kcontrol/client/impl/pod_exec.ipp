#pragma once

#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/channels.hpp>
#include <kcontrol/client/detail/exec_status.hpp>
#include <kcontrol/client/detail/pod_path.hpp>
#include <kcontrol/client/detail/taking_turns.hpp>
#include <kcontrol/client/pod_exec.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/runtime/make_ready.hpp>

#include <algorithm>
#include <charconv>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

inline constexpr std::string_view exec_v5 = "v5.channel.k8s.io";
inline constexpr std::string_view exec_protocols = "v5.channel.k8s.io, v4.channel.k8s.io";
// k8s.io/apimachinery/pkg/util/remotecommand: stdin, stdout, stderr, error, resize; 255 closes one (v5).
inline constexpr unsigned char channel_output = 1, channel_error_output = 2, channel_status = 3;

// The cause ExitCode of a Status of failure.
inline std::optional<int> exit_code_of(json::node status) {
    const json::node details = status["details"];
    if (!details.is_object() || !details["causes"].is_array()) return std::nullopt;
    for (const json::node cause : details["causes"].elements()) {
        if (!cause.is_object() || answer_text(cause["reason"]) != "ExitCode") continue;
        const std::string_view text = answer_text(cause["message"]);
        int code = 0;
        const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), code);
        if (fault == std::errc() && end == text.data() + text.size()) return code;
    }
    return std::nullopt;
}

KCONTROL_DECL result<int> read_exec_status(std::string_view text) {
    json::document document;
    const auto status = document.parse(text);
    if (!status) return status.error().with_context("what became of the command");
    if (!status->is_object()) return error(errc::decode_failed, "what became of the command: not a Status");
    if (answer_text((*status)["status"]) == "Success") return 0;
    if (answer_text((*status)["reason"]) == "NonZeroExitCode") {
        if (const auto code = exit_code_of(*status)) return *code;
    }
    return status_error(*status, 500);
}

// Shared by a stream and the calls in progress on it.
class exec_state {
public:
    explicit exec_state(environment& e) : env(&e), room(std::size_t{32} << 10) {}

    environment* env;
    std::unique_ptr<http::websocket> socket;  // null: the stream was destroyed
    std::string protocol;
    bool has_input = false;
    bool input_closed = false;
    channel_reader channels;
    std::vector<char> room;
    std::string status;
    bool ended = false;
    std::optional<int> exit_code;
    std::optional<error> failure;
    std::shared_ptr<taking_turns> writers = std::make_shared<taking_turns>();
};

inline error stream_destroyed() { return error(errc::unavailable, "the stream was destroyed"); }

// It is over: what the server said of it.
inline result<std::optional<exec_output>> end_exec(exec_state& s) {
    s.ended = true;
    if (s.status.empty()) {
        s.failure = error(errc::truncated, "the connection ended, and nobody said what became of the command");
        return *s.failure;
    }
    const auto code = read_exec_status(s.status);
    if (!code) s.failure = code.error();
    if (s.failure) return *s.failure;
    s.exit_code = *code;
    return std::optional<exec_output>();
}

inline awaitable<result<std::optional<exec_output>>> next_exec(std::shared_ptr<exec_state> s, std::stop_token stop) {
    constexpr std::size_t most_status = std::size_t{64} << 10;
    constexpr duration forever = duration::zero(), after_status = std::chrono::seconds(10);
    for (;;) {
        if (s->failure) co_return *s->failure;
        if (s->ended) co_return std::optional<exec_output>();
        if (!s->socket) co_return stream_destroyed();
        const std::span<char> room(s->room);
        const duration idle = s->status.empty() ? forever : after_status;
        const auto piece = co_await s->socket->read_some(room, idle, stop);
        if (!piece) {
            // Some runtimes say how it ended, and then forget the connection.
            const bool enough = !s->status.empty() && piece.error() != errc::stopped;
            if (enough) co_return end_exec(*s);
            co_return piece.error();
        }
        if (piece->closed) co_return end_exec(*s);
        const auto part = s->channels.take(std::string_view(s->room.data(), piece->bytes), piece->last);
        if (!part) continue;
        if (part->channel == channel_status) {
            s->status += part->bytes.substr(0, most_status - std::min(most_status, s->status.size()));
            continue;
        }
        if (part->channel != channel_output && part->channel != channel_error_output) continue;
        exec_output out;
        out.from = part->channel == channel_output ? exec_source::output : exec_source::error_output;
        out.bytes = part->bytes;
        co_return std::optional<exec_output>(out);
    }
}

inline awaitable<result<void>> send_exec(std::shared_ptr<exec_state> s, std::string head, std::string_view content,
                                         std::stop_token stop) {
    constexpr std::size_t most_at_once = std::size_t{32} << 10;
    const auto turn = co_await taking_turns::next(s->writers, *s->env, stop);
    if (!turn) co_return turn.error();
    do {
        if (!s->socket) co_return stream_destroyed();
        const std::string_view now = content.substr(0, most_at_once);
        content.remove_prefix(now.size());
        const auto sent = co_await s->socket->write(head, now, duration::zero(), stop);
        if (!sent) co_return sent.error();
    } while (!content.empty());
    co_return result<void>();
}

inline awaitable<result<exec_stream>> exec_call(client c, http::request req, exec_options options) {
    http::exchange_options bounds;
    bounds.deadline(options.deadline()).stop(options.stop());
    req.headers.set("Sec-WebSocket-Protocol", std::string(exec_protocols));
    auto opened = co_await c.raw_websocket(std::move(req), std::move(bounds));
    if (!opened) co_return opened.error();
    if (opened->answer.headers.get("Sec-WebSocket-Protocol").empty()) {
        co_return error(errc::protocol_error, "the server speaks none of " + std::string(exec_protocols));
    }
    co_return exec_stream(c.env(), std::move(*opened), options);
}

inline awaitable<result<exec_stream>> open_streams(client c, const namespaced_name& pod, std::string_view subresource,
                                                   http::query_builder query, const exec_options& options) {
    const auto path = pod_path(c, pod, subresource);
    if (!path) return make_ready<result<exec_stream>>(path.error());
    if (!options.input() && !options.output() && !options.error_output()) {
        return make_ready<result<exec_stream>>(
            error(errc::invalid_argument, "a command needs one of input, output and error output"));
    }
    const auto flag = [&](const char* name, bool on) {
        if (on) query.append(name, "true");
    };
    if (!options.container().empty()) query.append("container", options.container());
    flag("stdin", options.input());
    flag("stdout", options.output());
    flag("stderr", options.error_output() && !options.tty());
    flag("tty", options.tty());
    return exec_call(std::move(c), http::request("GET", query.after(*path)), options);
}

}  // namespace detail

KCONTROL_DECL exec_stream::exec_stream(environment& env, http::opened_websocket opened, const exec_options& options)
    : state_(std::make_shared<detail::exec_state>(env)) {
    state_->protocol = opened.answer.headers.get("Sec-WebSocket-Protocol");
    state_->socket = std::move(opened.socket);
    state_->has_input = options.input();
}

KCONTROL_DECL exec_stream::exec_stream(exec_stream&&) noexcept = default;

KCONTROL_DECL exec_stream& exec_stream::operator=(exec_stream&& other) noexcept {
    if (state_ && state_ != other.state_) state_->socket.reset();
    state_ = std::move(other.state_);
    return *this;
}

KCONTROL_DECL exec_stream::~exec_stream() {
    if (state_) state_->socket.reset();
}

KCONTROL_DECL awaitable<result<std::optional<exec_output>>> exec_stream::next(std::stop_token stop) {
    return detail::next_exec(state_, std::move(stop));
}

KCONTROL_DECL std::optional<int> exec_stream::exit_code() const noexcept { return state_->exit_code; }

KCONTROL_DECL const std::string& exec_stream::protocol() const noexcept { return state_->protocol; }

KCONTROL_DECL awaitable<result<void>> exec_stream::write(std::string_view input, std::stop_token stop) {
    if (!state_->has_input || state_->input_closed) {
        return make_ready<result<void>>(
            error(errc::invalid_argument, state_->has_input ? "the command's input is closed"
                                                            : "the command has no input: set exec_options::input()"));
    }
    if (input.empty()) return make_ready(result<void>());
    return detail::send_exec(state_, std::string(1, '\0'), input, std::move(stop));
}

KCONTROL_DECL awaitable<result<void>> exec_stream::close_input(std::stop_token stop) {
    if (!state_->has_input || state_->input_closed) return make_ready(result<void>());
    if (state_->protocol != detail::exec_v5) {
        return make_ready<result<void>>(error(
            errc::unavailable,
            "the server speaks " + escape_control(state_->protocol) + ", which can't say that the input has ended"));
    }
    state_->input_closed = true;
    return detail::send_exec(state_, std::string("\xff\0", 2), {}, std::move(stop));
}

KCONTROL_DECL awaitable<result<void>> exec_stream::resize(std::uint16_t columns, std::uint16_t rows,
                                                          std::stop_token stop) {
    std::string text = "\x04{\"Width\":" + std::to_string(columns) + ",\"Height\":" + std::to_string(rows) + "}";
    return detail::send_exec(state_, std::move(text), {}, std::move(stop));
}

KCONTROL_DECL awaitable<result<exec_stream>> open_exec(client c, namespaced_name pod, std::vector<std::string> command,
                                                       exec_options options) {
    if (command.empty() || command.front().empty()) {
        return make_ready<result<exec_stream>>(error(errc::invalid_argument, "the command is empty"));
    }
    http::query_builder query;
    for (const auto& word : command) query.append("command", word);
    return detail::open_streams(std::move(c), pod, "exec", std::move(query), options);
}

KCONTROL_DECL awaitable<result<exec_stream>> open_attach(client c, namespaced_name pod, exec_options options) {
    return detail::open_streams(std::move(c), pod, "attach", {}, options);
}

}  // namespace kcontrol
