#include "guarded_serving/guarded_listen.hpp"

#include <kcontrol/manager/manager.hpp>

#include "guarded_serving/guarded_server.hpp"
#include "guarded_serving/serving_files.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <stop_token>
#include <string_view>
#include <utility>

namespace guarded_serving {
namespace {

namespace http = kcontrol::http;

http::server_options limits() {
    http::server_options out;
    return out.max_connections(256).max_body(std::size_t{4} << 10);
}

class server_at_listen final : public kcontrol::listen_server {
public:
    server_at_listen(kcontrol::manager& m, http::handler inner, const http::listen_address& at,
                     const access_options& access, serving_secrets secrets, std::string program,
                     const kcontrol::logger& log)
        : ex_(m.get_executor()),
          log_(log),
          server_(m.env(), ex_, std::move(inner), at, access, std::move(secrets), limits(), std::move(program), log) {
        m.metrics().collect(
            [this](kcontrol::metrics_writer& out) { http::write_server_metrics(out, "main", server_.stats()); });
    }

    kcontrol::result<void> start() override {
        const auto url = server_.start();
        if (!url) return url.error();
        log_.info("listening", {{"flag", "--listen"}, {"url", *url}});
        boost::asio::co_spawn(ex_, server_.renew(stop_.get_token()), boost::asio::detached);
        return {};
    }

    kcontrol::awaitable<void> stop() override {
        stop_.request_stop();
        co_await server_.stop();
    }

private:
    kcontrol::executor ex_;
    kcontrol::logger log_;
    guarded_server server_;
    std::stop_source stop_;
};

}  // namespace

void guarded_listen::add_to(kcontrol::run_options& to, std::string address) {
    const auto file = [this, &to](const char* name, const char* help,
                                  access_options& (access_options::*set)(std::string)) {
        to.flag(name, "FILE", help, [this, set](std::string_view value) -> kcontrol::result<void> {
            (access_.*set)(std::string(value));
            return {};
        });
    };
    file("--tls-cert-file", "certificate chain (PEM) of --listen; goes with --tls-private-key-file",
         &access_options::tls_cert_file);
    file("--tls-private-key-file", "its key (PEM); both files are read again as they change",
         &access_options::tls_key_file);
    file("--client-ca-file", "authorities (PEM): who shows a certificate of theirs at --listen may read",
         &access_options::client_ca_file);
    file("--token-file", "bearer tokens that may read at --listen, one a line; a browser asks for one as a password",
         &access_options::token_file);
    to.flag("--trusted-origins", "ORIGIN,...", "pages of these may read, such as https://portal.corp",
            [this](std::string_view value) { return access_.trust_origins(value); });
    to.flag("--insecure-listen", "", "listen beyond loopback without TLS or login",
            [this](std::string_view) -> kcontrol::result<void> {
                access_.insecure_listen(true);
                return {};
            });
    to.listen(std::move(address));
    to.serve_listen([this](kcontrol::manager& m, const http::listen_address& at, const kcontrol::logger& log) {
        return make(m, at, log);
    });
}

kcontrol::result<std::unique_ptr<kcontrol::listen_server>> guarded_listen::make(kcontrol::manager& m,
                                                                                const http::listen_address& at,
                                                                                const kcontrol::logger& log) {
    const auto good = check_listen(at, access_);
    if (!good) return good.error();
    auto secrets = read_serving_files(m.env(), access_);
    if (!secrets) return secrets.error();
    routes_.otherwise([&m](const http::routed_request& asked) { return m.answer(asked); });
    return std::unique_ptr<kcontrol::listen_server>(
        std::make_unique<server_at_listen>(m, routes_.handler(), at, access_, std::move(*secrets), program_, log));
}

}  // namespace guarded_serving
