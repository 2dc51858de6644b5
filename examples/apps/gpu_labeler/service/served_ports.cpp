#include "service/served_ports.hpp"

#include <kcontrol/manager/health.hpp>

#include <chrono>

namespace gpu_labeler {
namespace {

// A handler takes microseconds; who still waits for an answer then has lost interest in the stop.
constexpr auto drain = std::chrono::milliseconds(200);

kcontrol::http::server_options limits(const options& o) {
    kcontrol::http::server_options out;
    out.max_connections(o.max_connections()).max_buffered_bytes(defaults::max_buffered_bytes);
    return out.max_body(std::size_t{1} << 10).drain_timeout(drain);  // nothing takes a body
}

}  // namespace

served_ports::served_ports(kcontrol::environment& env, kcontrol::executor ex, site& pages, const options& o,
                           guarded_serving::serving_secrets secrets, const kcontrol::logger& log)
    : all_(env, ex, pages.handler(), o.listen(), o.access(), std::move(secrets), limits(o), "gpu_labeler", log),
      health_(env, ex, pages.probe_handler(), kcontrol::health_server_options().drain_timeout(drain), log) {
    counts_.collect([this](kcontrol::metrics_writer& out) {
        kcontrol::http::write_server_metrics(out, "main", all_.stats());
        kcontrol::http::write_server_metrics(out, "health", health_.stats());
    });
}

kcontrol::result<void> served_ports::listen(const options& o, const kcontrol::logger& log) {
    const auto url = all_.start();
    if (!url) return url.error();
    if (!url->empty()) log.info("serving", {{"url", *url}});
    auto at = o.health_probe_bind_address();
    if (!at.enabled) return {};
    const auto listening = health_.listen(at);
    if (!listening) return listening.error().with_context("--health-probe-bind-address");  // it names the address
    health_.start();
    at.port = health_.local_port();
    log.info("serving health", {{"url", "http://" + at.text() + "/"}});
    return {};
}

kcontrol::awaitable<void> served_ports::stop() {
    co_await all_.stop();
    co_await health_.stop();
}

}  // namespace gpu_labeler
