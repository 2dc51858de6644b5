// Parts of ResourceClaims.
#pragma once

#include <kcontrol/api/resource/v1.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace kcontrol::inline v0_1::scheduling::detail {

inline constexpr std::string_view claim_resource = "resource.k8s.io/ResourceClaim";
inline constexpr std::string_view claim_finalizer = "resource.kubernetes.io/delete-protection";
inline constexpr std::size_t most_users_of_claim = 256;  // the API server refuses more

inline bool is_reserved_for(const api::resource::v1::resource_claim& claim, std::string_view uid) {
    return std::ranges::any_of(claim.status.reserved_for, [&](const auto& each) { return each.uid == uid; });
}

// Whether nobody else uses it.
inline bool is_only_user(const api::resource::v1::resource_claim& claim, std::string_view uid) {
    return std::ranges::all_of(claim.status.reserved_for, [&](const auto& each) { return each.uid == uid; });
}

}  // namespace kcontrol::scheduling::detail
