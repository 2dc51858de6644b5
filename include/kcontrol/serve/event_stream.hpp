// Server-sent events to any number of clients: what each of them gets first, then every event that is published.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/log_rate_limit.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/serve/event_log.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::http {

/// How many clients an event_stream may have, how far they may fall behind, and how it writes to them.
class event_stream_options {
public:
    event_stream_options() = default;

    /// How far a client may fall behind before its stream is ended. It reconnects and starts over. Events are kept once
    /// for all clients, so it is also what those of all clients take together. Default 8 MiB.
    event_stream_options& max_queued_bytes(std::size_t n) { return max_queued_bytes_ = n, *this; }
    /// How many clients there may be. Another one takes the place of the one that has not taken what was written to it
    /// for the longest, a second or more; if there is none, it gets 503. Fewer than the connections that the server
    /// may have (server_options::max_connections), so that it stays reachable. Default 512.
    event_stream_options& max_clients(std::size_t n) { return max_clients_ = n, *this; }
    /// A comment after so long without an event, so that both sides notice a dead connection. Default 15 s.
    event_stream_options& heartbeat(duration d) { return heartbeat_ = d, *this; }
    /// The size of the pieces written. Default 64 KiB.
    event_stream_options& piece_bytes(std::size_t n) { return piece_bytes_ = n, *this; }

    std::size_t max_queued_bytes() const noexcept { return max_queued_bytes_; }
    std::size_t max_clients() const noexcept { return max_clients_; }
    duration heartbeat() const noexcept { return heartbeat_; }
    std::size_t piece_bytes() const noexcept { return piece_bytes_; }

private:
    std::size_t max_queued_bytes_ = std::size_t{8} << 20;
    std::size_t max_clients_ = 512;
    duration heartbeat_ = std::chrono::seconds(15);
    std::size_t piece_bytes_ = std::size_t{64} << 10;
};

/// The head of such a response, protected (responses.hpp); proxies are asked not to collect events.
KCONTROL_DECL response_head event_stream_head();

/// A client that connects again starts over: nothing is replayed after its Last-Event-ID. What its clients have not
/// taken is limited (event_stream_options); who is cut off for that is told so where it still reads, and the log gets a
/// line in ten seconds at most.
///
/// Thread-safety: shared objects unsafe; use it on the server's executor.
/// Object lifetime: outlives every serve() in progress, as does the environment.
class event_stream {
public:
    /// Sends a client what comes before the events, such as the present state. Its error ends the stream.
    using opening = std::function<awaitable<result<void>>(responder&)>;

    /// Without clients. Disconnections and refusals are logged in `log`.
    explicit event_stream(environment& env, event_stream_options options = {}, logger log = {})
        : env_(env), options_(options), log_(std::move(log)) {}

    /// Sends an event, as format_event() writes it, to every client, in order.
    KCONTROL_DECL void publish(std::string event);

    /// Serves one client until it goes or falls too far behind, or answers that there are too many. What is published
    /// from the moment on at which `first` begins is sent after it.
    KCONTROL_DECL awaitable<void> serve(responder& out, response_head head, opening first = {});

    const event_stream_options& options() const noexcept { return options_; }  ///< as it was made with
    std::size_t clients() const noexcept { return clients_.size(); }           ///< whose streams have not ended yet
    /// How many clients were disconnected because they were too far behind.
    std::uint64_t disconnected_slow() const noexcept { return disconnected_slow_; }
    /// How many clients were disconnected to make room for others.
    std::uint64_t disconnected_for_capacity() const noexcept { return disconnected_for_capacity_; }
    /// Both.
    std::uint64_t disconnected() const noexcept { return disconnected_slow_ + disconnected_for_capacity_; }
    /// How many were not served because there were too many.
    std::uint64_t refused() const noexcept { return refused_; }
    /// What it keeps for its clients, in bytes of events.
    std::size_t queued_bytes() const noexcept { return log_of_events_.bytes(); }

private:
    struct client {
        explicit client(responder& to) : out(to) {}
        responder& out;
        bool joined = false;  // gets what is published
        bool cut = false;
        event_log::position at = 0;               // what it has yet to be sent begins there
        std::optional<time_point> writing_since;  // a write to it is in progress
        async_event wake;
    };
    class membership;
    class timed_responder;

    awaitable<void> send_events(responder& out, client& self);
    void cut(client& one);
    bool make_room();
    bool is_stalled(const client& one) const;
    void forget_sent();

    environment& env_;
    event_stream_options options_;
    logger log_;
    event_log log_of_events_;
    std::list<client> clients_;
    std::uint64_t disconnected_slow_ = 0, disconnected_for_capacity_ = 0, refused_ = 0;
    log_rate_limit behind_pace_, crowded_pace_;
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/serve/impl/event_stream.ipp>
#endif
