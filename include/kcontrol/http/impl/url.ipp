#pragma once

#include <kcontrol/http/impl/url_text.hpp>
#include <kcontrol/http/url.hpp>

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstdint>

namespace kcontrol::inline v0_1::http {
namespace detail {

inline result<std::string> url_check_host(std::string_view host) {
    if (host.empty()) return url_error("URL without a host; write https://host:port");
    if (host.size() > 253) return url_error("URL with a host name of more than 253 characters");
    for (char c : host) {
        if (!url_is_alpha(c) && !url_is_digit(c) && c != '-' && c != '.' && c != '_') {
            return url_error("URL with a bad host name " + in_quotes(host) +
                             ": letters, digits, '-', '.' and '_' are possible; an IPv6 address goes in brackets, "
                             "other names in their ASCII form (punycode)");
        }
    }
    if (host.front() == '.' || host.front() == '-' || host.find("..") != std::string_view::npos) {
        return url_error("URL with a bad host name " + in_quotes(host));
    }
    return ascii_lower(host);
}

inline result<std::string> url_check_ipv6(std::string_view address) {
    const std::string text(address);
    in6_addr bytes{};
    if (text.find('\0') != std::string::npos || inet_pton(AF_INET6, text.c_str(), &bytes) != 1) {
        return url_error("URL with a bad IPv6 address " + in_quotes(address) +
                         (text.find('%') != std::string::npos ? ": zones are not supported" : ""));
    }
    return ascii_lower(address);
}

inline result<std::uint16_t> url_check_port(std::string_view text) {
    unsigned port = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (failure != std::errc() || end != text.data() + text.size() || port == 0 || port > 65535) {
        return url_error("URL with a bad port " + in_quotes(text) + ": a number from 1 to 65535 is needed");
    }
    return static_cast<std::uint16_t>(port);
}

inline result<std::string> url_check_prefix(std::string_view path) {
    for (std::size_t i = 0; i < path.size(); ++i) {
        const char c = path[i];
        if (c == '%') {
            if (path.size() - i < 3 || url_hex_digit(path[i + 1]) < 0 || url_hex_digit(path[i + 2]) < 0) {
                return url_error("URL with a broken percent escape in its path");
            }
        } else if (!url_is_unreserved(c) && std::string_view("/!$&'()*+,;=:@").find(c) == std::string_view::npos) {
            return url_error("URL with a character in its path that must be percent-encoded: " +
                             in_quotes(path.substr(i, 1)));
        }
    }
    while (path.ends_with('/')) path.remove_suffix(1);
    for (std::string_view rest = path; !rest.empty();) {
        rest.remove_prefix(1);
        const auto segment = rest.substr(0, rest.find('/'));
        if (segment == "." || segment == "..") return url_error("URL with \".\" or \"..\" in its path");
        rest.remove_prefix(segment.size());
    }
    return std::string(path);
}

}  // namespace detail

KCONTROL_DECL result<base_url> parse_base_url(std::string_view text) {
    if (text.empty()) return detail::url_error("URL is empty; write https://host:port");
    const auto colon = text.find("://");
    if (colon == std::string_view::npos) return detail::url_error("URL without a scheme; write https://host:port");
    base_url out;
    out.endpoint.scheme = ascii_lower(text.substr(0, colon));
    if (out.endpoint.scheme != "https" && out.endpoint.scheme != "http") {
        return detail::url_error("URL with scheme " + in_quotes(out.endpoint.scheme) +
                                 "; only https and http are possible");
    }
    out.endpoint.port = out.endpoint.scheme == "https" ? 443 : 80;

    std::string_view rest = text.substr(colon + 3);
    if (rest.find('#') != std::string_view::npos) return detail::url_error("URL with a fragment ('#')");
    if (rest.find('?') != std::string_view::npos) return detail::url_error("URL with a query ('?')");
    std::string_view where = rest.substr(0, rest.find('/'));
    const std::string_view path = rest.substr(where.size());
    if (where.find('@') != std::string_view::npos) {
        return detail::url_error("URL with a user name or password; put credentials into their own fields");
    }

    std::string_view port;
    bool has_port = false;
    if (where.starts_with('[')) {
        const auto close = where.find(']');
        if (close == std::string_view::npos) return detail::url_error("URL with '[' but no ']' around its host");
        auto host = detail::url_check_ipv6(where.substr(1, close - 1));
        if (!host) return host.error();
        out.endpoint.host = std::move(*host);
        where.remove_prefix(close + 1);
        if (!where.empty() && where.front() != ':') return detail::url_error("URL with text after ']'");
        has_port = !where.empty();
        if (has_port) port = where.substr(1);
    } else {
        const auto separator = where.find(':');
        has_port = separator != std::string_view::npos;
        if (has_port && where.find(':', separator + 1) != std::string_view::npos) {
            return detail::url_error("URL with more than one ':' in its host; an IPv6 address goes in brackets");
        }
        auto host = detail::url_check_host(where.substr(0, separator));
        if (!host) return host.error();
        out.endpoint.host = std::move(*host);
        if (has_port) port = where.substr(separator + 1);
    }
    if (has_port) {
        const auto number = detail::url_check_port(port);
        if (!number) return number.error();
        out.endpoint.port = *number;
    }
    auto prefix = detail::url_check_prefix(path);
    if (!prefix) return prefix.error();
    out.path_prefix = std::move(*prefix);
    return out;
}

KCONTROL_DECL std::string authority(const endpoint& where) {
    std::string out = where.host.find(':') == std::string::npos ? where.host : "[" + where.host + "]";
    const std::uint16_t usual = where.scheme == "https" ? 443 : 80;
    if (where.port != usual) out += ":" + std::to_string(where.port);
    return out;
}

KCONTROL_DECL std::string to_string(const endpoint& where) { return where.scheme + "://" + authority(where); }

}  // namespace kcontrol::http
