// What the labeler serves: the page and the interface about GPUs, its health, its metrics.
#pragma once

#include <kcontrol/http/handler.hpp>

#include "service/labeler.hpp"
#include "web/handlers.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gpu_labeler {

/// Answers GET and HEAD; it has nothing that could be written to.
///
/// Thread-safety: shared objects unsafe; requests run on the server's executor.
/// Object lifetime: outlives the server it answers for; handlers and status outlive it.
class site {
public:
    site(const labeler_status& status, const web_handlers& gpus) : status_(status), gpus_(gpus) {}

    kcontrol::http::handler handler();

    /// One more part of /metrics: whole families in Prometheus' text format.
    void add_metrics(std::function<std::string()> text) { metrics_.push_back(std::move(text)); }

    kcontrol::http::response answer(const kcontrol::http::request& request) const;

private:
    const labeler_status& status_;
    const web_handlers& gpus_;
    std::vector<std::function<std::string()>> metrics_;
};

}  // namespace gpu_labeler
