#pragma once

#include <kcontrol/cel/network.hpp>

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstdint>

namespace kcontrol::inline v0_1::cel {

namespace detail {

inline std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }
inline error network_error(std::string what) { return error(errc::invalid_argument, std::move(what)); }

inline bool is_mapped(const ip_value& address) {
    return address.is_v6 &&
           std::all_of(address.octets.begin(), address.octets.begin() + 10, [](auto c) { return c == 0; }) &&
           address.octets[10] == 0xFF && address.octets[11] == 0xFF;
}

// As netip.ParseAddr, zones apart.
inline result<ip_value> plain_address(std::string_view text) {
    const std::string terminated(text);
    ip_value out;
    out.is_v6 = text.find(':') != std::string_view::npos;
    if (text.find('\0') == std::string_view::npos &&
        ::inet_pton(out.is_v6 ? AF_INET6 : AF_INET, terminated.c_str(), out.octets.data()) == 1) {
        return out;
    }
    return network_error("ParseAddr(" + in_quotes(text) + "): unable to parse IP");
}

}  // namespace detail

KCONTROL_DECL bool ip_value::is_unspecified() const noexcept {
    return std::all_of(octets.begin(), octets.end(), [](auto c) { return c == 0; });
}
KCONTROL_DECL bool ip_value::is_loopback() const noexcept {
    if (!is_v6) return octets[0] == 127;
    return octets[15] == 1 && std::all_of(octets.begin(), octets.end() - 1, [](auto c) { return c == 0; });
}
KCONTROL_DECL bool ip_value::is_link_local_multicast() const noexcept {
    if (!is_v6) return octets[0] == 224 && octets[1] == 0 && octets[2] == 0;
    return octets[0] == 0xFF && (octets[1] & 0x0FU) == 2;
}
KCONTROL_DECL bool ip_value::is_link_local_unicast() const noexcept {
    if (!is_v6) return octets[0] == 169 && octets[1] == 254;
    return octets[0] == 0xFE && (octets[1] & 0xC0U) == 0x80;
}
KCONTROL_DECL bool ip_value::is_global_unicast() const noexcept {
    const bool broadcast = !is_v6 && std::all_of(octets.begin(), octets.begin() + 4, [](auto c) { return c == 0xFF; });
    const bool multicast = is_v6 ? octets[0] == 0xFF : (octets[0] & 0xF0U) == 0xE0;
    return !broadcast && !is_unspecified() && !is_loopback() && !multicast && !is_link_local_unicast();
}

KCONTROL_DECL ip_value ip_value::masked(int length) const noexcept {
    ip_value out = *this;
    for (int bit = length; bit < bits(); ++bit) {
        auto& octet = out.octets[static_cast<std::size_t>(bit / 8)];
        octet = static_cast<unsigned char>(octet & ~(0x80U >> static_cast<unsigned>(bit % 8)));
    }
    return out;
}

KCONTROL_DECL bool cidr_value::contains(const ip_value& one) const noexcept {
    return one.is_v6 == address.is_v6 && one.masked(length) == address.masked(length);
}

KCONTROL_DECL bool cidr_value::contains(const cidr_value& other) const noexcept {
    return length <= other.length && contains(other.address);
}

KCONTROL_DECL result<ip_value> parse_ip(std::string_view text) {
    const auto read = detail::plain_address(text.substr(0, text.find('%')));
    if (!read) {
        return detail::network_error("IP Address " + detail::in_quotes(text) +
                                     " parse error during conversion from string: ParseAddr(" +
                                     detail::in_quotes(text) + "): unable to parse IP");
    }
    if (text.find('%') != std::string_view::npos) {
        return detail::network_error("IP address " + detail::in_quotes(text) + " with zone value is not allowed");
    }
    if (detail::is_mapped(*read)) {
        return detail::network_error("IPv4-mapped IPv6 address " + detail::in_quotes(text) + " is not allowed");
    }
    return *read;
}

KCONTROL_DECL result<cidr_value> parse_cidr(std::string_view text) {
    const std::string begin = "network address parse error during conversion from string: ";
    const auto refuse = [&](const std::string& why) {
        return detail::network_error(begin + "netip.ParsePrefix(" + detail::in_quotes(text) + "): " + why);
    };
    const std::size_t slash = text.rfind('/');
    if (slash == std::string_view::npos) return refuse("no '/'");
    const auto address = detail::plain_address(text.substr(0, slash));
    if (!address) return refuse(address.error().message());
    const std::string_view digits = text.substr(slash + 1);
    cidr_value out;
    out.address = *address;
    const bool plain = !digits.empty() && digits.size() < 4 &&
                       std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
                       (digits.size() == 1 || digits.front() != '0');
    if (!plain) return refuse("bad bits after slash: " + detail::in_quotes(digits));
    std::from_chars(digits.data(), digits.data() + digits.size(), out.length);
    if (out.length > out.address.bits()) return refuse("prefix length out of range");
    if (detail::is_mapped(out.address)) {
        return detail::network_error("IPv4-mapped IPv6 address " + detail::in_quotes(text) + " is not allowed");
    }
    return out;
}

KCONTROL_DECL std::string to_text(const ip_value& address) {
    std::string out;
    if (!address.is_v6) {
        for (std::size_t i = 0; i < 4; ++i) out += (i == 0 ? "" : ".") + std::to_string(address.octets[i]);
        return out;
    }
    std::array<unsigned, 8> groups{};
    for (std::size_t i = 0; i < 8; ++i) groups[i] = address.octets[2 * i] * 256U + address.octets[2 * i + 1];
    // The first of the longest runs of at least two zeros is "::".
    std::size_t from = 8, longest = 1;
    for (std::size_t i = 0; i < 8; ++i) {
        std::size_t end = i;
        while (end < 8 && groups[end] == 0) ++end;
        if (end - i > longest) {
            from = i;
            longest = end - i;
        }
    }
    for (std::size_t i = 0; i < 8; ++i) {
        if (i == from) {
            out += "::";
            i += longest - 1;
            continue;
        }
        char digits[8];
        const auto end = std::to_chars(digits, std::end(digits), groups[i], 16);
        if (!out.empty() && !out.ends_with(':')) out += ':';
        out.append(digits, end.ptr);
    }
    return out;
}

KCONTROL_DECL std::string to_text(const cidr_value& network) {
    return to_text(network.address) + "/" + std::to_string(network.length);
}

}  // namespace kcontrol::cel
