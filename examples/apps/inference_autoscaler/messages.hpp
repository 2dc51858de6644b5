// Words that errors have in common.
#pragma once

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/base/result.hpp>

#include <string>
#include <utility>

namespace inference_autoscaler {

inline kcontrol::error bad_value(std::string message) {
    return kcontrol::error(kcontrol::errc::invalid_argument, std::move(message));
}

}  // namespace inference_autoscaler
