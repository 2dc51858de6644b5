#pragma once

#include <kcontrol/http/impl/url_text.hpp>
#include <kcontrol/http/loopback.hpp>
#include <kcontrol/http/proxy_rules.hpp>

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>

namespace kcontrol::inline v0_1::http {
namespace detail {

inline std::optional<plain_address> read_plain_address(std::string_view text) {
    const std::string copy(text);
    plain_address out;
    in_addr four{};
    if (copy.find('\0') != std::string::npos) return std::nullopt;
    if (inet_pton(AF_INET, copy.c_str(), &four) == 1) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(&four);
        std::copy(bytes, bytes + 4, out.bytes.begin());
        return out;
    }
    if (inet_pton(AF_INET6, copy.c_str(), out.bytes.data()) != 1) return std::nullopt;
    constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    out.v6 = !std::equal(mapped.begin(), mapped.end(), out.bytes.begin());
    if (!out.v6) {
        std::copy(out.bytes.begin() + 12, out.bytes.end(), out.bytes.begin());
        std::fill(out.bytes.begin() + 4, out.bytes.end(), std::uint8_t{0});
    }
    return out;
}

inline bool is_loopback_address(const plain_address& at) {
    if (!at.v6) return at.bytes[0] == 127;
    return at.bytes[15] == 1 && std::all_of(at.bytes.begin(), at.bytes.end() - 1, [](auto b) { return b == 0; });
}

inline bool in_network(const plain_address& at, const plain_address& network, int bits) {
    if (at.v6 != network.v6) return false;
    for (int i = 0; i < bits; ++i) {
        const auto byte = static_cast<std::size_t>(i / 8);
        const int mask = 0x80 >> (i % 8);
        if ((at.bytes[byte] & mask) != (network.bytes[byte] & mask)) return false;
    }
    return true;
}

inline std::optional<proxy_exception> read_network(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto network = read_plain_address(text.substr(0, slash));
    const auto digits = text.substr(slash + 1);
    int bits = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (!network || failure != std::errc() || end != digits.data() + digits.size() || bits < 0) return std::nullopt;
    if (bits > (network->v6 ? 128 : 32)) return std::nullopt;
    proxy_exception out;
    out.is = proxy_exception::form::network;
    out.address = *network;
    out.prefix_bits = bits;
    return out;
}

// Go's net.SplitHostPort: a port must be there, and an address with colons be in brackets.
inline bool split_host_port(std::string_view text, std::string_view& host, std::string_view& port) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return false;
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (host.starts_with('[')) {
        if (!host.ends_with(']')) return false;
        host = host.substr(1, host.size() - 2);
        return true;
    }
    return host.find(':') == std::string_view::npos;
}

// One entry in lower case; nothing if it says nothing.
inline std::optional<proxy_exception> read_proxy_exception(std::string_view text) {
    proxy_exception out;
    if (text == "*") return out;
    if (auto network = read_network(text)) return network;
    std::string_view host = text, port;
    if (!split_host_port(text, host, port)) host = text, port = {};
    if (host.empty()) return std::nullopt;
    out.port = port;
    if (const auto address = read_plain_address(host)) {
        out.is = proxy_exception::form::address;
        out.address = *address;
        return out;
    }
    if (host.starts_with("*.")) host.remove_prefix(1);
    out.is = proxy_exception::form::domain;
    out.domain_itself = host.front() != '.';
    out.domain = (out.domain_itself ? "." : "") + std::string(host);
    return out;
}

inline bool excepts(const proxy_exception& one, std::string_view host, const std::optional<plain_address>& address,
                    std::string_view port) {
    const bool right_port = one.port.empty() || one.port == port;
    switch (one.is) {
    case proxy_exception::form::everything: return true;
    case proxy_exception::form::network: return address && in_network(*address, one.address, one.prefix_bits);
    case proxy_exception::form::address: return address && *address == one.address && right_port;
    case proxy_exception::form::domain:
        if (address) return false;
        return right_port &&
               (host.ends_with(one.domain) || (one.domain_itself && host == std::string_view(one.domain).substr(1)));
    }
    return false;
}

// The first of the two that is set, and the value's name.
inline std::pair<std::string, std::string> proxy_variable(const environment& env, const char* upper,
                                                          const char* lower) {
    for (const char* name : {upper, lower}) {
        if (auto value = env.variable(name); value && !value->empty()) return {name, std::move(*value)};
    }
    return {};
}

// "host:port" stands for "http://host:port" here, as in every other program.
inline result<proxy> proxy_of_variable(const std::pair<std::string, std::string>& variable) {
    const auto& [name, value] = variable;
    if (value.empty()) return proxy();
    auto parsed = parse_proxy_url(value.find("://") == std::string::npos ? "http://" + value : value);
    if (!parsed) return error(errc::invalid_config, "environment variable " + name + ": " + parsed.error().message());
    return parsed;
}

}  // namespace detail

KCONTROL_DECL result<proxy_rules> proxy_rules::from_environment(const environment& env) {
    auto http = detail::proxy_variable(env, "HTTP_PROXY", "http_proxy");
    if (http.first == "HTTP_PROXY" && env.variable("REQUEST_METHOD").value_or("") != "") http = {};
    auto for_http = detail::proxy_of_variable(http);
    if (!for_http) return for_http.error();
    auto for_https = detail::proxy_of_variable(detail::proxy_variable(env, "HTTPS_PROXY", "https_proxy"));
    if (!for_https) return for_https.error();
    proxy_rules out;
    out.for_http(std::move(*for_http)).for_https(std::move(*for_https));
    out.except(detail::proxy_variable(env, "NO_PROXY", "no_proxy").second);
    return out;
}

KCONTROL_DECL proxy_rules& proxy_rules::except(std::string_view no_proxy) {
    constexpr std::string_view space = " \t\r\n";
    while (!no_proxy.empty()) {
        std::string_view one = no_proxy.substr(0, no_proxy.find(','));
        no_proxy.remove_prefix(std::min(no_proxy.size(), one.size() + 1));
        one.remove_prefix(std::min(one.size(), one.find_first_not_of(space)));
        if (const auto end = one.find_last_not_of(space); end != std::string_view::npos) one = one.substr(0, end + 1);
        if (one.empty()) continue;
        if (auto read = detail::read_proxy_exception(ascii_lower(one))) exceptions_.push_back(std::move(*read));
    }
    return *this;
}

KCONTROL_DECL proxy proxy_rules::choose(const endpoint& to) const {
    const proxy& through = to.scheme == "https" ? https_ : http_;
    if (through.empty()) return {};
    const auto address = detail::read_plain_address(to.host);
    if (to.host == "localhost" || (address && detail::is_loopback_address(*address))) return {};
    const std::string port = std::to_string(to.port);
    for (const auto& one : exceptions_) {
        if (detail::excepts(one, to.host, address, port)) return {};
    }
    return through;
}

}  // namespace kcontrol::http
