// Addresses and networks of CEL's ip() and cidr(), as Go's net/netip reads and prints them. Pure.
#pragma once

#include <kcontrol/base/result.hpp>

#include <array>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

/// An IPv4 or IPv6 address without a zone.
class cel_ip {
public:
    std::array<unsigned char, 16> octets{};  ///< of IPv4: the first four
    bool is_v6 = false;

    bool operator==(const cel_ip&) const = default;
    int bits() const noexcept { return is_v6 ? 128 : 32; }

    bool is_unspecified() const noexcept;
    bool is_loopback() const noexcept;
    bool is_link_local_multicast() const noexcept;
    bool is_link_local_unicast() const noexcept;
    bool is_global_unicast() const noexcept;
    /// All bits behind the first `length` are zero.
    cel_ip masked(int length) const noexcept;
};

/// A network: an address, whose host part need not be zero, and the length of its prefix.
class cel_cidr {
public:
    cel_ip address;
    int length = 0;

    bool operator==(const cel_cidr&) const = default;
    bool contains(const cel_ip& one) const noexcept;
    bool contains(const cel_cidr& other) const noexcept;
};

/// Errors: invalid_argument, in the words of Kubernetes: a zone, an IPv4 address inside an IPv6 one, no address.
result<cel_ip> parse_cel_ip(std::string_view text);
/// Errors: as for an address, and a prefix that is none.
result<cel_cidr> parse_cel_cidr(std::string_view text);

std::string to_text(const cel_ip& address);  ///< the canonical form, RFC 5952
std::string to_text(const cel_cidr& network);

}  // namespace kcontrol::testing::detail
