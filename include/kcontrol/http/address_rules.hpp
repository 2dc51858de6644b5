// Which IP addresses may be connected to, for URLs that other people wrote.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/config.hpp>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::http {

/// All addresses, or those of the public internet and what an administrator allows besides. It is asked about the
/// address that is connected to, not about a name, which may mean another one a moment later.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class address_rules {
public:
    /// Every address is allowed.
    address_rules() = default;
    /// Refuses loopback, link-local, private, shared (RFC 6598) and multicast addresses, those of documentation and
    /// benchmarks, and what is reserved; also where IPv6 wraps such an IPv4 address.
    /// Source: https://www.iana.org/assignments/iana-ipv4-special-registry and …-ipv6-special-registry.
    static KCONTROL_DECL address_rules public_only();
    /// The same, with private and shared networks allowed (RFC 1918, 6598, 4193): for URLs of a cluster's users, which
    /// name servers of the cluster, but neither this machine nor its cloud's metadata.
    static KCONTROL_DECL address_rules public_and_private();

    /// Allows "10.1.0.0/16", "fd00::/8", or a single address. Errors: invalid_argument, naming the text.
    KCONTROL_DECL result<void> allow(std::string_view cidr);

    /// Of an address as it is written, with a zone or without. What is no address is not allowed where anything is
    /// refused.
    KCONTROL_DECL bool allows(std::string_view address) const;
    bool allows_all() const noexcept { return refused_.empty(); }  ///< false of public_only(), whatever it allows

private:
    // IPv4 as ::ffff:a.b.c.d.
    struct range {
        std::array<std::uint8_t, 16> bytes{};
        unsigned bits = 0;
    };
    std::vector<range> refused_, allowed_;
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/http/impl/address_rules.ipp>
#endif
