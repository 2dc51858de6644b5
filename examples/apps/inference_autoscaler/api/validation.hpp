// Which specifications are not served, and the rules of those that name none.
#pragma once

#include "api/inference_scaler.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace inference_autoscaler {

inline constexpr const char* operator_name = "inference-autoscaler";
/// The readiness gate and condition of a pod.
inline constexpr std::string_view warm_condition = "autoscaling.kcontrol.dev/warm";
/// When a scaler is to be woken: written by whoever takes the request, read by whoever leads.
inline constexpr std::string_view wake_annotation = "autoscaling.kcontrol.dev/wake";

/// The first thing that is wrong: field, value, remedy. Empty: nothing. The schema checks the fields by themselves; the
/// sentences of its rules in CEL are here as well, for a file and for a server whose definition is older.
std::string check(const inference_scaler_spec& spec);

/// spec.rules; without any, GPU memory above 92 % for 3 minutes, P95 above 800 ms, and 5 requests that wait.
std::vector<scaling_rule> rules_of(const inference_scaler_spec& spec);

}  // namespace inference_autoscaler
