// What it means that a manager is ready.
#pragma once

#include <kcontrol/config.hpp>

#include <string_view>

namespace kcontrol::inline v0_1 {

/// Both are not ready before every informer has synced.
enum class readiness {
    synced_once,  ///< ready from then on: a server that goes away later takes no replica out of service
    live,         ///< not ready while an informer is not live for longer than a grace
};

/// "synced-once" and "live", as on the command line of run().
constexpr std::string_view to_string(readiness r) noexcept { return r == readiness::live ? "live" : "synced-once"; }

}  // namespace kcontrol
