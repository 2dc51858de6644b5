// What the labeler serves: the page and the interface about GPUs, its health, its metrics.
#pragma once

#include <kcontrol/serve/router.hpp>

#include "service/labeler.hpp"
#include "web/handlers.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gpu_labeler {

/// Answers GET and HEAD; it has nothing that could be written to. Who may ask is the guard's affair (guarded_serving/).
///
/// Thread-safety: shared objects unsafe; requests run on the server's executor.
/// Object lifetime: outlives the server it answers for; handlers and status outlive it.
class site {
public:
    site(const labeler_status& status, const web_handlers& gpus);
    site(const site&) = delete;
    site& operator=(const site&) = delete;

    kcontrol::http::handler handler();
    /// Answers /healthz and /readyz only, whatever the Host header names: a kubelet names the pod's address.
    kcontrol::http::handler probe_handler() { return probes_.handler(); }

    /// One more part of /metrics: whole families in Prometheus' text format.
    void add_metrics(std::function<std::string()> text) { metrics_.push_back(std::move(text)); }

    kcontrol::http::response answer(const kcontrol::http::request& request) const;

private:
    kcontrol::http::response metrics() const;

    kcontrol::http::router routes_, probes_;
    std::vector<std::function<std::string()>> metrics_;
};

}  // namespace gpu_labeler
