// Addresses and networks of CEL's ip() and cidr(), as Go's net/netip reads and prints them. Pure.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/config.hpp>

#include <array>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::cel {

/// An IPv4 or IPv6 address without a zone.
class ip_value {
public:
    std::array<unsigned char, 16> octets{};  ///< of IPv4: the first four
    bool is_v6 = false;

    bool operator==(const ip_value&) const = default;
    int bits() const noexcept { return is_v6 ? 128 : 32; }

    KCONTROL_DECL bool is_unspecified() const noexcept;
    KCONTROL_DECL bool is_loopback() const noexcept;
    KCONTROL_DECL bool is_link_local_multicast() const noexcept;
    KCONTROL_DECL bool is_link_local_unicast() const noexcept;
    KCONTROL_DECL bool is_global_unicast() const noexcept;
    /// All bits behind the first `length` are zero.
    KCONTROL_DECL ip_value masked(int length) const noexcept;
};

/// A network: an address, whose host part need not be zero, and the length of its prefix.
class cidr_value {
public:
    ip_value address;
    int length = 0;

    bool operator==(const cidr_value&) const = default;
    KCONTROL_DECL bool contains(const ip_value& one) const noexcept;
    KCONTROL_DECL bool contains(const cidr_value& other) const noexcept;
};

/// Errors: invalid_argument, in the words of Kubernetes: a zone, an IPv4 address inside an IPv6 one, no address.
KCONTROL_DECL result<ip_value> parse_ip(std::string_view text);
/// Errors: as for an address, and a prefix that is none.
KCONTROL_DECL result<cidr_value> parse_cidr(std::string_view text);

KCONTROL_DECL std::string to_text(const ip_value& address);  ///< the canonical form, RFC 5952
KCONTROL_DECL std::string to_text(const cidr_value& network);

}  // namespace kcontrol::cel

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cel/impl/network.ipp>
#endif
