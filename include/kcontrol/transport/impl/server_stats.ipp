#pragma once

#include <kcontrol/transport/server_stats.hpp>

namespace kcontrol::inline v0_1::http {

KCONTROL_DECL std::string_view to_string(shed_reason why) noexcept {
    static constexpr std::string_view names[shed_reasons] = {"connections", "address", "bytes", "descriptors"};
    return names[static_cast<std::size_t>(why)];
}

KCONTROL_DECL std::string_view to_string(timeout_cause what) noexcept {
    static constexpr std::string_view names[timeout_causes] = {"handshake", "first_request", "login",
                                                               "request",   "idle",          "answer"};
    return names[static_cast<std::size_t>(what)];
}

KCONTROL_DECL void write_server_metrics(metrics_writer& out, const std::string& server, const server_stats& of) {
    const auto open = [&](const char* known, std::size_t count) {
        out.gauge("kcontrol_http_connections", "Open connections; known: logged in, or answered once without a login.",
                  {{"server", server}, {"known", known}}, static_cast<double>(count));
    };
    open("yes", of.known);
    open("no", of.connections - of.known);
    out.gauge("kcontrol_http_buffered_bytes", "Requests not answered, answers not taken, and what handlers keep.",
              {{"server", server}}, static_cast<double>(of.buffered_bytes));
    out.counter("kcontrol_http_connections_accepted_total", "Connections let in.", {{"server", server}},
                static_cast<double>(of.accepted));
    out.counter("kcontrol_http_handler_exceptions_total", "Handlers that threw.", {{"server", server}},
                static_cast<double>(of.handler_exceptions));
    for (std::size_t i = 0; i < shed_reasons; ++i) {
        const metric_labels labels{{"server", server}, {"reason", std::string(to_string(static_cast<shed_reason>(i)))}};
        out.counter("kcontrol_http_connections_shed_total", "Connections closed to make room, by the limit.", labels,
                    static_cast<double>(of.shed[i]));
        out.counter("kcontrol_http_connections_refused_total", "Connections and requests refused for want of room.",
                    labels, static_cast<double>(of.refused[i]));
    }
    for (std::size_t i = 0; i < timeout_causes; ++i) {
        out.counter("kcontrol_http_connections_timed_out_total", "Connections closed because their peer was late.",
                    {{"server", server}, {"waited_for", std::string(to_string(static_cast<timeout_cause>(i)))}},
                    static_cast<double>(of.timed_out[i]));
    }
}

}  // namespace kcontrol::http
