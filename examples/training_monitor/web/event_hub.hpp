// The server-sent event stream: the present state, then `ready`, then every change, to any number of clients.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "table/job_table.hpp"
#include "web/event_queue.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <vector>

namespace training_monitor {

class event_hub_options {
public:
    event_hub_options() = default;

    /// How far a client may fall behind before its stream is ended. It reconnects and gets the present state again.
    event_hub_options& max_queued_bytes(std::size_t n) { return max_queued_bytes_ = n, *this; }
    /// A comment after so long without an event, so that both sides notice a dead connection.
    event_hub_options& heartbeat(kcontrol::duration d) { return heartbeat_ = d, *this; }
    /// The size of the pieces written.
    event_hub_options& piece_bytes(std::size_t n) { return piece_bytes_ = n, *this; }

    std::size_t max_queued_bytes() const noexcept { return max_queued_bytes_; }
    kcontrol::duration heartbeat() const noexcept { return heartbeat_; }
    std::size_t piece_bytes() const noexcept { return piece_bytes_; }

private:
    std::size_t max_queued_bytes_ = std::size_t{8} << 20;
    kcontrol::duration heartbeat_ = std::chrono::seconds(15);
    std::size_t piece_bytes_ = std::size_t{64} << 10;
};

/// Thread-safety: shared objects unsafe; use it on the server's executor.
/// Object lifetime: outlives every serve() in progress, as do the environment and the table.
class event_hub {
public:
    event_hub(kcontrol::environment& env, job_table& table, event_hub_options options = {})
        : env_(env), table_(table), options_(options) {}

    /// Sends changes to every client, in order.
    void publish(const std::vector<change>& changes);

    /// Serves one client until it goes or falls too far behind. `head` is sent as it is.
    kcontrol::awaitable<void> serve(kcontrol::http::responder& out, kcontrol::http::response_head head);

    std::size_t clients() const noexcept { return clients_.size(); }
    /// How many clients were cut off because they were too slow.
    std::uint64_t cut_off() const noexcept { return cut_off_; }

private:
    struct client {
        explicit client(std::size_t max_bytes) : queue(max_bytes) {}
        event_queue queue;
        kcontrol::async_event wake;
    };
    class membership;

    kcontrol::awaitable<bool> send_present(kcontrol::http::responder& out);
    kcontrol::awaitable<void> send_changes(kcontrol::http::responder& out, client& self);

    kcontrol::environment& env_;
    job_table& table_;
    event_hub_options options_;
    std::list<client> clients_;
    std::uint64_t cut_off_ = 0;
};

}  // namespace training_monitor
