#include "web/handlers.hpp"

#include <kcontrol/http/url.hpp>

#include "messages.hpp"
#include "shared/responses.hpp"
#include "web/history_answer.hpp"
#include "web/page.hpp"

namespace gpu_labeler {

namespace http = kcontrol::http;

web_handlers::web_handlers(std::string node, history_layout layout) : node_(std::move(node)), past_(layout) {}

void web_handlers::take(const node_sample& sample) {
    now_ = sample;
    if (sample.time != kcontrol::wall_time{}) past_.record(sample.time, sample.gpus);
}

void web_handlers::take(const inventory& found) {
    modes_.clear();
    for (const auto& one : found.gpus) {
        if (one.mig_enabled) modes_[one.uuid] = *one.mig_enabled;
    }
}

std::optional<http::response> web_handlers::answer(const http::request& request) const {
    const auto [path, query] = http::split_target(request.target);
    if (path != "/" && path != "/api/v1/gpus" && path != "/api/v1/history") return std::nullopt;
    if (request.method != "GET" && request.method != "HEAD") {
        auto refused = examples::error_response(405, "only GET and HEAD are served here");
        refused.headers.set("Allow", "GET, HEAD");
        return refused;
    }
    if (path == "/") {
        http::response page(200, "text/html; charset=utf-8", std::string(page_html()));
        examples::protect(page.headers, page_policy());
        return page;
    }
    if (path == "/api/v1/history") return history_answer(past_, query);
    if (const auto parameters = http::parse_query(query); !parameters.empty()) {
        return examples::error_response(
            400, "unknown parameter " + quoted(parameters.front().first) + "; /api/v1/gpus has none");
    }
    return examples::json_response(200, gpus_json(node_, now_, modes_));
}

}  // namespace gpu_labeler
