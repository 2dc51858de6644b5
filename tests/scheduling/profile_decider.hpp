// The decider of profiles, for the worlds of programs with plugins of their own.
#pragma once

#include <kcontrol/scheduling/detail/profile_decider.hpp>

namespace kcontrol::test {

using scheduling::detail::profile_decider;
using scheduling::detail::round_report;

}  // namespace kcontrol::test
