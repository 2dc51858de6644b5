// When a manager with leader election runs something.
#pragma once

namespace kcontrol::inline v0_1 {

/// Without leader election both run as long as the manager does.
enum class run_group {
    leading,  ///< only while this process leads; the default, as controller-runtime's
    always,   ///< as long as the manager runs: what serves, watches or counts, and writes nothing that one alone may
};

}  // namespace kcontrol
