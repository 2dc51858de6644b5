// Words that errors have in common.
#pragma once

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/base/result.hpp>

#include <string>
#include <utility>

namespace follow {

using kcontrol::in_quotes;

inline kcontrol::error bad_argument(std::string message) {
    return kcontrol::error(kcontrol::errc::invalid_argument, std::move(message));
}

}  // namespace follow
