// From a kubeconfig's cluster and user to a cluster_config: reads files, refuses what is unsafe or not supported.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/auth/detail/kubeconfig_file.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::auth::detail {

/// Collects one cluster_config. Messages begin with the file, then the cluster or user, then the field.
class resolver {
public:
    resolver(environment& env, std::string origin, bool untrusted)
        : env_(env), origin_(std::move(origin)), untrusted_(untrusted) {}

    KCONTROL_DECL std::optional<error> take_cluster(const std::string& name, const kubeconfig_cluster& cluster);
    KCONTROL_DECL std::optional<error> take_user(const std::string& name, const kubeconfig_user& user);
    KCONTROL_DECL result<cluster_config> finish(const std::string& default_namespace);

private:
    // The PEM text of a pair of fields, data before path.
    KCONTROL_DECL result<std::string> pem(std::string_view field, std::string_view data, const std::string& path);
    KCONTROL_DECL std::optional<error> refuse_path(std::string_view field, const std::string& path) const;
    KCONTROL_DECL error bad(std::string_view field, std::string_view what) const;
    KCONTROL_DECL std::string beside_origin(const std::string& path) const;

    environment& env_;
    std::string origin_;
    bool untrusted_;
    std::string where_;
    http::tls_options tls_;
    cluster_config out_;
};

}  // namespace kcontrol::auth::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/auth/impl/resolve.ipp>
#endif
