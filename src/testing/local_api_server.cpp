#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/transport/client.hpp>

#include "testing/kubeconfig_text.hpp"

namespace kcontrol::inline v0_1::testing {
namespace detail {

namespace {

// A server that somebody keeps running must not stop to be believed in.
constexpr std::chrono::hours certificates_last{24 * 365 * 10};

bool is_any_address(const std::string& host) { return host.empty() || host == "0.0.0.0" || host == "::"; }

}  // namespace

namespace {

api_server_options with_real_webhooks(environment& env, api_server_options options, const logger& log) {
    if (!options.log()) options.log(log);
    if (!options.webhook_transport()) options.webhook_transport(http::make_transport_factory(env));
    return options;
}

}  // namespace
}  // namespace detail

local_api_server::local_api_server(environment& env, executor ex, api_server_options options, bool tls, logger log)
    : env_(env),
      tls_(tls),
      api_(env, ex, detail::with_real_webhooks(env, std::move(options), log)),
      own_(std::make_shared<own_paths>()),
      server_(
          env, ex,
          [own = own_, api = api_.handler()](http::server_request request, http::responder& out) {
              const bool is_own = own->answer && request.target.starts_with(own->prefix);
              return is_own ? own->answer(std::move(request), out) : api(std::move(request), out);
          },
          http::server_options().max_connections(10'000).max_buffered_bytes(std::size_t{4} << 30), std::move(log)) {}

void local_api_server::mount(std::string prefix, http::handler answer) {
    own_->prefix = std::move(prefix);
    own_->answer = std::move(answer);
}

result<void> local_api_server::start(std::uint16_t port) {
    return start(http::listen_address("127.0.0.1", port == 0 ? port_ : port));
}

result<void> local_api_server::start(const http::listen_address& at) {
    std::optional<http::server_tls> tls;
    if (tls_) {
        if (!authority_) {
            auto made = rotate_authority();
            if (!made) return made;
        }
        http::certificate_options names(env_.wall_now());
        names.common_name("kube-apiserver").dns("localhost").ip("127.0.0.1");
        names.not_after(env_.wall_now() + detail::certificates_last);
        if (!detail::is_any_address(at.host) && at.host != "127.0.0.1") names.ip(at.host);
        auto issued = authority_->issue(names);
        if (!issued) return issued.error();
        tls.emplace(issued->cert_pem, issued->key_pem);
        tls->client_ca_pem(authority_->cert_pem());
    }
    auto listening = server_.listen(at, std::move(tls));
    if (!listening) return listening;
    host_ = detail::is_any_address(at.host) ? "127.0.0.1" : at.host;
    port_ = server_.local_port();
    server_.start();
    return {};
}

awaitable<void> local_api_server::stop() {
    api_.end_watches();
    co_await server_.stop();
}

auth::cluster_config local_api_server::config(const std::string& token) const {
    auth::cluster_config config;
    config.server(http::endpoint(tls_ ? "https" : "http", host_, port_));
    if (authority_) config.tls(http::tls_options().ca_pem(authority_->cert_pem()));
    config.token(secret_string(token));
    config.default_namespace("default");
    return config;
}

std::string local_api_server::kubeconfig(const std::string& token, const std::string& name) const {
    return detail::kubeconfig_text(config(), name, token.empty() ? "{}" : "{token: \"" + token + "\"}");
}

result<std::string> local_api_server::kubeconfig_with_certificate(const std::string& user,
                                                                  const std::string& name) const {
    if (!authority_) return error(errc::unavailable, "client certificates need TLS and a started server");
    http::certificate_options names(env_.wall_now());
    names.common_name(user).for_client().not_after(env_.wall_now() + detail::certificates_last);
    auto issued = authority_->issue(names);
    if (!issued) return issued.error();
    return detail::kubeconfig_text(config(), name,
                                   "{client-certificate-data: " + detail::base64(issued->cert_pem) +
                                       ", client-key-data: " + detail::base64(issued->key_pem.reveal()) + "}");
}

result<void> local_api_server::rotate_authority() {
    http::certificate_options names(env_.wall_now());
    names.common_name("local-ca").not_after(env_.wall_now() + detail::certificates_last);
    auto made = http::certificate_authority::create(names);
    if (!made) return made.error();
    authority_.emplace(std::move(*made));
    return {};
}

}  // namespace kcontrol::testing
