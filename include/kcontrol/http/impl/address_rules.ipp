#pragma once

#include <kcontrol/http/address_rules.hpp>
#include <kcontrol/http/impl/url_text.hpp>

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::http {
namespace detail {

using address_bytes = std::array<std::uint8_t, 16>;

inline address_bytes bytes_of_ipv4(const std::uint8_t* four) {
    address_bytes out{};
    out[10] = out[11] = 0xFF;
    std::copy_n(four, 4, out.begin() + 12);
    return out;
}

inline bool address_starts(const address_bytes& address, const address_bytes& with, unsigned bits) {
    for (unsigned i = 0; i < 16 && bits > 0; ++i) {
        const unsigned here = std::min(bits, 8U);
        const auto mask = static_cast<std::uint8_t>(0xFFU << (8 - here));
        if ((address[i] & mask) != (with[i] & mask)) return false;
        bits -= here;
    }
    return true;
}

// Nothing if it is no address. `is_ipv4`: as it is written.
inline std::optional<address_bytes> read_address(std::string_view text, bool& is_ipv4) {
    const std::string plain(text.substr(0, text.find('%')));
    address_bytes out{};
    if (plain.find('\0') != std::string::npos) return std::nullopt;
    std::array<std::uint8_t, 4> four{};
    is_ipv4 = inet_pton(AF_INET, plain.c_str(), four.data()) == 1;
    if (is_ipv4) return bytes_of_ipv4(four.data());
    if (inet_pton(AF_INET6, plain.c_str(), out.data()) != 1) return std::nullopt;
    return out;
}

// What a translator (NAT64, RFC 6052) makes of it.
inline address_bytes translated(const address_bytes& address) {
    constexpr address_bytes nat64{0x00, 0x64, 0xFF, 0x9B};
    return address_starts(address, nat64, 96) ? bytes_of_ipv4(address.data() + 12) : address;
}

}  // namespace detail

KCONTROL_DECL address_rules address_rules::public_only() {
    address_rules out;
    for (const char* each : {"0.0.0.0/8",       "10.0.0.0/8",     "100.64.0.0/10", "127.0.0.0/8",    "169.254.0.0/16",
                             "172.16.0.0/12",   "192.0.0.0/24",   "192.0.2.0/24",  "192.168.0.0/16", "198.18.0.0/15",
                             "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",   "240.0.0.0/4",    "64:ff9b:1::/48",
                             "100::/64",        "2001::/23",      "2001:db8::/32", "2002::/16",      "3fff::/20",
                             "5f00::/16",       "fc00::/7",       "fe80::/10",     "fec0::/10",      "ff00::/8"}) {
        (void)out.allow(each);
    }
    std::swap(out.refused_, out.allowed_);
    // ::, ::1 and IPv4-compatible ones; IPv4 itself is ::ffff:0:0/96.
    out.refused_.emplace_back().bits = 80;
    return out;
}

KCONTROL_DECL address_rules address_rules::public_and_private() {
    auto out = public_only();
    for (const char* each : {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"}) {
        (void)out.allow(each);
    }
    return out;
}

KCONTROL_DECL result<void> address_rules::allow(std::string_view cidr) {
    const auto slash = cidr.find('/');
    bool is_ipv4 = false;
    const auto bytes = detail::read_address(cidr.substr(0, slash), is_ipv4);
    const unsigned most = is_ipv4 ? 32 : 128;
    unsigned bits = most;
    bool good = bytes.has_value() && cidr.find('%') == std::string_view::npos;
    if (good && slash != std::string_view::npos) {
        const auto digits = cidr.substr(slash + 1);
        const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
        good = problem == std::errc() && end == digits.data() + digits.size() && bits <= most;
    }
    if (!good) {
        return error(errc::invalid_argument, in_quotes(cidr) +
                                                 " is no range of addresses; write 10.1.0.0/16, fd00::/8 or an "
                                                 "address");
    }
    range& added = allowed_.emplace_back();
    added.bytes = *bytes;
    added.bits = is_ipv4 ? bits + 96 : bits;
    return {};
}

KCONTROL_DECL bool address_rules::allows(std::string_view address) const {
    if (refused_.empty()) return true;
    bool is_ipv4 = false;
    const auto bytes = detail::read_address(address, is_ipv4);
    if (!bytes) return false;
    const auto meant = detail::translated(*bytes);
    const auto is_in = [&](const range& r) { return detail::address_starts(meant, r.bytes, r.bits); };
    if (std::any_of(allowed_.begin(), allowed_.end(), is_in)) return true;
    // ::ffff:0:0/96 begins with 80 bits of 0, too.
    const bool is_mapped = meant[10] == 0xFF && meant[11] == 0xFF && detail::address_starts(meant, {}, 80);
    return std::none_of(refused_.begin(), refused_.end(),
                        [&](const range& r) { return is_in(r) && !(is_mapped && r.bits <= 80); });
}

}  // namespace kcontrol::http
