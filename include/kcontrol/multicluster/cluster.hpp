// One engaged cluster: its client and its informers, on a strand of their own, rebuilt when its configuration changes.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/multicluster/cluster_status.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kcontrol {

/// A kind to watch. Where a cluster serves one of several versions, the first one served counts; the others are tried
/// again when that one vanishes.
class kind_choice {
public:
    explicit kind_choice(const resource_info& only) : versions{&only} {}
    kind_choice(const resource_info& first, const resource_info& second) : versions{&first, &second} {}

    std::vector<const resource_info*> versions;
};

/// What every cluster does, and whom it tells.
class cluster_options {
public:
    std::vector<kind_choice> kinds;
    std::vector<std::string> namespaces;  ///< empty: all
    informer_options informer;
    http::transport_factory transport;
    logger log;
    /// An object changed; on the cluster's strand.
    std::function<void(const std::string& cluster, const resource_info&, const any_event&)> on_event;
    /// The status changed: at once for a state, within a second for a count, within some ten seconds for the time of
    /// the last sign of life; on the cluster's strand.
    std::function<void(const cluster_status&)> on_status;
};

/// One cluster. All its work happens on `strand`.
///
/// Thread-safety: shared objects unsafe; every call belongs to the strand.
/// Cancellation: stop() ends this cluster's requests and nothing else's.
/// Object lifetime: destruction stops it; options' functions are not called afterwards.
class cluster {
public:
    KCONTROL_DECL cluster(environment& env, executor strand, std::string name,
                          std::shared_ptr<const cluster_options> options);
    KCONTROL_DECL ~cluster();
    cluster(const cluster&) = delete;
    cluster& operator=(const cluster&) = delete;

    /// Connects, or rebuilds the informers if the configuration differs; caches and handlers stay.
    KCONTROL_DECL void apply(const auth::cluster_config& config, std::string warning);

    /// There is no usable configuration.
    KCONTROL_DECL void fail(const error& why);

    KCONTROL_DECL awaitable<void> stop();

    KCONTROL_DECL cluster_status status() const;

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/cluster.ipp>
#endif
