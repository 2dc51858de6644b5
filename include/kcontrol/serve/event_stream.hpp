// Server-sent events to any number of clients: what each of them gets first, then every event that is published.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/serve/event_queue.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>

namespace kcontrol::http {

class event_stream_options {
public:
    event_stream_options() = default;

    /// How far a client may fall behind before its stream is ended. It reconnects and starts over. Default 8 MiB.
    event_stream_options& max_queued_bytes(std::size_t n) { return max_queued_bytes_ = n, *this; }
    /// A comment after so long without an event, so that both sides notice a dead connection. Default 15 s.
    event_stream_options& heartbeat(duration d) { return heartbeat_ = d, *this; }
    /// The size of the pieces written. Default 64 KiB.
    event_stream_options& piece_bytes(std::size_t n) { return piece_bytes_ = n, *this; }

    std::size_t max_queued_bytes() const noexcept { return max_queued_bytes_; }
    duration heartbeat() const noexcept { return heartbeat_; }
    std::size_t piece_bytes() const noexcept { return piece_bytes_; }

private:
    std::size_t max_queued_bytes_ = std::size_t{8} << 20;
    duration heartbeat_ = std::chrono::seconds(15);
    std::size_t piece_bytes_ = std::size_t{64} << 10;
};

/// The head of such a response, protected (responses.hpp); proxies are asked not to collect events.
KCONTROL_DECL response_head event_stream_head();

/// A client that connects again starts over: nothing is replayed after its Last-Event-ID.
///
/// Thread-safety: shared objects unsafe; use it on the server's executor.
/// Object lifetime: outlives every serve() in progress, as does the environment.
class event_stream {
public:
    /// Sends a client what comes before the events, such as the present state. Its error ends the stream.
    using opening = std::function<awaitable<result<void>>(responder&)>;

    explicit event_stream(environment& env, event_stream_options options = {}) : env_(env), options_(options) {}

    /// Sends an event, as format_event() writes it, to every client, in order.
    KCONTROL_DECL void publish(std::string event);

    /// Serves one client until it goes or falls too far behind. What is published from the moment on at which `first`
    /// begins is sent after it.
    KCONTROL_DECL awaitable<void> serve(responder& out, response_head head, opening first = {});

    const event_stream_options& options() const noexcept { return options_; }
    std::size_t clients() const noexcept { return clients_.size(); }
    /// How many clients were cut off because they were too slow.
    std::uint64_t cut_off() const noexcept { return cut_off_; }

private:
    struct client {
        explicit client(std::size_t max_bytes) : queue(max_bytes) {}
        event_queue queue;
        async_event wake;
    };
    class membership;

    awaitable<void> send_events(responder& out, client& self);

    environment& env_;
    event_stream_options options_;
    std::list<client> clients_;
    std::uint64_t cut_off_ = 0;
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/serve/impl/event_stream.ipp>
#endif
