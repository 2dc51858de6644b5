// Times as Go reads and shows them in JSON: metav1.Time and metav1.MicroTime. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing {

/// A time that was read.
class go_time {
public:
    std::string shown;                   ///< in UTC; empty: the zero time, which is null in JSON
    std::optional<std::string> problem;  ///< why it can't be read, in the words of Go's time.Parse; nothing: it can
};

/// Reads what Go's time.Parse does. `micro`: a MicroTime, which has six digits of fraction and shows them; else a Time,
/// which takes any fraction and drops it.
go_time read_go_time(std::string_view text, bool micro);

}  // namespace kcontrol::testing
