// The monitor's HTTP face: the interface under /api/v1, health, metrics and the page.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/serve/router.hpp>

#include "table/job_query.hpp"
#include "table/job_table.hpp"
#include "web/event_hub.hpp"
#include "web/view_json.hpp"

#include <functional>
#include <string>
#include <vector>

namespace training_monitor {

/// Answers GET and HEAD; nothing of it can be written to, but what more routes take. Who may ask is the guard's affair
/// (guarded_serving/).
///
/// Thread-safety: shared objects unsafe; requests run on the server's executor.
/// Object lifetime: outlives the server it answers for, as do the environment, the table and the hub.
class web {
public:
    web(kcontrol::environment& env, job_table& table, event_hub& hub);
    web(const web&) = delete;
    web& operator=(const web&) = delete;

    /// Compresses its answers where that is worth it (compressed.hpp).
    kcontrol::http::handler handler() const;

    /// Answers /healthz and /readyz and tells nothing else, for it asks for no login.
    kcontrol::http::handler probe_handler() { return probes_.handler(); }

    /// For more routes; their responses are protected (serve/responses.hpp).
    kcontrol::http::router& routes() noexcept { return routes_; }

    /// One more part of /readyz?verbose: whole lines, "[+]…" or "[-]…". They don't make the monitor unready.
    void add_report(std::function<std::string()> lines) { reports_.push_back(std::move(lines)); }
    /// What /api/v1/jobs tells of each job besides.
    void tell_more_of_jobs(more_of_job f) { more_ = std::move(f); }
    /// One more part of /metrics: whole families in Prometheus' text format.
    void add_metrics(std::function<std::string()> text) { metrics_.push_back(std::move(text)); }

private:
    kcontrol::awaitable<void> serve_events(kcontrol::http::routed_request request, kcontrol::http::responder& out);
    kcontrol::awaitable<void> serve_jobs(kcontrol::http::routed_request request, kcontrol::http::responder& out);
    kcontrol::awaitable<void> send_jobs(kcontrol::http::responder& out, job_query asked);
    std::string incomplete_clusters(const job_filter& asked) const;
    job_table::job_list chosen(const job_query& asked) const;
    kcontrol::http::response clusters(std::string_view query) const;
    kcontrol::http::response readyz(std::string_view query) const;
    kcontrol::http::response metrics() const;

    kcontrol::environment& env_;
    job_table& table_;
    event_hub& hub_;
    kcontrol::http::router routes_, probes_;
    std::vector<std::function<std::string()>> reports_, metrics_;
    more_of_job more_;
};

}  // namespace training_monitor
