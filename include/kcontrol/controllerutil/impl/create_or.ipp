#pragma once

#include <kcontrol/controllerutil/create_or.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::string_view to_string(write_outcome outcome) {
    switch (outcome) {
    case write_outcome::unchanged: return "unchanged";
    case write_outcome::created: return "created";
    case write_outcome::updated: return "updated";
    }
    return "unchanged";
}

}  // namespace kcontrol
