// What is followed, at one moment: the one value that everything else in this program works with.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/service/endpoint.hpp>
#include <kcontrol/service/freshness.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace follow {

using kcontrol::service::endpoint;
using kcontrol::service::freshness;

/// Endpoints, or a leader with its one endpoint if its address is HOST:PORT.
class view {
public:
    view() = default;

    std::uint64_t version = 0;           ///< grows with each change of the value
    freshness state = freshness::stale;  ///< how far it can be relied on
    std::chrono::milliseconds age{0};    ///< since the last sign of life of the server
    std::vector<endpoint> endpoints;     ///< in the order of addresses and ports
    bool is_leader = false;              ///< whether a leader is followed
    std::string holder;                  ///< of a leader: who holds the Lease; empty: none
    std::string address;                 ///< of a leader: where it is reached; empty: not known

    /// Whether both say the same of the cluster; state and age aside.
    bool same_value(const view& other) const {
        return endpoints == other.endpoints && holder == other.holder && address == other.address;
    }
};

}  // namespace follow
