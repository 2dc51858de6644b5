// One backend of a Service, or one pod, as a router sees it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace kcontrol::inline v0_1::service {

/// A value: two are equal if all members are. The order is that of snapshots: by address, then by port.
class endpoint {
public:
    std::string address;  ///< IPv4 or IPv6, without brackets
    std::uint16_t port = 0;
    bool ready = false;    ///< takes new connections. Source: EndpointConditions.ready, absent: true
    bool serving = false;  ///< answers, maybe while it terminates. Source: EndpointConditions.serving, absent: as ready
    bool terminating = false;     ///< will go away. Source: EndpointConditions.terminating, absent: false
    std::string zone, node, pod;  ///< empty where the server has not said them; `pod` is a name in the namespace

    friend auto operator<=>(const endpoint&, const endpoint&) = default;
};

}  // namespace kcontrol::service
