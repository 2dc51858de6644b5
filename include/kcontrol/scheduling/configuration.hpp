// The configuration of a scheduler: which profiles it has, and the plugins of each.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/scheduling/configuration_part.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// A plugin of a profile.
struct plugin_configuration {
    std::string name;                    ///< such as "NodeResourcesFit"
    std::optional<std::int64_t> weight;  ///< of its scores; absent: that of the plugin
    configuration_part args;             ///< its settings, or none
    configuration_part part;             ///< all of it, for messages
};

/// The pods with one spec.schedulerName, and how they are scheduled.
struct profile_configuration {
    std::string scheduler_name;                     ///< of the pods
    std::int32_t percentage_of_nodes_to_score = 0;  ///< 0: kube-scheduler's rule
    /// In the order of their calls; absent: all default ones.
    std::optional<std::vector<plugin_configuration>> plugins;
};

/// What a configuration file says. `profiles` is not empty, unless the program has further keys.
struct scheduler_configuration {
    configuration_part file;                      ///< all of it
    std::vector<profile_configuration> profiles;  ///< in the order of the file
};

/// Reads a configuration file, YAML such as:
///
///     profiles:
///     - schedulerName: packing
///       percentageOfNodesToScore: 50
///       plugins:
///       - name: NodeResourcesFit
///         weight: 5
///         args: {scoringStrategy: {type: MostAllocated}}
///
/// `file` is how messages name it; `is_plugin` says which plugins there are. What the plugins make of their args is
/// theirs to check. `further_keys` are those of the program, beside which `profiles` may be absent. Errors:
/// invalid_config, `FILE:LINE: …`, for an unknown plugin or key, a weight or percentage out of its range, a plugin or
/// profile that is there twice, and a file without a profile.
KCONTROL_DECL result<scheduler_configuration> parse_configuration(
    std::string file, std::string_view text, const std::function<bool(std::string_view)>& is_plugin,
    const std::vector<std::string>& further_keys = {});

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/configuration.ipp>
#endif
