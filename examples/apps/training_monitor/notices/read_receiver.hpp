// One receiver of the configuration: what kind it is, how it is reached, and how often.
#pragma once

#include <kcontrol/base/result.hpp>

#include "notices/config.hpp"
#include "notices/config_file.hpp"
#include "notices/credential_files.hpp"

#include <vector>

namespace training_monitor::notices {

/// Makes sense of a section of `receivers`, and reads the files that it names. `others` are those that stand above it.
/// Errors: invalid_config, naming the field and what would be right, and no value of a credential's.
kcontrol::result<receiver_config> read_receiver(const credential_files& files, const receiver_section& section,
                                                const std::vector<receiver_config>& others);

}  // namespace training_monitor::notices
