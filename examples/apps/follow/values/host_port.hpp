// Addresses as programs write them.
#pragma once

#include "values/view.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace follow {

/// Whether it is an IPv4 or IPv6 address, without brackets and zone.
bool is_ip_address(std::string_view text);

/// "10.0.0.1:80", "[fd00::1]:80"; without a port where it is 0, as those of a headless Service may be.
std::string host_port(std::string_view address, std::uint16_t port);

/// The endpoint of a leader's "HOST:PORT", ready; nothing for what is none.
std::optional<endpoint> parse_host_port(std::string_view text);

}  // namespace follow
