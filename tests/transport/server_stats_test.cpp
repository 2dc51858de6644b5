// What /metrics says of a server's connections.
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/transport/server_stats.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;
using namespace kcontrol::http;

TEST_CASE("server_stats: every limit and every time limit has its series, of several servers side by side") {
    server_stats of;
    of.connections = 5;
    of.known = 2;
    of.buffered_bytes = 1000;
    of.accepted = 70;
    of.handler_exceptions = 8;
    of.shed[static_cast<std::size_t>(shed_reason::address)] = 3;
    of.refused[static_cast<std::size_t>(shed_reason::bytes)] = 4;
    of.timed_out[static_cast<std::size_t>(timeout_cause::first_request)] = 6;
    metrics_registry all;
    all.collect([&](metrics_writer& out) {
        write_server_metrics(out, "main", of);
        write_server_metrics(out, "health", {});
    });
    const std::string text = all.text();
    for (const char* line : {R"(kcontrol_http_connections{known="yes",server="main"} 2)",
                             R"(kcontrol_http_connections{known="no",server="main"} 3)",
                             R"(kcontrol_http_buffered_bytes{server="main"} 1000)",
                             R"(kcontrol_http_connections_accepted_total{server="main"} 70)",
                             R"(kcontrol_http_connections_accepted_total{server="health"} 0)",
                             R"(kcontrol_http_handler_exceptions_total{server="main"} 8)",
                             R"(kcontrol_http_connections_shed_total{reason="address",server="main"} 3)",
                             R"(kcontrol_http_connections_shed_total{reason="connections",server="main"} 0)",
                             R"(kcontrol_http_connections_refused_total{reason="bytes",server="main"} 4)",
                             R"(kcontrol_http_connections_timed_out_total{server="main",waited_for="first_request"} 6)",
                             R"(kcontrol_http_connections_timed_out_total{server="health",waited_for="answer"} 0)"}) {
        CAPTURE(std::string(line));
        CHECK(text.find(std::string(line) + "\n") != std::string::npos);
    }
}
