#include "web/service.hpp"

#include <kcontrol/manager/health.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/server.hpp>

#include "access/guard.hpp"
#include "access/serving_files.hpp"

#include <chrono>

namespace training_monitor {
namespace {

// Mounted Secrets take up to a minute to change anyway.
constexpr auto look_again = std::chrono::seconds(10);

gate_rules rules_of(const options& o, bearer_tokens tokens) {
    gate_rules out;
    out.listen_host = o.listen().host;
    out.tls = o.access().tls();
    out.login = o.access().login();
    out.tokens = std::move(tokens);
    out.trusted_origins = o.access().trusted_origins();
    return out;
}

kcontrol::http::server_options limits_of(const options& o) {
    kcontrol::http::server_options out;
    out.max_connections(o.serving().max_connections());
    out.max_connections_per_address(o.serving().max_connections_per_address());
    out.max_body(std::size_t{4} << 10);  // nothing takes one
    if (o.access().login()) out.login_timeout(std::chrono::seconds(10));
    return out;
}

class real_service final : public service {
public:
    real_service(kcontrol::environment& env, kcontrol::executor ex, web& site, const options& o,
                 serving_secrets secrets, kcontrol::logger log)
        : env_(env),
          o_(o),
          log_(log),
          tls_(std::move(secrets.tls)),
          guard_(rules_of(o, std::move(secrets.tokens))),
          server_(env, ex, guard_.before(site.handler()), limits_of(o), log),
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
        if (!o_.listen().enabled) return std::string();
        const auto listening = server_.listen(o_.listen(), tls_);
        if (!listening) {
            const bool about_files = listening.error() == kcontrol::errc::invalid_config;
            return listening.error().with_context(about_files ? tls_files() : "--listen");  // it names the address
        }
        server_.start();
        auto bound = o_.listen();
        bound.port = server_.local_port();
        return (tls_ ? "https://" : "http://") + bound.text() + "/";
    }

    kcontrol::awaitable<void> renew(std::stop_token stop) override {
        if (!o_.listen().enabled || (!o_.access().tls() && !o_.access().login())) co_return;
        while (!stop.stop_requested()) {
            const auto woken = co_await kcontrol::sleep_for(env_, look_again, stop);
            if (woken == kcontrol::wake::timeout) look();
        }
    }

    kcontrol::awaitable<void> stop() override {
        co_await server_.stop();
        co_await health_.stop();
    }

private:
    void look() {
        auto found = read_serving_files(env_, o_.access());
        if (!found) return complain(found.error().message());
        if (found->tls && *found->tls != *tls_) {
            const auto replaced = server_.replace_tls(*found->tls);
            // Certificate and key are two files: between their changes they do not fit.
            if (!replaced) return complain(tls_files() + ": " + replaced.error().message());
            tls_ = std::move(found->tls);
            log_.info("the serving certificate was renewed", {{"file", o_.access().tls_cert_file()}});
        }
        guard_.replace_tokens(std::move(found->tokens));
        complaint_.clear();
    }

    // Which of them is wrong, the server's message says.
    std::string tls_files() const {
        std::string out =
            "--tls-cert-file " + o_.access().tls_cert_file() + ", --tls-private-key-file " + o_.access().tls_key_file();
        return o_.access().client_ca_file().empty() ? out : out + ", --client-ca-file " + o_.access().client_ca_file();
    }

    void complain(const std::string& why) {
        if (why != complaint_)
            log_.error("the files for serving can't be used; what was read before stays in use", {{"error", why}});
        complaint_ = why;
    }

    kcontrol::environment& env_;
    const options& o_;
    kcontrol::logger log_;
    std::optional<kcontrol::http::server_tls> tls_;
    std::string complaint_;
    guard guard_;
    kcontrol::http::server server_, health_;
    kcontrol::metrics_registry counts_;
};

}  // namespace

kcontrol::result<std::unique_ptr<service>> make_service(kcontrol::environment& env, kcontrol::executor ex, web& site,
                                                        const options& o, kcontrol::logger log) {
    auto secrets = read_serving_files(env, o.access());
    if (!secrets) return secrets.error();
    return std::unique_ptr<service>(
        std::make_unique<real_service>(env, std::move(ex), site, o, std::move(*secrets), log));
}

}  // namespace training_monitor
