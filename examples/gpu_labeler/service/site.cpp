#include "service/site.hpp"

#include <kcontrol/http/url.hpp>
#include <kcontrol/manager/health.hpp>
#include <kcontrol/metrics/exposition.hpp>

#include "service/reports.hpp"
#include "shared/host_name.hpp"
#include "shared/responses.hpp"

namespace gpu_labeler {
namespace {

namespace http = kcontrol::http;

bool is_below(std::string_view path, std::string_view root) {
    return path == root || (path.starts_with(root) && path[root.size()] == '/');
}

kcontrol::awaitable<void> serve(const site& from, http::server_request request, http::responder& out) {
    auto whole = from.answer(request);
    co_await out.send(std::move(whole));
}

}  // namespace

http::handler site::handler() {
    return [this](http::server_request request, http::responder& out) { return serve(*this, std::move(request), out); };
}

http::response site::answer(const http::request& request) const {
    if (examples::is_loopback(listen_host_) && !examples::is_loopback(examples::host_of(request.headers.get("Host")))) {
        return examples::error_response(403,
                                        "this address answers to localhost only; the Host header names another host");
    }
    if (auto of_gpus = gpus_.answer(request)) return std::move(*of_gpus);
    const auto path = http::split_target(request.target).first;
    http::response out;
    if (is_below(path, "/healthz")) {
        out = kcontrol::health_handler(request, "/healthz", {});
    } else if (is_below(path, "/readyz")) {
        out = kcontrol::health_handler(request, "/readyz", readiness_checks(status_));
    } else if (request.method != "GET" && request.method != "HEAD") {
        out = examples::error_response(405, "only GET and HEAD are served here");
        out.headers.set("Allow", "GET, HEAD");
    } else if (path == "/metrics") {
        std::string text;
        for (const auto& more : metrics_) text += more();
        out = http::response(200, kcontrol::metrics_content_type, std::move(text));
    } else {
        out = examples::error_response(404,
                                       "not found; see /, /api/v1/gpus, /api/v1/history, /healthz, /readyz, /metrics");
    }
    examples::protect(out.headers);
    return out;
}

}  // namespace gpu_labeler
