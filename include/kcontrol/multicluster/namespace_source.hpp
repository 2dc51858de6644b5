// Namespaces of one server as clusters: each is a cluster whose objects are those of the namespace.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <memory>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Which namespaces are clusters. Source: sigs.k8s.io/multicluster-runtime, providers/namespace.
class namespace_source_options {
public:
    /// A label selector, "tenant". Default: every namespace.
    namespace_source_options& selector(std::string s) { return selector_ = std::move(s), *this; }
    /// Told why namespaces can't be watched, and what on_change() throws.
    namespace_source_options& log(logger l) { return log_ = std::move(l), *this; }

    const std::string& selector() const noexcept { return selector_; }
    const logger& log() const noexcept { return log_; }

private:
    std::string selector_;
    logger log_;
};

/// Watches the namespaces: one that is there (and selected) is a cluster of its name, with its labels, at the home
/// cluster's server and with its login. What is scoped to the namespace: caches and controllers, which see its objects
/// alone, whatever multicluster_options::namespaces() says, and client::default_namespace(). What is not: what the
/// client is asked for by name, and kinds that belong to no namespace, which every one of these clusters sees whole.
/// Nobody's rights change: to keep namespaces apart is the server's business.
///
/// A namespace that is being deleted is a cluster until it is gone, so that controllers remove their finalizers. Each
/// cluster has its own connections and watches: a hundred namespaces are a hundred watches of each kind.
///
/// While the home cluster can't be reached the clusters stay as they are; before it was reached, nothing is published.
/// Needs get, list and watch on namespaces there.
///
/// Thread-safety and callbacks: see cluster_source; the executor is a strand or a single-threaded context. Object
/// lifetime: the environment outlives it.
class namespace_source final : public cluster_source {
public:
    /// `home`: the server, and whom all clusters log in as; `transport` makes the connections that watch the
    /// namespaces. Nothing is asked before start().
    KCONTROL_DECL namespace_source(environment& env, executor ex, auth::cluster_config home,
                                   http::transport_factory transport, namespace_source_options options = {});
    KCONTROL_DECL ~namespace_source() override;

    /// Errors: invalid_argument (it runs already), the home cluster's configuration can't be used.
    KCONTROL_DECL result<void> start(std::function<void(std::vector<desired_cluster>)> on_change) override;
    KCONTROL_DECL void stop() override;

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/namespace_source.ipp>
#endif
