#include "testserver/cel_network.hpp"

#include "testserver/failure_parts.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstdint>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

error network_error(std::string what) { return error(errc::invalid_argument, std::move(what)); }

bool is_mapped(const cel_ip& address) {
    return address.is_v6 &&
           std::all_of(address.octets.begin(), address.octets.begin() + 10, [](auto c) { return c == 0; }) &&
           address.octets[10] == 0xFF && address.octets[11] == 0xFF;
}

// As netip.ParseAddr, zones apart.
result<cel_ip> plain_address(std::string_view text) {
    const std::string terminated(text);
    cel_ip out;
    out.is_v6 = text.find(':') != std::string_view::npos;
    if (text.find('\0') == std::string_view::npos &&
        ::inet_pton(out.is_v6 ? AF_INET6 : AF_INET, terminated.c_str(), out.octets.data()) == 1) {
        return out;
    }
    return network_error("ParseAddr(" + in_quotes(text) + "): unable to parse IP");
}

}  // namespace

bool cel_ip::is_unspecified() const noexcept {
    return std::all_of(octets.begin(), octets.end(), [](auto c) { return c == 0; });
}
bool cel_ip::is_loopback() const noexcept {
    if (!is_v6) return octets[0] == 127;
    return octets[15] == 1 && std::all_of(octets.begin(), octets.end() - 1, [](auto c) { return c == 0; });
}
bool cel_ip::is_link_local_multicast() const noexcept {
    if (!is_v6) return octets[0] == 224 && octets[1] == 0 && octets[2] == 0;
    return octets[0] == 0xFF && (octets[1] & 0x0FU) == 2;
}
bool cel_ip::is_link_local_unicast() const noexcept {
    if (!is_v6) return octets[0] == 169 && octets[1] == 254;
    return octets[0] == 0xFE && (octets[1] & 0xC0U) == 0x80;
}
bool cel_ip::is_global_unicast() const noexcept {
    const bool broadcast = !is_v6 && std::all_of(octets.begin(), octets.begin() + 4, [](auto c) { return c == 0xFF; });
    const bool multicast = is_v6 ? octets[0] == 0xFF : (octets[0] & 0xF0U) == 0xE0;
    return !broadcast && !is_unspecified() && !is_loopback() && !multicast && !is_link_local_unicast();
}

cel_ip cel_ip::masked(int length) const noexcept {
    cel_ip out = *this;
    for (int bit = length; bit < bits(); ++bit) {
        auto& octet = out.octets[static_cast<std::size_t>(bit / 8)];
        octet = static_cast<unsigned char>(octet & ~(0x80U >> static_cast<unsigned>(bit % 8)));
    }
    return out;
}

bool cel_cidr::contains(const cel_ip& one) const noexcept {
    return one.is_v6 == address.is_v6 && one.masked(length) == address.masked(length);
}

bool cel_cidr::contains(const cel_cidr& other) const noexcept {
    return length <= other.length && contains(other.address);
}

result<cel_ip> parse_cel_ip(std::string_view text) {
    const auto read = plain_address(text.substr(0, text.find('%')));
    if (!read) {
        return network_error("IP Address " + in_quotes(text) +
                             " parse error during conversion from string: ParseAddr(" + in_quotes(text) +
                             "): unable to parse IP");
    }
    if (text.find('%') != std::string_view::npos) {
        return network_error("IP address " + in_quotes(text) + " with zone value is not allowed");
    }
    if (is_mapped(*read)) {
        return network_error("IPv4-mapped IPv6 address " + in_quotes(text) + " is not allowed");
    }
    return *read;
}

result<cel_cidr> parse_cel_cidr(std::string_view text) {
    const std::string begin = "network address parse error during conversion from string: ";
    const auto refuse = [&](const std::string& why) {
        return network_error(begin + "netip.ParsePrefix(" + in_quotes(text) + "): " + why);
    };
    const std::size_t slash = text.rfind('/');
    if (slash == std::string_view::npos) return refuse("no '/'");
    const auto address = plain_address(text.substr(0, slash));
    if (!address) return refuse(address.error().message());
    const std::string_view digits = text.substr(slash + 1);
    cel_cidr out;
    out.address = *address;
    const bool plain = !digits.empty() && digits.size() < 4 &&
                       std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
                       (digits.size() == 1 || digits.front() != '0');
    if (!plain) return refuse("bad bits after slash: " + in_quotes(digits));
    std::from_chars(digits.data(), digits.data() + digits.size(), out.length);
    if (out.length > out.address.bits()) return refuse("prefix length out of range");
    if (is_mapped(out.address)) {
        return network_error("IPv4-mapped IPv6 address " + in_quotes(text) + " is not allowed");
    }
    return out;
}

std::string to_text(const cel_ip& address) {
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

std::string to_text(const cel_cidr& network) { return to_text(network.address) + "/" + std::to_string(network.length); }

}  // namespace kcontrol::testing::detail
