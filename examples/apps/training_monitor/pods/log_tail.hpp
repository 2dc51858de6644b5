// The last lines of a container's log: read when somebody asks, masked, bounded, and kept nowhere.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace training_monitor {

struct log_tail {
    std::vector<std::string> lines;  ///< the oldest first
    bool cut = false;                ///< there was more than may be shown of those lines
};

inline constexpr std::int64_t usual_log_lines = 100, most_log_lines = 1000;

/// The last `lines` of at most 1 MiB, 256 KiB for the usual hundred, each of at most 4 KiB. `previous` is of the
/// container's run before this one.
/// Await it on the executor of `from`. Errors: those of open_logs().
kcontrol::awaitable<kcontrol::result<log_tail>> read_log_tail(kcontrol::client from, kcontrol::namespaced_name pod,
                                                              std::string container, bool previous,
                                                              std::stop_token stop,
                                                              std::int64_t lines = usual_log_lines);

}  // namespace training_monitor
