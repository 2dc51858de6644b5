#pragma once

#include <kcontrol/testing/local_api_server.hpp>

namespace kcontrol::testing {
namespace detail {

// RFC 4648 §4, with padding: what the -data fields of a kubeconfig hold.
inline std::string base64(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    std::uint32_t bits = 0;
    int have = 0;
    for (const char c : bytes) {
        bits = (bits << 8) | static_cast<unsigned char>(c);
        for (have += 8; have >= 6; have -= 6) out.push_back(digits[(bits >> (have - 6)) & 63]);
    }
    if (have > 0) out.push_back(digits[(bits << (6 - have)) & 63]);
    while (out.size() % 4 != 0) out.push_back('=');
    return out;
}

inline std::string kubeconfig_text(const auth::cluster_config& config, const std::string& name,
                                   const std::string& user) {
    std::string text = "apiVersion: v1\nkind: Config\nclusters:\n- name: " + name +
                       "\n  cluster:\n    server: " + config.server().scheme + "://" + config.server().host + ":" +
                       std::to_string(config.server().port) + "\n";
    if (!config.tls().ca_pem().empty())
        text += "    certificate-authority-data: " + base64(config.tls().ca_pem()) + "\n";
    text += "users:\n- name: " + name + "\n  user: " + user + "\n";
    return text + "contexts:\n- name: " + name + "\n  context: {cluster: " + name + ", user: " + name +
           ", namespace: default}\ncurrent-context: " + name + "\n";
}

}  // namespace detail

KCONTROL_DECL local_api_server::local_api_server(environment& env, executor ex, api_server_options options, bool tls,
                                                 logger log)
    : env_(env),
      tls_(tls),
      api_(env, ex, std::move(options)),
      server_(env, ex, api_.handler(),
              http::server_options().max_connections(10'000).max_buffered_bytes(std::size_t{4} << 30), std::move(log)) {
}

KCONTROL_DECL result<void> local_api_server::start(std::uint16_t port) {
    std::optional<http::server_tls> tls;
    if (tls_) {
        if (!authority_) {
            auto made = rotate_authority();
            if (!made) return made;
        }
        http::certificate_options names(env_.wall_now());
        names.common_name("kube-apiserver").dns("localhost").ip("127.0.0.1");
        auto issued = authority_->issue(names);
        if (!issued) return issued.error();
        tls.emplace(issued->cert_pem, issued->key_pem);
        tls->client_ca_pem(authority_->cert_pem());
    }
    auto listening = server_.listen(http::listen_address("127.0.0.1", port == 0 ? port_ : port), std::move(tls));
    if (!listening) return listening;
    port_ = server_.local_port();
    server_.start();
    return {};
}

KCONTROL_DECL awaitable<void> local_api_server::stop() {
    api_.end_watches();
    co_await server_.stop();
}

KCONTROL_DECL auth::cluster_config local_api_server::config(const std::string& token) const {
    auth::cluster_config config;
    config.server(http::endpoint(tls_ ? "https" : "http", "127.0.0.1", port_));
    if (authority_) config.tls(http::tls_options().ca_pem(authority_->cert_pem()));
    config.token(secret_string(token));
    config.default_namespace("default");
    return config;
}

KCONTROL_DECL std::string local_api_server::kubeconfig(const std::string& token, const std::string& name) const {
    return detail::kubeconfig_text(config(), name, token.empty() ? "{}" : "{token: \"" + token + "\"}");
}

KCONTROL_DECL result<std::string> local_api_server::kubeconfig_with_certificate(const std::string& user,
                                                                                const std::string& name) const {
    if (!authority_) return error(errc::unavailable, "client certificates need TLS and a started server");
    auto issued = authority_->issue(http::certificate_options(env_.wall_now()).common_name(user).for_client());
    if (!issued) return issued.error();
    return detail::kubeconfig_text(config(), name,
                                   "{client-certificate-data: " + detail::base64(issued->cert_pem) +
                                       ", client-key-data: " + detail::base64(issued->key_pem.reveal()) + "}");
}

KCONTROL_DECL result<void> local_api_server::rotate_authority() {
    auto made = http::certificate_authority::create(http::certificate_options(env_.wall_now()).common_name("local-ca"));
    if (!made) return made.error();
    authority_.emplace(std::move(*made));
    return {};
}

}  // namespace kcontrol::testing
