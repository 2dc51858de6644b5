// The monitor's HTTP face: the interface under /api/v1, health, metrics and the page.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "table/job_table.hpp"
#include "web/event_hub.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace training_monitor {

/// Answers GET and HEAD; it has nothing that could be written to. Who may ask is the guard's affair (access/).
///
/// Thread-safety: shared objects unsafe; requests run on the server's executor.
/// Object lifetime: outlives the server it answers for, as do the environment, the table and the hub.
class web {
public:
    web(kcontrol::environment& env, job_table& table, event_hub& hub) : env_(env), table_(table), hub_(hub) {}

    kcontrol::http::handler handler();

    /// Answers GET and HEAD of one more path, or, if it ends in '/', of all below it; what is added later comes first.
    /// For answers that are whole at once (responses.hpp). `path` is without the query.
    using route = std::function<kcontrol::http::response(std::string_view path, std::string_view query)>;
    void add_route(std::string path, route r) { routes_.emplace_back(std::move(path), std::move(r)); }

    /// One more part of /readyz?verbose: whole lines, "[+]…" or "[-]…". They don't make the monitor unready.
    void add_report(std::function<std::string()> lines) { reports_.push_back(std::move(lines)); }
    /// One more part of /metrics: whole families in Prometheus' text format.
    void add_metrics(std::function<std::string()> text) { metrics_.push_back(std::move(text)); }

private:
    kcontrol::awaitable<void> answer(kcontrol::http::server_request request, kcontrol::http::responder& out);
    kcontrol::awaitable<void> send_jobs(kcontrol::http::responder& out, job_filter filter);
    kcontrol::http::response get(std::string_view path, std::string_view query) const;
    kcontrol::http::response clusters() const;
    kcontrol::http::response readyz(bool verbose) const;

    kcontrol::environment& env_;
    job_table& table_;
    event_hub& hub_;
    std::vector<std::pair<std::string, route>> routes_;
    std::vector<std::function<std::string()>> reports_, metrics_;
};

}  // namespace training_monitor
