// gang_claim: what a pod says of the gang that it belongs to.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::scheduling {

/// Where a gang's minimum is written.
enum class gang_source : std::uint8_t {
    annotations,    ///< in annotations of its pods; label scheduling.kcontrol.dev/gang
    pod_group,      ///< PodGroup of scheduling.k8s.io; spec.schedulingGroup.podGroupName
    x_pod_group,    ///< PodGroup of scheduling.x-k8s.io; label scheduling.x-k8s.io/pod-group
    volcano_group,  ///< PodGroup of scheduling.volcano.sh; annotation scheduling.k8s.io/group-name
};

/// Which gang: a name is unique in its namespace among the gangs of one source.
struct gang_id {
    std::string namespace_;                         ///< of its pods
    std::string name;                               ///< of the gang, or of its PodGroup
    gang_source source = gang_source::annotations;  ///< where its minimum is written

    friend auto operator<=>(const gang_id&, const gang_id&) = default;
};

/// How many pods a gang needs, and how long it may be without them.
struct gang_terms {
    std::int32_t minimum = 1;                    ///< fewer pods than that run only until `timeout` is over
    duration timeout = std::chrono::minutes(5);  ///< how long some of its pods may be bound without the others

    friend bool operator==(const gang_terms&, const gang_terms&) = default;
};

/// The gang of a pod, and its terms where the pod has them itself.
struct gang_claim {
    gang_id gang;                     ///< which gang
    std::optional<gang_terms> terms;  ///< of source annotations only
    /// What is wrong with it, or empty: pod, field and value. A gang-size must be a number from 1 on, a gang-timeout a
    /// positive duration.
    std::string wrong;

    friend bool operator==(const gang_claim&, const gang_claim&) = default;
};

/// The gang that a pod belongs to, or none. Of several sources the first in the order of gang_source counts.
KCONTROL_DECL std::optional<gang_claim> gang_claim_of(const api::core::v1::pod& pod);

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/gang_claim.ipp>
#endif
