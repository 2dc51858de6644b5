#pragma once

#include <kcontrol/transport/impl/resolver_config.hpp>

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <unistd.h>

namespace kcontrol::inline v0_1::http::detail {

inline constexpr std::uint16_t dns_port = 53;
inline constexpr std::size_t most_name_servers = 3;

// The next word of `text`, taken from it; empty at its end.
inline std::string_view take_word(std::string_view& text) {
    constexpr std::string_view blanks = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    const auto word = text.substr(0, text.find_first_of(blanks));
    text.remove_prefix(word.size());
    return word;
}

inline std::optional<int> number_of(std::string_view digits) {
    int value = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failure != std::errc() || end == digits.data()) return std::nullopt;
    return value;
}

// An address, or an address and a port: 192.0.2.1:5353, [2001:db8::1]:5353.
inline std::optional<boost::asio::ip::udp::endpoint> name_server_of(std::string_view text) {
    std::string_view host = text;
    std::uint16_t port = dns_port;
    const auto colon = text.rfind(':');
    const bool bracketed = text.starts_with('[');
    const bool has_port = bracketed ? text.find("]:") + 1 == colon : colon != text.npos && colon == text.find(':');
    if (has_port) {
        const auto value = number_of(text.substr(colon + 1));
        if (!value || *value < 1 || *value > 65535) return std::nullopt;
        port = static_cast<std::uint16_t>(*value);
        host = text.substr(0, colon);
    }
    if (bracketed) {
        if (!host.ends_with(']')) return std::nullopt;
        host = host.substr(1, host.size() - 2);
    }
    error_code failure;
    const auto address = boost::asio::ip::make_address(std::string(host), failure);
    if (failure || (address.is_v6() && address.to_v6().scope_id() != 0)) return std::nullopt;
    return boost::asio::ip::udp::endpoint(address, port);
}

inline std::vector<std::string> search_domains(std::string_view words) {
    std::vector<std::string> out;
    for (auto word = take_word(words); !word.empty(); word = take_word(words)) {
        if (word.ends_with('.')) word.remove_suffix(1);
        out.emplace_back(word);
    }
    return out;
}

// The domain in which a machine's name is; none if its name has none.
inline std::vector<std::string> own_domain() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return {};
    const std::string_view text(name.data());
    const auto dot = text.find('.');
    if (dot == text.npos || dot + 1 == text.size()) return {};
    return search_domains(text.substr(dot + 1));
}

KCONTROL_DECL void apply_resolver_options(resolver_config& config, std::string_view options) {
    const auto value_of = [](std::string_view word, std::string_view name) -> std::optional<int> {
        if (!word.starts_with(name)) return std::nullopt;
        return number_of(word.substr(name.size()));
    };
    for (auto word = take_word(options); !word.empty(); word = take_word(options)) {
        if (const auto dots = value_of(word, "ndots:")) config.ndots = std::clamp(*dots, 0, 15);
        if (const auto s = value_of(word, "timeout:")) config.timeout = std::chrono::seconds(std::clamp(*s, 1, 30));
        if (const auto n = value_of(word, "attempts:")) config.attempts = std::clamp(*n, 1, 5);
        if (word == "rotate") config.rotate = true;
    }
}

KCONTROL_DECL resolver_config parse_resolver_config(std::string_view text) {
    resolver_config out;
    while (!text.empty()) {
        auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        // As in glibc, a keyword is one at the beginning of its line only.
        if (line.empty() || line.front() == ' ' || line.front() == '\t') continue;
        const auto keyword = take_word(line);
        if (keyword == "nameserver" && out.servers.size() < most_name_servers) {
            if (const auto server = name_server_of(take_word(line))) out.servers.push_back(*server);
        }
        if (keyword == "domain") out.search = search_domains(take_word(line));
        if (keyword == "search") out.search = search_domains(line);
        if (keyword == "options") apply_resolver_options(out, line);
    }
    if (out.servers.empty()) out.servers.emplace_back(boost::asio::ip::address_v4::loopback(), dns_port);
    return out;
}

KCONTROL_DECL resolver_config read_resolver_config(environment& env) {
    constexpr std::size_t most = std::size_t{64} << 10;
    const auto file = env.read_file("/etc/resolv.conf", most);
    // A machine without the file, or with one that can't be read, has the defaults.
    auto out = parse_resolver_config(file ? std::string_view(*file) : std::string_view());
    if (const auto domains = env.variable("LOCALDOMAIN")) out.search = search_domains(*domains);
    if (const auto options = env.variable("RES_OPTIONS")) apply_resolver_options(out, *options);
    if (out.search.empty()) out.search = own_domain();
    return out;
}

}  // namespace kcontrol::http::detail
