#include "web/web.hpp"

#include <kcontrol/json/members.hpp>
#include <kcontrol/metrics/exposition.hpp>
#include <kcontrol/serve/embedded_file.hpp>
#include <kcontrol/serve/responses.hpp>

#include "table/health.hpp"
#include "training_monitor/page.hpp"
#include "web/compressed.hpp"
#include "web/metrics_text.hpp"
#include "web/view_json.hpp"

#include <algorithm>

namespace training_monitor {
namespace {

namespace http = kcontrol::http;

constexpr std::string_view json_type = "application/json";
constexpr std::size_t piece_bytes = std::size_t{64} << 10;

// For HEAD on what is answered in pieces otherwise.
http::response_function head_only(std::string_view type) {
    return [type](const http::routed_request&) {
        http::response out(200, type, {});
        http::protect(out.headers);
        return out;
    };
}

// To anybody, so it names nothing.
http::response ready_answer(bool ready) {
    return http::text_response(ready ? 200 : 503, ready ? "ok\n" : "not ready; /readyz?verbose says why\n");
}

http::response refuse(const http::routed_request& request) {
    if (request.method != "GET" && request.method != "HEAD") return http::method_not_allowed("GET, HEAD");
    return http::error_response(
        404,
        "not found; see /, /api/v1/jobs, /api/v1/clusters, /api/v1/events, /api/v1/totals, /api/v1/gpus, "
        "/api/v1/gpu-hours, /api/v1/fleet, /healthz, /readyz, /metrics");
}

}  // namespace

web::web(kcontrol::environment& env, job_table& table, event_hub& hub) : env_(env), table_(table), hub_(hub) {
    add_files(routes_, embedded_files());
    routes_.stream("GET", "/api/v1/events",
                   [this](http::routed_request r, http::responder& out) { return serve_events(std::move(r), out); });
    routes_.add("HEAD", "/api/v1/events", head_only("text/event-stream"));
    routes_.stream("GET", "/api/v1/jobs",
                   [this](http::routed_request r, http::responder& out) { return serve_jobs(std::move(r), out); });
    routes_.add("HEAD", "/api/v1/jobs", head_only(json_type));
    routes_.get("/api/v1/clusters", [this](const http::routed_request& r) { return clusters(r.query()); });
    routes_.get("/healthz", [](const http::routed_request&) { return http::text_response(200, "ok\n"); });
    routes_.get("/readyz", [this](const http::routed_request& r) { return readyz(r.query()); });
    routes_.get("/metrics", [this](const http::routed_request&) { return metrics(); });
    routes_.otherwise(refuse);
    probes_.get("/healthz", [](const http::routed_request&) { return http::text_response(200, "ok\n"); });
    probes_.get("/readyz", [this](const http::routed_request&) { return ready_answer(is_ready(table_.clusters())); });
}

http::handler web::handler() const { return compressed(routes_.handler()); }

kcontrol::awaitable<void> web::serve_events(http::routed_request request, http::responder& out) {
    const auto checked = expect_no_query(request.query());
    if (checked) {
        auto head = http::event_stream_head();
        co_await hub_.serve(out, std::move(head));
    } else {
        auto refused = http::error_response(400, checked.error().message());
        (void)co_await out.send(std::move(refused));
    }
}

kcontrol::awaitable<void> web::serve_jobs(http::routed_request request, http::responder& out) {
    auto asked = parse_job_query(request.query(), env_.wall_now());
    if (asked) {
        co_await send_jobs(out, std::move(*asked));
    } else {
        auto refused = http::error_response(400, asked.error().message());
        (void)co_await out.send(std::move(refused));
    }
}

// In pieces: a large fleet's jobs are hundreds of megabytes of text.
kcontrol::awaitable<void> web::send_jobs(http::responder& out, job_query asked) {
    if (!out.holds(table_.size() * sizeof(std::shared_ptr<const job_view>))) {
        auto full = http::try_again_response(1, "too much is being read at the same time; try again");
        (void)co_await out.send(std::move(full));
        co_return;
    }
    http::response_head head(200);
    head.headers.set("Content-Type", std::string(json_type));
    http::protect(head.headers);
    const auto started = co_await out.start(std::move(head));
    if (!started) co_return;
    // Only now, for many may have asked: the server begins their answers by turns.
    const auto all = asked.takes_all() ? table_.all_jobs() : std::make_shared<const job_table::job_list>(chosen(asked));
    const auto& jobs = *all;
    out.holds(jobs.capacity() * sizeof(jobs[0]));
    const auto now = env_.wall_now();
    const std::size_t count = std::min(jobs.size(), asked.limit.value_or(jobs.size()));
    std::string piece = "{\"items\":[";
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) piece += ',';
        kcontrol::json::writer one;
        write(one, *jobs[i], now, std::nullopt, asked.fields, more_);
        piece += one.text();
        if (piece.size() < piece_bytes) continue;
        const auto written = co_await out.write(std::exchange(piece, {}));
        if (!written) co_return;
    }
    piece += asked.limit ? "],\"remaining\":" + std::to_string(jobs.size() - count) : "]";
    piece += incomplete_clusters(asked.filter) + "}\n";
    const auto written = co_await out.write(std::move(piece));
    static_cast<void>(written);
}

// ',"incompleteClusters":["a"]': of those that were asked for, where jobs may be missing or old. Empty if none is so.
std::string web::incomplete_clusters(const job_filter& asked) const {
    kcontrol::json::writer names;
    names.begin_array();
    bool any = false;
    for (const auto& cluster : table_.clusters()) {
        const bool is_asked_for = asked.clusters.empty() || asked.clusters.contains(cluster->name);
        if (!is_asked_for || cluster->state == "live") continue;
        names.value(cluster->name);
        any = true;
    }
    names.end_array();
    return any ? ",\"incompleteClusters\":" + names.take() : std::string();
}

job_table::job_list web::chosen(const job_query& asked) const {
    auto out = table_.jobs(asked.filter);
    std::erase_if(out, [&](const auto& job) { return !asked.wants(*job); });
    return out;
}

http::response web::clusters(std::string_view query) const {
    const auto checked = expect_no_query(query);
    if (!checked) return http::error_response(400, checked.error().message());
    kcontrol::json::writer out;
    out.begin_object();
    begin_array(out, "items");
    for (const auto& cluster : table_.clusters()) write(out, *cluster);
    out.end_array();
    out.end_object();
    return http::json_response(200, out.take() + "\n");
}

http::response web::readyz(std::string_view query) const {
    const auto checked = expect_no_query(query, "verbose");
    if (!checked) return http::error_response(400, checked.error().message());
    const bool verbose = !query.empty();
    const auto all = table_.clusters();
    const bool ready = is_ready(all);
    if (!verbose) return ready_answer(ready);
    std::string report;
    for (const auto& lines : reports_) report += lines();
    return http::text_response(ready ? 200 : 503, report + readiness_report(all));
}

http::response web::metrics() const {
    std::string text = metrics_text(table_, hub_);
    for (const auto& more : metrics_) text += more();
    http::response out(200, kcontrol::metrics_content_type, std::move(text));
    http::protect(out.headers);
    return out;
}

}  // namespace training_monitor
