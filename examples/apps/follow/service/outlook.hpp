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

/// What is known of a value's age.
class ages {
public:
    ages() = default;

    kcontrol::duration age{};    ///< for how long the server has not confirmed it; of nothing: since the start
    kcontrol::duration grace{};  ///< how long the server still has for its first answer; zero after it
};

/// `known`: what is followed; its version is 0 if nothing is. A value of a file may be too old at the start already:
/// then the outputs stay as they are until `grace` is over, or a program that was away for long could never start.
decision decide(const view& known, const ages& of, kcontrol::duration max_stale, on_stale when);

}  // namespace follow
