#include "service/site.hpp"

#include <kcontrol/manager/health.hpp>
#include <kcontrol/metrics/exposition.hpp>
#include <kcontrol/serve/responses.hpp>

#include "service/reports.hpp"

namespace gpu_labeler {
namespace {

namespace http = kcontrol::http;

// The checks of `path` and of what is below it, which decide about methods themselves.
void add_health(http::router& to, const std::string& path, std::function<std::vector<kcontrol::named_check>()> checks) {
    const auto answer = [path, checks = std::move(checks)](const http::routed_request& asked) {
        auto out = kcontrol::health_handler(asked, path, checks());
        http::protect(out.headers);
        return out;
    };
    to.add("", path, answer).add("", path + "/{check...}", answer);
}

http::response refuse(const http::routed_request& asked) {
    if (asked.method != "GET" && asked.method != "HEAD") return http::method_not_allowed("GET, HEAD");
    return http::error_response(404, "not found; see /, /api/v1/gpus, /api/v1/history, /healthz, /readyz, /metrics");
}

kcontrol::awaitable<void> serve(const site& from, http::server_request request, http::responder& out) {
    auto whole = from.answer(request);
    (void)co_await out.send(std::move(whole));
}

}  // namespace

site::site(const labeler_status& status, const web_handlers& gpus) {
    gpus.add_routes(routes_);
    for (auto* to : {&routes_, &probes_}) {
        add_health(*to, "/healthz", [] { return std::vector<kcontrol::named_check>(); });
        add_health(*to, "/readyz", [&status] { return readiness_checks(status); });
    }
    routes_.get("/metrics", [this](const http::routed_request&) { return metrics(); });
    routes_.otherwise(refuse);
}

http::handler site::handler() {
    return [this](http::server_request request, http::responder& out) { return serve(*this, std::move(request), out); };
}

http::response site::answer(const http::request& request) const {
    return *routes_.answer(http::server_request(request));
}

http::response site::metrics() const {
    std::string text;
    for (const auto& more : metrics_) text += more();
    http::response out(200, kcontrol::metrics_content_type, std::move(text));
    http::protect(out.headers);
    return out;
}

}  // namespace gpu_labeler
