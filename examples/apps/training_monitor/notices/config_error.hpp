// How errors of the configuration are worded.
#pragma once

#include <kcontrol/base/result.hpp>

#include <string>
#include <utility>
#include <vector>

namespace training_monitor::notices {

inline kcontrol::error bad_config(std::string text) {
    return kcontrol::error(kcontrol::errc::invalid_config, std::move(text));
}

}  // namespace training_monitor::notices
