#pragma once

#include <kcontrol/auth/detail/resolve.hpp>
#include <kcontrol/auth/detail/token_text.hpp>
#include <kcontrol/auth/plaintext.hpp>
#include <kcontrol/base/base64.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/http/url.hpp>

#include <array>

namespace kcontrol::auth::detail {

inline std::string resolve_place(const std::string& origin, std::string_view what, const std::string& name) {
    return origin + ": " + std::string(what) + " \"" + escape_control(name) + "\"";
}

KCONTROL_DECL error resolver::bad(std::string_view field, std::string_view what) const {
    return error(errc::invalid_config, where_ + ": " + std::string(field) + ": " + std::string(what));
}

KCONTROL_DECL std::string resolver::beside_origin(const std::string& path) const {
    const auto slash = origin_.rfind('/');
    if (path.front() == '/' || slash == std::string::npos) return path;
    return origin_.substr(0, slash + 1) + path;
}

// An untrusted author who may name files could make this process send one of them to a server of theirs.
KCONTROL_DECL std::optional<error> resolver::refuse_path(std::string_view field, const std::string& path) const {
    if (!untrusted_ || path.empty()) return std::nullopt;
    return bad(field, "an untrusted kubeconfig may not name files: put the content itself into the kubeconfig");
}

KCONTROL_DECL result<std::string> resolver::pem(std::string_view field, std::string_view data,
                                                const std::string& path) {
    if (auto refused = refuse_path(field, path)) return *refused;
    if (!data.empty()) {
        auto text = decode_base64(data);
        const std::string data_field = std::string(field) + "-data";
        if (!text) return bad(data_field, "not base64; it is the PEM file encoded by `base64 -w0`");
        if (text->empty()) return bad(data_field, "empty");
        return std::move(*text);
    }
    if (path.empty()) return std::string();
    auto text = env_.read_file(beside_origin(path), max_credential_bytes);
    if (!text) return text.error().with_context(where_ + ": " + std::string(field));
    if (text->empty()) return bad(field, "the file " + beside_origin(path) + " is empty");
    return text;
}

KCONTROL_DECL std::optional<error> resolver::take_cluster(const std::string& name, const kubeconfig_cluster& cluster) {
    where_ = resolve_place(origin_, "cluster", name);
    if (cluster.insecure) {
        return bad("insecure-skip-tls-verify",
                   "certificates are always verified: remove it and give certificate-authority-data; if the "
                   "certificate is for another name, give tls-server-name");
    }
    if (!cluster.proxy_url.empty()) return bad("proxy-url", "not supported yet: remove it");
    if (cluster.server.empty()) return bad("server", "empty: write https://host:port");
    auto url = http::parse_base_url(cluster.server);
    if (!url) return bad("server", url.error().message());
    out_.server(std::move(url->endpoint)).base_path(std::move(url->path_prefix));
    auto ca = pem("certificate-authority", cluster.ca_data, cluster.ca_file);
    if (!ca) return ca.error();
    tls_.server_name(cluster.tls_server_name).ca_pem(std::move(*ca));
    return std::nullopt;
}

KCONTROL_DECL std::optional<error> resolver::take_user(const std::string& name, const kubeconfig_user& user) {
    where_ = resolve_place(origin_, "user", name);
    struct unsupported {
        std::string_view field;
        bool there;
        std::string_view remedy;
    };
    constexpr std::string_view other = "not supported yet: use a client certificate, token or tokenFile";
    constexpr std::string_view self = "impersonation is not supported yet: remove it";
    const std::array<unsupported, 8> refused{{{"exec", user.exec.there, other},
                                              {"auth-provider", user.auth_provider.there, other},
                                              {"username", user.username.there, other},
                                              {"password", user.password.there, other},
                                              {"as", user.as.there, self},
                                              {"as-uid", user.as_uid.there, self},
                                              {"as-groups", user.as_groups.there, self},
                                              {"as-user-extra", user.as_user_extra.there, self}}};
    for (const auto& one : refused) {
        if (one.there) return bad(one.field, one.remedy);
    }
    auto certificate = pem("client-certificate", user.certificate_data, user.certificate_file);
    if (!certificate) return certificate.error();
    auto key = pem("client-key", user.key_data.reveal(), user.key_file);
    if (!key) return key.error();
    if (certificate->empty() != key->empty()) {
        return key->empty() ? bad("client-key", "missing beside client-certificate")
                            : bad("client-certificate", "missing beside client-key");
    }
    tls_.client_certificate(std::move(*certificate), secret_string(std::move(*key)));

    const auto token = token_in(user.token.reveal());
    if (token.empty() && !user.token.empty()) return bad("token", "holds something else than visible ASCII");
    out_.token(secret_string(std::string(token)));
    if (user.token_file.empty()) return std::nullopt;
    if (auto path = refuse_path("tokenFile", user.token_file)) return path;
    out_.token_file(beside_origin(user.token_file));
    // token_source reads it again; here it is read only to report early what is wrong.
    const auto first = read_token_file(env_, out_.token_file());
    if (!first && token.empty()) return first.error().with_context(where_ + ": tokenFile");
    return std::nullopt;
}

KCONTROL_DECL result<cluster_config> resolver::finish(const std::string& default_namespace) {
    out_.tls(std::move(tls_)).default_namespace(default_namespace);
    if (auto refused = refuse_plaintext(out_)) return refused->with_context(origin_);
    return std::move(out_);
}

}  // namespace kcontrol::auth::detail
