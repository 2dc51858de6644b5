// Who gets a notice, and how the rule that chose them wants it told.
#pragma once

#include "notices/quiet_hours.hpp"
#include "notices/severity.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace training_monitor::notices {

/// What a rule says of its notices beside whom they go to.
struct rule_manner {
    std::optional<severity> level;  ///< nothing: as what it is about deserves
    std::string runbook;            ///< a URL; empty: none
    std::optional<quiet_hours> quiet;
};

/// By their places in the configuration.
struct recipient {
    std::size_t receiver = 0, rule = 0;

    friend bool operator==(const recipient&, const recipient&) = default;
};

}  // namespace training_monitor::notices
