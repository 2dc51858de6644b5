// Clusters from ClusterProfiles of a home cluster (multicluster.x-k8s.io): the profile says where the cluster is, the
// program how to log in.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/auth/trust.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Which ClusterProfiles are clusters, and how to log in to them. Without access() there is none that can be used.
/// Source: sigs.k8s.io/cluster-inventory-api, KEP-4322 and KEP-5339.
class cluster_profile_options {
public:
    /// What gives the credentials for that profile's cluster, which is at that server.
    using credential_factory = std::function<std::shared_ptr<auth::credential_provider>(
        const namespaced_name& profile, const auth::cluster_config& server)>;
    /// A program that prints credentials, or a function that makes them.
    using login = std::variant<auth::exec_command, credential_factory>;

    /// Empty: all namespaces; then the clusters' names are "namespace/name".
    cluster_profile_options& in_namespace(std::string ns) { return namespace_ = std::move(ns), *this; }
    /// A label selector, "x-k8s.io/cluster-manager=fleet". Default: every profile.
    cluster_profile_options& selector(std::string s) { return selector_ = std::move(s), *this; }
    /// To clusters that offer the access provider of that name one logs in with that program. It is told the cluster
    /// (KUBERNETES_EXEC_INFO), with what the profile has for it in the extension "client.authentication.k8s.io/exec".
    /// What else the profile wants of a program (arguments, variables) is ignored. Where a profile offers several, the
    /// one that was given here first counts.
    cluster_profile_options& access(std::string provider, auth::exec_command command) {
        return access_.emplace_back(std::move(provider), std::move(command)), *this;
    }
    /// The same with an object of the program: the function is called when the profile's cluster is new, or what is
    /// said of its server has changed. Null is an error of that cluster.
    cluster_profile_options& access(std::string provider, credential_factory make) {
        return access_.emplace_back(std::move(provider), std::move(make)), *this;
    }
    /// A profile is a cluster as soon as its condition ControlPlaneHealthy is True. What becomes of the condition then
    /// changes nothing but the cluster's warning. False: the condition does not count. Default: true.
    cluster_profile_options& wait_for_healthy(bool on) { return wait_for_healthy_ = on, *this; }
    /// What profiles may say beyond an https server and its authority: auth::trust::untrusted.allow(…).
    cluster_profile_options& trust(auth::trust level) { return trust_ = std::move(level), *this; }
    /// The version that the home cluster serves. Default: "v1alpha1"; "v1alpha2" looks the same.
    cluster_profile_options& version(std::string v) { return version_ = std::move(v), *this; }
    /// Told why profiles can't be watched, and what functions throw.
    cluster_profile_options& log(logger l) { return log_ = std::move(l), *this; }

    const std::string& in_namespace() const noexcept { return namespace_; }
    const std::string& selector() const noexcept { return selector_; }
    const std::vector<std::pair<std::string, login>>& access() const noexcept { return access_; }
    bool wait_for_healthy() const noexcept { return wait_for_healthy_; }
    const auth::trust& trust() const noexcept { return trust_; }
    const std::string& version() const noexcept { return version_; }
    const logger& log() const noexcept { return log_; }

private:
    std::string namespace_;
    std::string selector_;
    std::vector<std::pair<std::string, login>> access_;
    bool wait_for_healthy_ = true;
    auth::trust trust_ = auth::trust::untrusted;
    std::string version_ = "v1alpha1";
    logger log_;
};

/// Watches the profiles. One that was added, changed or removed is a cluster that engages, rotates or disengages,
/// without touching another. One that can't be used (yet) is a cluster that failed, with the reason; where a good
/// configuration was before, that stays in use, with a warning. While the home cluster can't be reached the clusters
/// stay as they are; before it was reached, nothing is published. A cluster's labels are the profile's.
///
/// Who may write a profile is a stranger: it names no program, no file, no user, and unless trust() allows it no proxy;
/// its server is https, and verified.
///
/// Needs get, list and watch on clusterprofiles there.
///
/// Thread-safety and callbacks: see cluster_source; the executor is a strand or a single-threaded context. Object
/// lifetime: the environment outlives it.
class cluster_profile_source final : public cluster_source {
public:
    /// `home`: the cluster that has the profiles; `transport` makes connections to that one only. Nothing is asked
    /// before start().
    KCONTROL_DECL cluster_profile_source(environment& env, executor ex, auth::cluster_config home,
                                         http::transport_factory transport, cluster_profile_options options);
    KCONTROL_DECL ~cluster_profile_source() override;

    /// Errors: invalid_argument (it runs already; the version is not known), the home cluster's configuration can't be
    /// used.
    KCONTROL_DECL result<void> start(std::function<void(std::vector<desired_cluster>)> on_change) override;
    KCONTROL_DECL void stop() override;

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/cluster_profile_source.ipp>
#endif
