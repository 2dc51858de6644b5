// What of a document did not survive its way through a type.
#pragma once

#include <kcontrol/json/reader.hpp>

#include <string>
#include <vector>

namespace transcode {

/// The paths of `before` that `after` lacks or shows otherwise. What `after` has besides is no loss. No loss either:
/// nulls, empty objects where `after` has nothing, a number that became the text of a quantity, other spellings of a
/// time, a number or a quantity, and metadata.managedFields.
std::vector<std::string> lost_between(kcontrol::json::node before, kcontrol::json::node after);

}  // namespace transcode
