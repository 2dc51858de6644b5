#pragma once

#include <kcontrol/auth/detail/resolve.hpp>
#include <kcontrol/auth/detail/token_text.hpp>
#include <kcontrol/auth/plaintext.hpp>
#include <kcontrol/base/base64.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/http/proxy_rules.hpp>
#include <kcontrol/http/url.hpp>

namespace kcontrol::inline v0_1::auth::detail {

KCONTROL_DECL error resolver::bad(std::string_view field, std::string_view what) const {
    return error(errc::invalid_config, where_ + ": " + std::string(field) + ": " + std::string(what));
}

KCONTROL_DECL std::string resolver::beside_origin(const std::string& path) const {
    const auto slash = at_.file.rfind('/');
    if (path.front() == '/' || slash == std::string::npos) return path;
    return at_.file.substr(0, slash + 1) + path;
}

// An untrusted author who may name files could make this process send one of them to a server of theirs.
KCONTROL_DECL std::optional<error> resolver::refuse_path(std::string_view field, const std::string& path) const {
    if (path.empty() || allows(kubeconfig_feature::files)) return std::nullopt;
    return bad(field, "an untrusted kubeconfig may not name files (\"" + escape_control(path.substr(0, 200)) +
                          "\"): put the content itself into the kubeconfig");
}

// Which of the two was meant nobody can know. Source: client-go, clientcmd/validation.go.
KCONTROL_DECL std::optional<error> resolver::refuse_both(std::string_view field, std::string_view data,
                                                         const std::string& path) const {
    if (data.empty() || path.empty()) return std::nullopt;
    return bad(std::string(field) + "-data", "there is " + std::string(field) + " (\"" +
                                                 escape_control(path.substr(0, 200)) +
                                                 "\"), too, and only one of them can be used: remove one");
}

KCONTROL_DECL result<std::string> resolver::pem(std::string_view field, std::string_view data, const std::string& path,
                                                std::string& read_from) {
    if (auto refused = refuse_path(field, path)) return *refused;
    if (auto refused = refuse_both(field, data, path)) return *refused;
    if (!data.empty()) {
        auto text = decode_base64(data);
        const std::string data_field = std::string(field) + "-data";
        if (!text) return bad(data_field, "not base64; it is the PEM file encoded by `base64 -w0`");
        if (text->empty()) return bad(data_field, "empty");
        return std::move(*text);
    }
    if (path.empty()) return std::string();
    read_from = beside_origin(path);
    auto text = env_.read_file(read_from, max_credential_bytes);
    if (!text) return text.error().with_context(where_ + ": " + std::string(field));
    if (text->empty()) return bad(field, "the file " + read_from + " is empty");
    return text;
}

// The file's own, or else the environment's.
KCONTROL_DECL std::optional<error> resolver::take_proxy(const kubeconfig_cluster& cluster) {
    http::endpoint to = out_.server();
    if (!cluster.proxy_url.empty()) {
        auto parsed = http::parse_proxy_url(cluster.proxy_url.reveal());
        if (!parsed) return bad("proxy-url", parsed.error().message());
        if (!allows(kubeconfig_feature::proxy_url)) {
            return bad("proxy-url", "an untrusted kubeconfig may not choose a proxy (" + parsed->text() +
                                        "): remove it, or allow it where the kubeconfig is read");
        }
        proxy_given_ = std::string(cluster.proxy_url.reveal());
        to.via = std::move(*parsed);
    } else if (allows(kubeconfig_feature::environment_proxy)) {
        const auto rules = http::proxy_rules::from_environment(env_);
        if (!rules) return rules.error();
        to.via = rules->choose(to);
    }
    out_.server(std::move(to));
    return std::nullopt;
}

KCONTROL_DECL std::optional<error> resolver::take_cluster(entry_origin at, const std::string& name,
                                                          const kubeconfig_cluster& cluster) {
    at_ = std::move(at);
    trusted_ = trusted_ && at_.level.is_trusted();
    cluster_file_ = at_.file;
    where_ = resolve_place(at_.file, "cluster", name);
    const bool has_authority = !cluster.ca_data.empty() || !cluster.ca_file.empty();
    if (cluster.insecure && !allows(kubeconfig_feature::insecure_tls)) {
        return bad("insecure-skip-tls-verify",
                   "true: an untrusted kubeconfig may not turn verification off: remove it and give "
                   "certificate-authority-data; if the certificate is for another name, give tls-server-name");
    }
    if (cluster.server.empty()) return bad("server", "empty: write https://host:port");
    auto url = http::parse_base_url(cluster.server);
    if (!url) return bad("server", url.error().message());
    if (cluster.insecure && has_authority && url->endpoint.scheme == "https") {
        return bad("insecure-skip-tls-verify",
                   "true beside certificate-authority: nothing would be verified: remove one of the two");
    }
    server_ = cluster.server;
    out_.server(std::move(url->endpoint)).base_path(std::move(url->path_prefix));
    if (auto refused = take_proxy(cluster)) return refused;
    std::string ca_file;
    auto ca = pem("certificate-authority", cluster.ca_data, cluster.ca_file, ca_file);
    if (!ca) return ca.error();
    files_.ca(std::move(ca_file));
    tls_.server_name(cluster.tls_server_name).ca_pem(std::move(*ca)).insecure(cluster.insecure);
    out_.disable_compression(cluster.disable_compression);
    for (const auto& one : cluster.extensions) {
        if (one.name == "client.authentication.k8s.io/exec") exec_extension_ = std::string(one.extension.text());
    }
    return std::nullopt;
}

// What an exec plugin is told as spec.cluster. Source: client-go, rest.ConfigToExecCluster.
KCONTROL_DECL std::string resolver::cluster_info() const {
    json::writer out;
    out.begin_object();
    out.member("server", server_);
    if (!tls_.server_name().empty()) out.member("tls-server-name", tls_.server_name());
    if (tls_.insecure()) out.member("insecure-skip-tls-verify", true);
    if (!tls_.ca_pem().empty()) out.member("certificate-authority-data", encode_base64(tls_.ca_pem()));
    if (!proxy_given_.empty()) out.member("proxy-url", proxy_given_);
    if (out_.disable_compression()) out.member("disable-compression", true);
    out.key("config");
    if (exec_extension_.empty()) {
        out.null();
    } else {
        out.raw(exec_extension_);
    }
    out.end_object();
    return out.take();
}

// Credentials are for a server that is verified: over plain http anybody on the way could read them. Impersonation is
// no secret, and stays. Source: client-go, DirectClientConfig.ClientConfig().
KCONTROL_DECL void resolver::drop_login() {
    out_.token({}).token_file({}).basic({}, {}).exec(std::nullopt);
    tls_.client_certificate({}, {});
    files_.certificate({}).key({});
    provide_cluster_info_ = false;
}

KCONTROL_DECL result<cluster_config> resolver::finish(const std::string& default_namespace) {
    // The author of an untrusted kubeconfig is not here to wonder why nobody is logged in: an error says it.
    if (!trusted_) {
        out_.tls(tls_);
        if (auto refused = refuse_plaintext(out_)) return refused->with_context(cluster_file_);
    }
    if (!is_https()) drop_login();
    if (provide_cluster_info_) {
        exec_command with = *out_.exec();
        out_.exec(std::move(with.cluster_info(cluster_info())));
    }
    out_.tls(std::move(tls_)).files(std::move(files_)).default_namespace(default_namespace);
    return std::move(out_);
}

}  // namespace kcontrol::auth::detail
