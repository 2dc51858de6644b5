// What is known about a cluster and its kinds, as plain values; and how a cluster's state follows from its kinds'.
#pragma once

#include <kcontrol/cache/informer.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

enum class cluster_state {
    connecting,   ///< not every kind has been listed yet
    live,         ///< every kind that is installed is up to date
    degraded,     ///< some kinds are up to date, others are not
    unreachable,  ///< the server does not answer; tried again with backoff
    failed,       ///< no credentials, no trust, no usable configuration, or on_engage() threw
};

KCONTROL_DECL std::string_view to_string(cluster_state) noexcept;

/// One kind in one cluster.
class kind_status {
public:
    group_version_kind gvk;    ///< the version that is watched, where the cluster serves one of several
    informer_status informer;  ///< its informers in the cluster as one, in however many namespaces
};

/// One cluster.
class cluster_status {
public:
    std::string name;  ///< as its source says it
    /// What follows from its kinds, unless it could not be engaged.
    cluster_state state = cluster_state::connecting;
    std::string reason;                     ///< why it is not live; also a warning beside a live one
    std::string server;                     ///< the URL of the configuration in use; empty before there was one
    std::uint64_t generation = 0;           ///< counts configurations that were put to use
    std::optional<wall_time> last_sync;     ///< when the server was last heard
    std::vector<kind_status> kinds;         ///< those of the options, in their order, then what else controllers watch
    std::uint64_t callback_exceptions = 0;  ///< times one of the options' functions threw, about this cluster
    std::string last_callback_exception;    ///< which did last, and what
};

/// The state and reason that follow from the kinds.
KCONTROL_DECL std::pair<cluster_state, std::string> derive_cluster_state(const std::vector<kind_status>& kinds);

/// Equal in all that readers see, the time of the last sign of life aside.
KCONTROL_DECL bool equal_ignoring_times(const cluster_status& a, const cluster_status& b);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/cluster_status.ipp>
#endif
