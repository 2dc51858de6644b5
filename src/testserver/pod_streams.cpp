#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/pod_streams.hpp>

#include <array>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// k8s.io/apimachinery/pkg/util/remotecommand: the first byte of a message.
constexpr char channel_input = 0, channel_output = 1, channel_error_output = 2, channel_status = 3, channel_resize = 4,
               channel_close = static_cast<char>(255);
constexpr char channel_port_bytes = 0, channel_port_trouble = 1;

constexpr duration farewell_time = std::chrono::seconds(5);

// The next whole message; nothing: there are no more. One that is larger than any client's ends the connection.
awaitable<std::optional<std::string>> whole_message(http::websocket& from) {
    constexpr std::size_t most = std::size_t{1} << 20;
    std::string message;
    std::array<char, 4096> room{};
    for (;;) {
        const auto piece = co_await from.read_some(room, duration::zero(), {});
        const bool over = !piece || piece->closed || message.size() > most;
        if (over) co_return std::nullopt;
        message.append(room.data(), piece->bytes);
        if (piece->last) co_return message;
    }
}

awaitable<bool> send_on_channel(http::websocket& to, char channel, std::string_view content) {
    constexpr std::size_t most_at_once = std::size_t{32} << 10;
    do {
        const std::string_view now = content.substr(0, most_at_once);
        content.remove_prefix(now.size());
        const auto sent = co_await to.write(std::string_view(&channel, 1), now, duration::zero(), {});
        if (!sent) co_return false;
    } while (!content.empty());
    co_return true;
}

std::string status_of_exit(int code) {
    json::object status;
    status["metadata"] = json::object();
    if (code == 0) {
        status["status"] = "Success";
        return json::serialize(status);
    }
    const std::string text = std::to_string(code);
    json::object cause;
    cause["reason"] = "ExitCode";
    cause["message"] = text;
    status["status"] = "Failure";
    status["message"] = "command terminated with non-zero exit code: exit status " + text;
    status["reason"] = "NonZeroExitCode";
    status["details"].emplace_object()["causes"] = json::array({std::move(cause)});
    return json::serialize(status);
}

std::uint16_t terminal_size(const json::value& size, std::string_view member) {
    const json::value* found = json::find(size, {member});
    const bool fits = found != nullptr && found->is_int64() && found->get_int64() >= 0 && found->get_int64() <= 0xffff;
    return fits ? static_cast<std::uint16_t>(found->get_int64()) : 0;
}

}  // namespace
}  // namespace detail

exec_call::exec_call(exec_request request, std::unique_ptr<http::websocket> socket, bool has_end)
    : request_(std::move(request)), socket_(std::move(socket)), has_end_(has_end) {}

awaitable<std::optional<std::string>> exec_call::next_message() {
    auto message = co_await detail::whole_message(*socket_);
    if (!message) gone_ = true;
    co_return message;
}

awaitable<std::optional<std::string>> exec_call::read() {
    while (request_.input && !input_ended_ && !gone_) {
        auto message = co_await next_message();
        if (!message) break;
        if (message->empty()) continue;
        const char channel = message->front();
        message->erase(0, 1);
        if (channel == detail::channel_input && !message->empty()) co_return message;
        if (channel == detail::channel_close && has_end_ && *message == std::string(1, detail::channel_input)) {
            input_ended_ = true;
        }
        if (channel != detail::channel_resize) continue;
        const auto size = json::parse(*message);
        if (!size) continue;
        columns_ = detail::terminal_size(*size, "Width");
        rows_ = detail::terminal_size(*size, "Height");
    }
    co_return std::nullopt;
}

awaitable<bool> exec_call::send(char channel, std::string_view content) {
    if (gone_) co_return false;
    const bool sent = co_await detail::send_on_channel(*socket_, channel, content);
    gone_ = !sent;
    co_return sent;
}

awaitable<bool> exec_call::write(std::string_view output) {
    if (!request_.output || output.empty()) co_return !gone_;
    const bool sent = co_await send(detail::channel_output, output);
    co_return sent;
}

awaitable<bool> exec_call::write_error(std::string_view output) {
    const bool wanted = request_.tty ? request_.output : request_.error_output;
    if (!wanted || output.empty()) co_return !gone_;
    const char channel = request_.tty ? detail::channel_output : detail::channel_error_output;
    const bool sent = co_await send(channel, output);
    co_return sent;
}

awaitable<void> exec_call::finish(int exit_code) {
    const std::string status = detail::status_of_exit(exit_code);
    const bool told = co_await send(detail::channel_status, status);
    if (told) co_await socket_->close(detail::farewell_time);
}

port_call::port_call(namespaced_name pod, std::uint16_t port, std::unique_ptr<http::websocket> socket)
    : pod_(std::move(pod)), port_(port), socket_(std::move(socket)) {}

awaitable<std::optional<std::string>> port_call::read() {
    while (!gone_) {
        auto message = co_await detail::whole_message(*socket_);
        gone_ = !message;
        if (gone_) break;
        const bool bytes = message->size() > 1 && message->front() == detail::channel_port_bytes;
        if (!bytes) continue;
        message->erase(0, 1);
        co_return message;
    }
    co_return std::nullopt;
}

awaitable<bool> port_call::send(char channel, std::string_view content) {
    if (gone_) co_return false;
    const bool sent = co_await detail::send_on_channel(*socket_, channel, content);
    gone_ = !sent;
    co_return sent;
}

awaitable<bool> port_call::write(std::string_view bytes) {
    const bool sent = co_await send(detail::channel_port_bytes, bytes);
    co_return sent;
}

awaitable<void> port_call::refuse(std::string_view why) {
    const bool sent = co_await send(detail::channel_port_trouble, why);
    static_cast<void>(sent);  // who has gone needs no reason
}

awaitable<void> port_call::begin() {
    const std::string port{static_cast<char>(port_ & 0xff), static_cast<char>(port_ >> 8)};
    const bool heard = co_await send(detail::channel_port_bytes, port);
    if (!heard) co_return;
    const bool sent = co_await send(detail::channel_port_trouble, port);
    static_cast<void>(sent);  // the next call tells
}

awaitable<void> port_call::finish() {
    if (!gone_) co_await socket_->close(detail::farewell_time);
}

}  // namespace kcontrol::testing
