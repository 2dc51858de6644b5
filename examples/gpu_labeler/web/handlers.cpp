#include "web/handlers.hpp"

#include <kcontrol/http/url.hpp>

#include "messages.hpp"
#include "shared/responses.hpp"
#include "web/gpus_json.hpp"
#include "web/history_answer.hpp"
#include "web/page.hpp"

#include <algorithm>

namespace gpu_labeler {

namespace http = kcontrol::http;

web_handlers::web_handlers(std::string node, history_layout layout) : node_(std::move(node)), past_(layout) {}

void web_handlers::take(const node_sample& sample) {
    now_ = sample;
    remember_who(sample);
    if (sample.time != kcontrol::wall_time{}) past_.record(sample.time, sample.gpus);
}

// A GPU that does not answer can't say who it is: it is who was at its index, unless that one has moved elsewhere.
void web_handlers::remember_who(const node_sample& sample) {
    const auto is_here = [&](const std::string& uuid) {
        return std::any_of(sample.gpus.begin(), sample.gpus.end(), [&](const auto& g) { return g.uuid == uuid; });
    };
    for (auto& g : now_.gpus) {
        if (!g.uuid.empty()) {
            who_[g.index] = {g.uuid, g.name, g.bus_id};
            continue;
        }
        const auto before = who_.find(g.index);
        if (before == who_.end() || is_here(before->second.uuid)) continue;
        g.uuid = before->second.uuid;
        if (g.name.empty()) g.name = before->second.name;
        if (g.bus_id.empty()) g.bus_id = before->second.bus_id;
    }
}

void web_handlers::take(const inventory& found) {
    found_.clear();
    for (const auto& one : found.gpus) found_.emplace(one.uuid, one);
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
    const auto find = [&](const std::string& uuid) {
        const auto found = found_.find(uuid);
        return found == found_.end() ? nullptr : &found->second;
    };
    return examples::json_response(200, gpus_json(node_, now_, find));
}

}  // namespace gpu_labeler
