#pragma once

#include <kcontrol/watch/options.hpp>

namespace kcontrol::inline v0_1 {

// client-go's feature WatchListClient is beta, and on, since Kubernetes 1.35; the servers' WatchList since 1.34.
KCONTROL_DECL bool reflector_policy::streams_by_default() noexcept { return false; }

}  // namespace kcontrol
