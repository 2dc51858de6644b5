// One rule of the configuration.
#pragma once

#include <kcontrol/base/result.hpp>

#include "notices/config.hpp"
#include "notices/config_file.hpp"

#include <vector>

namespace training_monitor::notices {

/// Makes sense of a section of `rules`, which names some of `receivers`.
/// Errors: invalid_config, naming the field and what would be right.
kcontrol::result<rule> read_rule(const rule_section& section, const std::vector<receiver_config>& receivers);

/// The same of clusters' health.
kcontrol::result<cluster_rule> read_cluster_rule(const cluster_rule_section& section,
                                                 const std::vector<receiver_config>& receivers);

}  // namespace training_monitor::notices
