// The annotation of a Lease that has its leader's address.
#pragma once

#include <kcontrol/config.hpp>

#include <string_view>

namespace kcontrol::inline v0_1::service {

/// Who leads writes it (lead.hpp), and who follows reads it (leader_follower.hpp). Its value is HOST:PORT, or what
/// those programs agree on.
inline constexpr std::string_view address_annotation = "service.kcontrol.dev/address";

}  // namespace kcontrol::service
