// What a client has seen of its server's load.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <cstdint>

namespace kcontrol::inline v0_1 {

/// Counted since the client was made, over all of its copies.
class client_load {
public:
    std::uint64_t throttled = 0;  ///< answers 429, those included after which the request was sent again
    std::uint64_t writes = 0;     ///< requests that are no reads and were answered
    duration write_time{};        ///< how long those answers took, in all
};

}  // namespace kcontrol
