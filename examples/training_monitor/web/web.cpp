#include "web/web.hpp"

#include <kcontrol/http/url.hpp>
#include <kcontrol/metrics/exposition.hpp>

#include "table/job_query.hpp"
#include "web/health.hpp"
#include "web/metrics_text.hpp"
#include "web/page.hpp"
#include "web/responses.hpp"
#include "web/view_json.hpp"

#include <algorithm>

namespace training_monitor {
namespace {

namespace http = kcontrol::http;

constexpr std::string_view json_type = "application/json";
constexpr std::size_t piece_bytes = std::size_t{64} << 10;

http::response_head stream_head(std::string_view type) {
    http::response_head head(200);
    head.headers.set("Content-Type", std::string(type));
    protect(head.headers);
    return head;
}

// For HEAD on what is answered in pieces otherwise.
http::response head_only(std::string_view type) {
    http::response out(200, type, {});
    protect(out.headers);
    return out;
}

}  // namespace

http::handler web::handler() {
    return [this](http::server_request request, http::responder& out) { return answer(std::move(request), out); };
}

kcontrol::awaitable<void> web::answer(http::server_request request, http::responder& out) {
    const auto [path, query] = http::split_target(request.target);
    if (request.method != "GET" && request.method != "HEAD") {
        auto refused = error_response(405, "only GET and HEAD are served here");
        refused.headers.set("Allow", "GET, HEAD");
        co_await out.send(std::move(refused));
    } else if (path == "/api/v1/events" && request.method == "GET") {
        const auto checked = expect_no_query(query);
        if (checked) {
            auto head = stream_head("text/event-stream");
            head.headers.set("X-Accel-Buffering", "no");  // nginx would collect events otherwise
            co_await hub_.serve(out, std::move(head));
        } else {
            auto refused = error_response(400, checked.error().message());
            co_await out.send(std::move(refused));
        }
    } else if (path == "/api/v1/jobs" && request.method == "GET") {
        auto filter = parse_job_query(query);
        if (filter) {
            co_await send_jobs(out, std::move(*filter));
        } else {
            auto refused = error_response(400, filter.error().message());
            co_await out.send(std::move(refused));
        }
    } else {
        auto whole = get(path, query);
        co_await out.send(std::move(whole));
    }
}

// In pieces: a large fleet's jobs are hundreds of megabytes of text.
kcontrol::awaitable<void> web::send_jobs(http::responder& out, job_filter filter) {
    const auto jobs = table_.jobs(filter);
    const auto now = env_.wall_now();
    auto head = stream_head(json_type);
    const auto started = co_await out.start(std::move(head));
    if (!started) co_return;
    std::string piece = "{\"items\":[";
    for (const auto& job : jobs) {
        if (&job != jobs.data()) piece += ',';
        kcontrol::json::writer one;
        write(one, *job, now);
        piece += one.text();
        if (piece.size() < piece_bytes) continue;
        const auto written = co_await out.write(std::exchange(piece, {}));
        if (!written) co_return;
    }
    piece += "]}\n";
    const auto written = co_await out.write(std::move(piece));
    static_cast<void>(written);
}

http::response web::get(std::string_view path, std::string_view query) const {
    if (path == "/readyz") {
        const auto checked = expect_no_query(query, "verbose");
        return checked ? readyz(!query.empty()) : error_response(400, checked.error().message());
    }
    const auto found = std::find_if(routes_.rbegin(), routes_.rend(), [&](const auto& r) {
        return r.first.ends_with('/') ? path.starts_with(r.first) : path == r.first;
    });
    if (found != routes_.rend()) return found->second(path, query);
    const auto checked = expect_no_query(query);
    if (path == "/") {
        http::response page(200, "text/html; charset=utf-8", std::string(page_html()));
        protect(page.headers, page_policy());
        return page;
    }
    if (path == "/api/v1/clusters") return checked ? clusters() : error_response(400, checked.error().message());
    if (path == "/api/v1/jobs") return head_only(json_type);
    if (path == "/api/v1/events") return head_only("text/event-stream");
    if (path == "/healthz") return text_response(200, "ok\n");
    if (path == "/metrics") {
        std::string text = metrics_text(table_, hub_);
        for (const auto& more : metrics_) text += more();
        http::response metrics(200, kcontrol::metrics_content_type, std::move(text));
        protect(metrics.headers);
        return metrics;
    }
    return error_response(404,
                          "not found; see /, /api/v1/jobs, /api/v1/clusters, /api/v1/events, /api/v1/totals, "
                          "/healthz, /readyz, /metrics");
}

http::response web::clusters() const {
    kcontrol::json::writer out;
    out.begin_object();
    out.key("items");
    out.begin_array();
    for (const auto& cluster : table_.clusters()) write(out, *cluster);
    out.end_array();
    out.end_object();
    return json_response(200, out.take() + "\n");
}

http::response web::readyz(bool verbose) const {
    const auto all = table_.clusters();
    const bool ready = is_ready(all);
    if (verbose || !ready) {
        std::string report;
        for (const auto& lines : reports_) report += lines();
        return text_response(ready ? 200 : 503, report + readiness_report(all));
    }
    return text_response(200, "ok\n");
}

}  // namespace training_monitor
