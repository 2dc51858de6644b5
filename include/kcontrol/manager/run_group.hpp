// When a manager runs something.
#pragma once

namespace kcontrol::inline v0_1 {

/// Without leader election `leading` and `always` are the same.
enum class run_group {
    leading,  ///< only while this process leads; the default, as controller-runtime's
    always,   ///< as long as the manager runs: what watches or counts, and writes nothing that one alone may
    serving,  ///< as `always`, and begins before the informers and ends after them: what the API server itself calls
};

}  // namespace kcontrol
