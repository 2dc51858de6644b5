// What the outputs get, and when the program gives up, by how old the value is. Pure.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "options.hpp"
#include "values/view.hpp"

#include <optional>

namespace follow {

/// What is to be done now.
class decision {
public:
    decision() = default;

    std::optional<view> publish;                 ///< what the outputs get; nothing: nothing is known yet
    bool exit = false;                           ///< it is too old: end with status 3
    std::optional<kcontrol::duration> again_in;  ///< decide again after that time, even if nothing changes
};

/// `known`: what is followed; its version is 0 if nothing is. `age`: for how long the server has not confirmed it; of
/// nothing, for how long the program waits for it.
decision decide(const view& known, kcontrol::duration age, kcontrol::duration max_stale, on_stale when);

}  // namespace follow
