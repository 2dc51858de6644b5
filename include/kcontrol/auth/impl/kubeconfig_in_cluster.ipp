#pragma once

#include <kcontrol/auth/detail/token_text.hpp>
#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/http/proxy_rules.hpp>
#include <kcontrol/http/url.hpp>

namespace kcontrol::inline v0_1::auth {

namespace detail {

inline constexpr const char* service_account_folder = "/var/run/secrets/kubernetes.io/serviceaccount/";

// The namespace of the pod that this runs in, or empty.
inline std::string pod_namespace(environment& env) {
    if (auto given = env.variable("POD_NAMESPACE"); given && !given->empty()) return std::move(*given);
    const auto text = env.read_file(std::string(service_account_folder) + "namespace", max_credential_bytes);
    return text ? std::string(token_in(*text)) : std::string();
}

}  // namespace detail

KCONTROL_DECL result<cluster_config> in_cluster_config(environment& env) {
    // Where every kubelet mounts it; there is no variable for it.
    const std::string folder = detail::service_account_folder;
    const std::string host = env.variable("KUBERNETES_SERVICE_HOST").value_or("");
    const std::string port = env.variable("KUBERNETES_SERVICE_PORT").value_or("");
    if (host.empty() || port.empty()) {
        return error(errc::invalid_config,
                     "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: this process does not run in a "
                     "pod; give a kubeconfig");
    }
    const bool ipv6 = host.find(':') != std::string::npos;
    auto url = http::parse_base_url("https://" + (ipv6 ? "[" + host + "]" : host) + ":" + port);
    if (!url) return error(errc::invalid_config, "KUBERNETES_SERVICE_HOST and PORT: " + url.error().message());
    if (!url->path_prefix.empty()) {
        return error(errc::invalid_config, "KUBERNETES_SERVICE_HOST and PORT: a host and a number are expected");
    }
    cluster_config out(std::move(url->endpoint));
    out.token_file(folder + "token");
    if (auto token = detail::read_token_file(env, out.token_file()); !token) {
        return token.error().with_context("service account");
    }
    auto ca = env.read_file(folder + "ca.crt", detail::max_credential_bytes);
    if (!ca) return ca.error().with_context("service account");
    if (ca->empty()) return error(errc::file_failed, "service account: " + folder + "ca.crt is empty");
    out.tls(http::tls_options().ca_pem(std::move(*ca))).files(tls_files().ca(folder + "ca.crt"));
    out.default_namespace(detail::pod_namespace(env));
    const auto rules = http::proxy_rules::from_environment(env);
    if (!rules) return rules.error();
    http::endpoint to = out.server();
    to.via = rules->choose(to);
    return out.server(std::move(to));
}

}  // namespace kcontrol::auth
