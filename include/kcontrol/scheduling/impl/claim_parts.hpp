// Parts of ResourceClaims.
#pragma once

#include <kcontrol/api/resource/v1.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace kcontrol::inline v0_1::scheduling::detail {

inline constexpr std::string_view claim_resource = "resource.k8s.io/ResourceClaim";
inline constexpr std::string_view claim_finalizer = "resource.kubernetes.io/delete-protection";
inline constexpr std::string_view implicit_resource_prefix = "deviceclass.resource.kubernetes.io/";
inline constexpr std::size_t most_users_of_claim = 256;  // the API server refuses more

inline bool is_reserved_for(const api::resource::v1::resource_claim& claim, std::string_view uid) {
    return std::ranges::any_of(claim.status.reserved_for, [&](const auto& each) { return each.uid == uid; });
}

// Whether two claims for extended resources ask for the same devices.
inline bool has_same_requests(const api::resource::v1::resource_claim& a, const api::resource::v1::resource_claim& b) {
    return std::ranges::equal(a.spec.devices.requests, b.spec.devices.requests, [](const auto& x, const auto& y) {
        return x.name == y.name && x.exactly && y.exactly &&
               x.exactly->device_class_name == y.exactly->device_class_name && x.exactly->count == y.exactly->count;
    });
}

// Whether nobody else uses it.
inline bool is_only_user(const api::resource::v1::resource_claim& claim, std::string_view uid) {
    return std::ranges::all_of(claim.status.reserved_for, [&](const auto& each) { return each.uid == uid; });
}

}  // namespace kcontrol::scheduling::detail
