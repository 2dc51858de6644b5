// Samples for the tests of what is served.
#pragma once

#include "web/handlers.hpp"

#include <string>

namespace gpu_labeler::tests {

inline kcontrol::wall_time at(std::int64_t seconds) { return kcontrol::wall_time(std::chrono::seconds(seconds)); }

inline constexpr std::int64_t noon = 1'795'262'400;  // 2026-11-21T12:00:00Z

inline gpu_sample a100(unsigned index) {
    gpu_sample out;
    out.index = index;
    out.uuid = "GPU-" + std::to_string(index);
    out.name = "NVIDIA A100-SXM4-80GB";
    out.bus_id = "00000000:0" + std::to_string(index) + ":00.0";
    out.temperature_celsius = 41;
    out.power_watts = 71.3;
    out.gpu_percent = 97;
    out.memory_used_bytes = 85'899'345'920;
    return out;
}

inline node_sample node(std::int64_t seconds, std::vector<gpu_sample> gpus) {
    node_sample out;
    out.time = at(seconds);
    out.state = reader_state::ok;
    out.driver_version = "550.107.02";
    out.cuda_version = 12040;
    out.gpus = std::move(gpus);
    return out;
}

inline kcontrol::http::response get(const web_handlers& site, std::string target, std::string method = "GET") {
    kcontrol::http::router routes;
    site.add_routes(routes);
    return *routes.answer(
        kcontrol::http::server_request(kcontrol::http::request(std::move(method), std::move(target))));
}

}  // namespace gpu_labeler::tests
