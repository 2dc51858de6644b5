// The server's end of a WebSocket, over a connection of the server.
#pragma once

#include <kcontrol/http/websocket.hpp>
#include <kcontrol/transport/impl/server_connection.hpp>
#include <kcontrol/transport/impl/websocket_frames.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::http::detail {

/// What the server says to a client's Sec-WebSocket-Key.
std::string websocket_key_answer(std::string_view key);

/// Lives no longer than the handler that it was made for.
class server_websocket final : public websocket {
public:
    explicit server_websocket(server_connection& below) : below_(below) {}
    ~server_websocket() override;

    awaitable<result<websocket_piece>> read_some(std::span<char> into, duration idle, std::stop_token stop) override;
    awaitable<result<void>> write(std::string_view head, std::string_view content, duration time,
                                  std::stop_token stop) override;
    awaitable<void> close(duration time) override;

private:
    awaitable<result<void>> send(std::string frames);
    error fail(error why);

    server_connection& below_;
    frame_reader reader_;
    std::string queued_;  // frames behind the one that is being written
    bool writing_ = false;
    bool closed_ = false;        // by the client, properly
    bool said_goodbye_ = false;  // here
    std::optional<error> broken_;
};

}  // namespace kcontrol::http::detail
