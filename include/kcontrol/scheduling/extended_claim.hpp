// extended_claim: the ResourceClaim that a scheduler makes for extended resources that DeviceClasses stand for.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/resource/v1.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace kcontrol::inline v0_1::scheduling {

/// Such a claim, with one request for each container and resource. An init container that ends before the others uses
/// their devices, and more only where it needs more.
///
/// Its name is "<extended-resources of POD>", which no claim of the API server has. Source:
/// https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#extended-resource
struct extended_claim {
    std::shared_ptr<const api::resource::v1::resource_claim> object;  ///< it has an owner, the pod, and no version
    /// For status.extendedResourceClaimStatus: which request has the devices of a container.
    list<api::core::v1::container_extended_resource_request> mappings;

    /// The DeviceClass that stands for an extended resource, or null.
    using class_function =
        std::function<std::shared_ptr<const api::resource::v1::device_class>(std::string_view resource)>;
    /// The claim for the resources of the pod that have a class; null: there are none.
    static KCONTROL_DECL std::shared_ptr<const extended_claim> of(const api::core::v1::pod& pod,
                                                                  const class_function& class_of);
    /// The uid of the pod for which such a claim was made; empty: it is another claim.
    static KCONTROL_DECL std::string_view pod_of(const api::resource::v1::resource_claim& claim);
    /// Whether the API server does not have it yet.
    static bool is_draft(const api::resource::v1::resource_claim& claim) {
        return claim.metadata.name.view().starts_with('<');
    }
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/extended_claim.ipp>
#endif
