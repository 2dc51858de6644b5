// The version of Kubernetes that the API server for tests is like. scripts/kubernetes.sh writes the numbers.
#pragma once

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

inline constexpr std::string_view kubernetes_minor = "37";
inline constexpr std::string_view kubernetes_previous_minor = "36";

/// As in "v1.37.0+kcontrol".
inline std::string kubernetes_version() { return "v1." + std::string(kubernetes_minor) + ".0+kcontrol"; }

}  // namespace kcontrol::testing::detail
