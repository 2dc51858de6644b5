// The names that the healer gives, and that people write on Nodes and policies.
#pragma once

#include <string_view>

namespace gpu_healer {

inline constexpr const char* operator_name = "gpu-healer";
inline constexpr std::string_view default_taint_key = "kcontrol.dev/gpu-unhealthy";

/// On a Node: a condition's type, which opens no case until it was healthy once. Written after a person has won.
inline constexpr std::string_view overridden_annotation = "healing.kcontrol.dev/overridden";
/// On a Node, by a person: why nothing is done there; the taint stays as it is.
inline constexpr std::string_view hold_annotation = "healing.kcontrol.dev/hold";
/// On a Node, by a person: "true" opens no case.
inline constexpr std::string_view exempt_annotation = "healing.kcontrol.dev/exempt";
/// On a policy, by a person: as many ill nodes more as the breaker's limit are admitted.
inline constexpr std::string_view reset_annotation = "healing.kcontrol.dev/reset-breaker";
/// On a NodeRepair: the taint goes before it does.
inline constexpr std::string_view taint_finalizer = "healing.kcontrol.dev/taint";
/// On a TrainingJob: another value restarts its gang.
inline constexpr std::string_view restart_annotation = "ai.kcontrol.dev/restart";

}  // namespace gpu_healer
