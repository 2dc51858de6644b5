#pragma once

#include <kcontrol/controllerutil/phases.hpp>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::string quoted_phase(std::string_view name) {
    return name.empty() ? "no phase" : "phase \"" + std::string(name) + "\"";
}

inline std::string steps_from(phase_span phases, std::string_view from) {
    if (from.empty()) return "the first phase is \"" + std::string(phases.front().name()) + "\"";
    const phase* before = find_phase(phases, from);
    if (before == nullptr) return quoted_phase(from) + " is not in the table: something else wrote it";
    if (before->is_terminal()) return "\"" + std::string(from) + "\" is a terminal phase";
    std::string out;
    for (const auto step : before->steps()) out += (out.empty() ? "\"" : ", \"") + std::string(step) + "\"";
    return "from \"" + std::string(from) + "\" the way leads to " + out;
}

KCONTROL_DECL result<void> check_step(phase_span phases, std::string_view from, std::string_view to) {
    const std::string step = "transition from " + quoted_phase(from) + " to " + quoted_phase(to);
    if (find_phase(phases, to) == nullptr) {
        return error(errc::invalid_argument, step + ": " + quoted_phase(to) + " is not in the table");
    }
    if (from == to) {
        return error(errc::invalid_argument, "repeated " + step + ": the object is in that phase already");
    }
    const phase* before = find_phase(phases, from);
    const bool allowed = from.empty() ? to == phases.front().name() : before != nullptr && before->leads_to(to);
    if (allowed) return {};
    return error(errc::invalid_argument, "illegal " + step + ": " + steps_from(phases, from));
}

}  // namespace detail
}  // namespace kcontrol
