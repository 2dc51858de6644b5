// Where the demo's notices go: a receiver in this process that keeps the last messages for the page.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/serve/router.hpp>
#include <kcontrol/transport/server.hpp>

#include "notices/config.hpp"

#include <cstddef>
#include <deque>
#include <string>

namespace training_monitor::demo {

/// Thread-safety: shared objects unsafe; use it on its executor. Object lifetime: the environment outlives it.
class notice_sink {
public:
    notice_sink(kcontrol::environment& env, kcontrol::executor ex);

    /// Listens on loopback. Errors: those of the operating system.
    kcontrol::result<void> start();
    kcontrol::awaitable<void> stop() { return server_.stop(); }

    /// Every failure, as a message in Slack's format, to this sink.
    notices::notice_config config() const;

    /// Adds /api/v1/demo/notices: the last 20 messages, the newest first. The sink outlives the router.
    void add_route(kcontrol::http::router& to);

private:
    struct message {
        kcontrol::wall_time at;
        std::string text;
    };
    kcontrol::awaitable<void> take(kcontrol::http::server_request request, kcontrol::http::responder& out);

    static constexpr std::size_t most_messages = 20;
    kcontrol::environment& env_;
    kcontrol::http::server server_;
    std::deque<message> messages_;
};

}  // namespace training_monitor::demo
