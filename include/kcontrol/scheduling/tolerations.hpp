// Which taints of nodes a pod tolerates.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/values/list.hpp>

#include <string_view>

namespace kcontrol::inline v0_1::scheduling {

/// Whether a toleration tolerates a taint. An empty effect means all effects, and an empty key all keys. The operator
/// is Equal if absent; Exists tolerates any value. Gt tolerates values greater than the toleration's, and Lt smaller
/// ones; both must be integers (feature gate TaintTolerationComparisonOperators of the API server, off in 1.36). Other
/// operators tolerate nothing.
KCONTROL_DECL bool tolerates(const api::core::v1::toleration& toleration, const api::core::v1::taint& taint);

/// Whether one of them does.
KCONTROL_DECL bool tolerates(const list<api::core::v1::toleration>& tolerations, const api::core::v1::taint& taint);

/// Whether a taint keeps pods away that do not tolerate it: effect NoSchedule or NoExecute.
KCONTROL_DECL bool keeps_pods_away(const api::core::v1::taint& taint) noexcept;

/// The first taint of a node that keeps the pod away, or null.
KCONTROL_DECL const api::core::v1::taint* untolerated_taint(const api::core::v1::node& node,
                                                            const api::core::v1::pod& pod);

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/tolerations.ipp>
#endif
