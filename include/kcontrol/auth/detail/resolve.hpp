// From a kubeconfig's cluster and user to a cluster_config: reads files, refuses what is unsafe or not supported.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/auth/detail/kubeconfig_file.hpp>
#include <kcontrol/auth/trust.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::auth::detail {

/// Where an entry stands.
struct entry_origin {
    entry_origin(std::string f, trust l) : file(std::move(f)), level(std::move(l)) {}
    std::string file;
    trust level;
};

/// How a message names an entry of a file.
inline std::string resolve_place(const std::string& origin, std::string_view what, const std::string& name) {
    return origin + ": " + std::string(what) + " \"" + escape_control(name) + "\"";
}

/// Collects one cluster_config. Messages begin with the file, then the cluster or user, then the field.
class resolver {
public:
    explicit resolver(environment& env) : env_(env) {}

    KCONTROL_DECL std::optional<error> take_cluster(entry_origin at, const std::string& name,
                                                    const kubeconfig_cluster& cluster);
    KCONTROL_DECL std::optional<error> take_user(entry_origin at, const std::string& name, const kubeconfig_user& user);
    KCONTROL_DECL result<cluster_config> finish(const std::string& default_namespace);

private:
    // The PEM text of a field and its -data, of which one may be there. A path that was read is put into `read_from`.
    KCONTROL_DECL result<std::string> pem(std::string_view field, std::string_view data, const std::string& path,
                                          std::string& read_from);
    KCONTROL_DECL std::optional<error> refuse_both(std::string_view field, std::string_view data,
                                                   const std::string& path) const;
    KCONTROL_DECL std::optional<error> refuse_path(std::string_view field, const std::string& path) const;
    KCONTROL_DECL std::optional<error> take_proxy(const kubeconfig_cluster& cluster);
    KCONTROL_DECL std::optional<error> take_impersonation(const kubeconfig_user& user);
    KCONTROL_DECL std::optional<error> take_certificate(const kubeconfig_user& user);
    KCONTROL_DECL std::optional<error> take_token(const kubeconfig_user& user);
    KCONTROL_DECL std::optional<error> refuse_exec(const kubeconfig_user& user) const;
    KCONTROL_DECL std::optional<error> take_exec(const kubeconfig_exec& exec);
    KCONTROL_DECL result<std::string> program_path(const std::string& command) const;
    KCONTROL_DECL std::string cluster_info() const;
    KCONTROL_DECL error bad(std::string_view field, std::string_view what) const;
    KCONTROL_DECL std::string beside_origin(const std::string& path) const;
    KCONTROL_DECL void drop_login();
    bool is_https() const noexcept { return out_.server().scheme == "https"; }
    bool allows(kubeconfig_feature one) const noexcept { return at_.level.allows(one); }

    environment& env_;
    entry_origin at_{{}, trust::trusted};
    std::string where_;
    std::string cluster_file_;
    std::string server_;       // as it is written
    std::string proxy_given_;  // likewise: a secret
    std::string exec_extension_;
    bool provide_cluster_info_ = false;
    bool trusted_ = true;  // all entries are
    http::tls_options tls_;
    tls_files files_;
    cluster_config out_;
};

}  // namespace kcontrol::auth::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/auth/impl/resolve.ipp>
#include <kcontrol/auth/impl/resolve_user.ipp>
#endif
