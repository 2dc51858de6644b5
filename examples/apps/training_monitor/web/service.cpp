#include "web/service.hpp"

#include <kcontrol/manager/health.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/transport/server.hpp>

#include "guarded_serving/guarded_server.hpp"
#include "guarded_serving/serving_files.hpp"

namespace training_monitor {
namespace {

kcontrol::http::server_options limits_of(const options& o) {
    kcontrol::http::server_options out;
    out.max_connections(o.serving().max_connections());
    out.max_connections_per_address(o.serving().max_connections_per_address());
    out.max_body(std::size_t{4} << 10);  // an acknowledgement is smaller
    return out;
}

class real_service final : public service {
public:
    real_service(kcontrol::environment& env, kcontrol::executor ex, web& site, const options& o,
                 guarded_serving::serving_secrets secrets, kcontrol::logger log)
        : o_(o),
          server_(env, ex, site.handler(), o.listen(), o.access(), std::move(secrets), limits_of(o), "training_monitor",
                  log),
          health_(env, ex, site.probe_handler(), kcontrol::health_server_options(), log) {
        counts_.collect([this](kcontrol::metrics_writer& out) {
            kcontrol::http::write_server_metrics(out, "main", server_.stats());
            kcontrol::http::write_server_metrics(out, "health", health_.stats());
        });
        site.add_metrics([this] { return counts_.text(); });
    }

    kcontrol::result<std::string> start() override {
        if (const auto& at = o_.serving().health_probe_bind_address(); at.enabled) {
            const auto listening = health_.listen(at);
            if (!listening) return listening.error().with_context("--health-probe-bind-address");
            health_.start();
        }
        return server_.start();
    }

    kcontrol::awaitable<void> renew(std::stop_token stop) override { return server_.renew(std::move(stop)); }

    kcontrol::awaitable<void> stop() override {
        co_await server_.stop();
        co_await health_.stop();
    }

private:
    const options& o_;
    guarded_serving::guarded_server server_;
    kcontrol::http::server health_;
    kcontrol::metrics_registry counts_;
};

}  // namespace

kcontrol::result<std::unique_ptr<service>> make_service(kcontrol::environment& env, kcontrol::executor ex, web& site,
                                                        const options& o, kcontrol::logger log) {
    auto secrets = guarded_serving::read_serving_files(env, o.access());
    if (!secrets) return secrets.error();
    return std::unique_ptr<service>(
        std::make_unique<real_service>(env, std::move(ex), site, o, std::move(*secrets), log));
}

}  // namespace training_monitor
