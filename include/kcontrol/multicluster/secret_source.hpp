// Clusters from Secrets of a home cluster: each Secret with a label holds a kubeconfig. Those of people and tools, and
// Cluster API's.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/auth/trust.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <memory>
#include <string>

namespace kcontrol::inline v0_1 {

/// Which Secrets are clusters. The defaults are multicluster-runtime's, whose Secrets can be used as they are.
/// Source: sigs.k8s.io/multicluster-runtime, providers/kubeconfig.
class secret_source_options {
public:
    /// The Secrets that Cluster API makes: "NAME-kubeconfig" of the type cluster.x-k8s.io/secret, labelled with the
    /// cluster's name, which it has here, too; the kubeconfig is in the entry "value". Other Secrets of the cluster,
    /// with certificates, have the same label and type, and are passed over.
    /// Source: sigs.k8s.io/cluster-api/util/kubeconfig.
    static secret_source_options cluster_api() {
        const char* label = "cluster.x-k8s.io/cluster-name";
        secret_source_options out;
        return out.selector(label).type("cluster.x-k8s.io/secret").key("value").named_after(label, "-kubeconfig");
    }

    /// Empty: all namespaces; then the clusters' names are "namespace/name".
    secret_source_options& in_namespace(std::string ns) { return namespace_ = std::move(ns), *this; }
    /// The label must be there with the value "true".
    secret_source_options& label(std::string l) { return label_ = std::move(l), *this; }
    /// Any label selector, in place of label().
    secret_source_options& selector(std::string s) { return selector_ = std::move(s), *this; }
    /// Only Secrets of that type. Default, and empty: of any.
    secret_source_options& type(std::string t) { return type_ = std::move(t), *this; }
    /// A Secret is a cluster only if its name is the label's value and `suffix`; the value is the cluster's name then,
    /// in place of the Secret's name.
    secret_source_options& named_after(std::string label, std::string suffix) {
        return name_label_ = std::move(label), name_suffix_ = std::move(suffix), *this;
    }
    /// The entry of `data` that holds the kubeconfig.
    secret_source_options& key(std::string k) { return key_ = std::move(k), *this; }
    /// Larger kubeconfigs are refused.
    secret_source_options& max_bytes(std::size_t n) { return max_bytes_ = n, *this; }
    /// What these kubeconfigs may say beyond credentials and an https server: auth::trust::untrusted.allow(…).
    secret_source_options& trust(auth::trust level) { return trust_ = std::move(level), *this; }
    /// Told why Secrets can't be watched, and what on_change() throws.
    secret_source_options& log(logger l) { return log_ = std::move(l), *this; }

    const std::string& in_namespace() const noexcept { return namespace_; }
    const std::string& label() const noexcept { return label_; }
    const std::string& selector() const noexcept { return selector_; }
    const std::string& type() const noexcept { return type_; }
    /// That of named_after(). Empty, the default: a cluster is named as its Secret.
    const std::string& name_label() const noexcept { return name_label_; }
    /// That of named_after(), which the Secret's name ends with. Default: none.
    const std::string& name_suffix() const noexcept { return name_suffix_; }
    const std::string& key() const noexcept { return key_; }
    std::size_t max_bytes() const noexcept { return max_bytes_; }
    const auth::trust& trust() const noexcept { return trust_; }
    const logger& log() const noexcept { return log_; }

private:
    std::string namespace_;
    std::string label_ = "sigs.k8s.io/multicluster-runtime-kubeconfig";
    std::string selector_;
    std::string type_;
    std::string name_label_;
    std::string name_suffix_;
    std::string key_ = "kubeconfig";
    std::size_t max_bytes_ = std::size_t{256} << 10;
    auth::trust trust_ = auth::trust::untrusted;
    logger log_;
};

/// The configuration that the bytes of a Secret's entry hold. Who may write a Secret is a stranger: what names files,
/// commands, proxies or other users is refused unless `level` allows it, and so is a server that is not https. `origin`
/// begins every message; messages hold no secret.
/// Errors: invalid_config naming the field, too_large.
KCONTROL_DECL result<auth::cluster_config> parse_secret_kubeconfig(environment& env, std::string_view text,
                                                                   std::string origin, std::size_t max_bytes,
                                                                   auth::trust level = auth::trust::untrusted);

/// Watches the Secrets. A Secret that was added, replaced or removed is a cluster that engages, rotates or disengages,
/// without touching another. One that can't be used is a cluster that failed, with the reason; where a good
/// configuration was before, that stays in use, with a warning. While the home cluster can't be reached the clusters
/// stay as they are; before it was reached, nothing is published.
///
/// Needs get, list and watch on secrets there, best of one namespace of its own.
///
/// Thread-safety and callbacks: see cluster_source; the executor is a strand or a single-threaded context.
class secret_source final : public cluster_source {
public:
    /// `home`: the cluster that has the Secrets; `transport` makes connections to that one only. Nothing is asked
    /// before start(). The environment outlives it.
    KCONTROL_DECL secret_source(environment& env, executor ex, auth::cluster_config home,
                                http::transport_factory transport, secret_source_options options = {});
    KCONTROL_DECL ~secret_source() override;

    /// Errors: invalid_argument (it runs already), the home cluster's configuration can't be used.
    KCONTROL_DECL result<void> start(std::function<void(std::vector<desired_cluster>)> on_change) override;
    KCONTROL_DECL void stop() override;

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/secret_source.ipp>
#endif
