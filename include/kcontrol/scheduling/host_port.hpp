// host_port: a port of the node that a container takes.
#pragma once

#include <kcontrol/values/text.hpp>

#include <compare>
#include <cstdint>

namespace kcontrol::inline v0_1::scheduling {

/// A hostPort of a pod. Two conflict if protocol and port are the same, and the address is the same or one of them is
/// 0.0.0.0.
struct host_port {
    std::int32_t port = 0;  ///< 1 to 65535
    text protocol;          ///< "TCP", "UDP" or "SCTP"; never empty
    text ip;                ///< hostIP; "0.0.0.0" if the pod names none

    /// Whether no node can have both.
    bool conflicts_with(const host_port& other) const noexcept {
        constexpr std::string_view all = "0.0.0.0";
        return port == other.port && protocol == other.protocol && (ip == other.ip || ip == all || other.ip == all);
    }
    friend bool operator==(const host_port&, const host_port&) = default;
    friend auto operator<=>(const host_port&, const host_port&) = default;
};

}  // namespace kcontrol::scheduling
