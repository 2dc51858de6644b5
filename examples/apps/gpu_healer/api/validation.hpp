// Which policies are not served, and what those that leave a field out mean.
#pragma once

#include "api/healing_policy.hpp"
#include "api/names.hpp"
#include "api/node_repair.hpp"

#include <string>
#include <vector>

namespace gpu_healer {

/// The first thing that is wrong: field, value, remedy. Empty: nothing. The schema checks the fields by themselves; the
/// sentences of its rules in CEL are here as well, for a server whose definition is older.
std::string check(const healing_policy_spec& spec);

/// spec.triggers; without it, GPUHealthy is False for GPUFailed, and Unknown for DriverHangs and DriverFails.
std::vector<trigger> triggers_of(const healing_policy_spec& spec);

/// The trigger that such a condition fires, or null.
const trigger* fired(const std::vector<trigger>& triggers, std::string_view type, std::string_view status,
                     std::string_view reason);

/// The condition by which a node with this fault is healthy. None: by Ready alone, for a case without a trigger.
std::optional<healthy_condition> healthy_condition_of(const healing_policy_spec& spec, const std::optional<fault>& of);

/// The taint for a reason, which becomes a valid value.
node_taint taint_of(const taint_spec& spec, std::string_view reason);

/// The UUIDs of GPUs and MIG devices in a condition's message, each once.
std::vector<std::string> gpus_in(std::string_view message);

/// Whether all {words} are known; gives the first that is not.
std::string unknown_word(std::string_view text);

}  // namespace gpu_healer
