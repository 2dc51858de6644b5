#include "web/handlers.hpp"

#include <kcontrol/http/url.hpp>
#include <kcontrol/serve/embedded_file.hpp>
#include <kcontrol/serve/responses.hpp>

#include "gpu_labeler/page.hpp"
#include "messages.hpp"
#include "web/history_answer.hpp"

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

void web_handlers::add_routes(http::router& to) const {
    add_files(to, embedded_files());
    to.get("/api/v1/gpus", [this](const http::routed_request& asked) { return gpus(asked.query()); });
    to.get("/api/v1/history",
           [this](const http::routed_request& asked) { return history_answer(past_, asked.query()); });
}

http::response web_handlers::gpus(std::string_view query) const {
    if (const auto parameters = http::parse_query(query); !parameters.empty()) {
        return http::error_response(
            400, "unknown parameter " + in_quotes(parameters.front().first) + "; /api/v1/gpus has none");
    }
    return http::json_response(200, gpus_json(node_, now_, modes_));
}

}  // namespace gpu_labeler
