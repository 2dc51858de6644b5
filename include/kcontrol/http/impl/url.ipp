#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/http/url.hpp>

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstdint>

namespace kcontrol::http {
namespace detail {

inline bool url_is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
inline bool url_is_alpha(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "unreserved" of RFC 3986 §2.3.
inline bool url_is_unreserved(char c) noexcept {
    return url_is_alpha(c) || url_is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

inline int url_hex_digit(char c) noexcept {
    if (url_is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

inline std::string url_lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

inline void url_append_escaped(std::string& out, char c) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    out += '%';
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 0xF];
}

inline error url_error(std::string message) { return error(errc::invalid_argument, std::move(message)); }

// A part of the URL for a message: in quotes, printable, not too long.
inline std::string url_quoted(std::string_view part) {
    constexpr std::size_t longest = 80;
    return "\"" + escape_control(part.substr(0, longest)) + (part.size() > longest ? "…\"" : "\"");
}

inline result<std::string> url_check_host(std::string_view host) {
    if (host.empty()) return url_error("URL without a host; write https://host:port");
    if (host.size() > 253) return url_error("URL with a host name of more than 253 characters");
    for (char c : host) {
        if (!url_is_alpha(c) && !url_is_digit(c) && c != '-' && c != '.' && c != '_') {
            return url_error("URL with a bad host name " + url_quoted(host) +
                             ": letters, digits, '-', '.' and '_' are possible; an IPv6 address goes in brackets, "
                             "other names in their ASCII form (punycode)");
        }
    }
    if (host.front() == '.' || host.front() == '-' || host.find("..") != std::string_view::npos) {
        return url_error("URL with a bad host name " + url_quoted(host));
    }
    return url_lower(host);
}

inline result<std::string> url_check_ipv6(std::string_view address) {
    const std::string text(address);
    in6_addr bytes{};
    if (text.find('\0') != std::string::npos || inet_pton(AF_INET6, text.c_str(), &bytes) != 1) {
        return url_error("URL with a bad IPv6 address " + url_quoted(address) +
                         (text.find('%') != std::string::npos ? ": zones are not supported" : ""));
    }
    return url_lower(address);
}

inline result<std::uint16_t> url_check_port(std::string_view text) {
    unsigned port = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (failure != std::errc() || end != text.data() + text.size() || port == 0 || port > 65535) {
        return url_error("URL with a bad port " + url_quoted(text) + ": a number from 1 to 65535 is needed");
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
                             url_quoted(path.substr(i, 1)));
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
    out.endpoint.scheme = detail::url_lower(text.substr(0, colon));
    if (out.endpoint.scheme != "https" && out.endpoint.scheme != "http") {
        return detail::url_error("URL with scheme " + detail::url_quoted(out.endpoint.scheme) +
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

KCONTROL_DECL result<std::string> encode_path_segment(std::string_view name) {
    if (name.empty()) return detail::url_error("a name in a path may not be empty");
    if (name == "." || name == "..") return detail::url_error("a name in a path may not be \".\" or \"..\"");
    std::string out;
    out.reserve(name.size());
    for (char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '/' || c == '%' || byte < 0x20 || byte == 0x7f) {
            return detail::url_error("name " + detail::url_quoted(name) +
                                     " may not stand in a path: '/', '%' and control characters are refused");
        }
        // Of pchar (RFC 3986 §3.3), those that Go's url.PathEscape leaves as they are.
        if (detail::url_is_unreserved(c) || std::string_view("$&+=:@").find(c) != std::string_view::npos) {
            out += c;
        } else {
            detail::url_append_escaped(out, c);
        }
    }
    return out;
}

KCONTROL_DECL std::string percent_encode(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (char c : text) {
        if (detail::url_is_unreserved(c)) {
            out += c;
        } else {
            detail::url_append_escaped(out, c);
        }
    }
    return out;
}

KCONTROL_DECL result<std::string> percent_decode(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const int high = i + 1 < text.size() ? detail::url_hex_digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? detail::url_hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0) {
            return detail::url_error("broken percent escape at byte " + std::to_string(i));
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

KCONTROL_DECL std::pair<std::string_view, std::string_view> split_target(std::string_view target) noexcept {
    const auto mark = target.find('?');
    if (mark == std::string_view::npos) return {target, {}};
    return {target.substr(0, mark), target.substr(mark + 1)};
}

KCONTROL_DECL result<std::vector<std::string>> split_path(std::string_view path) {
    std::vector<std::string> out;
    while (!path.empty()) {
        const auto segment = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(segment.size() + 1, path.size()));
        if (segment.empty()) continue;
        auto decoded = percent_decode(segment);
        if (!decoded) return decoded.error();
        out.push_back(std::move(*decoded));
    }
    return out;
}

KCONTROL_DECL std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query) {
    const auto decode = [](std::string_view part) {
        std::string spaced(part);
        std::replace(spaced.begin(), spaced.end(), '+', ' ');
        return percent_decode(spaced);
    };
    std::vector<std::pair<std::string, std::string>> out;
    while (!query.empty()) {
        const auto pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(pair.size() + 1, query.size()));
        if (pair.empty()) continue;
        const auto equals = pair.find('=');
        auto name = decode(pair.substr(0, equals));
        auto value = decode(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1));
        if (name && value) out.emplace_back(std::move(*name), std::move(*value));
    }
    return out;
}

KCONTROL_DECL query_builder& query_builder::append(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_ += '&';
    text_ += percent_encode(name);
    text_ += '=';
    text_ += percent_encode(value);
    return *this;
}

KCONTROL_DECL std::string query_builder::after(std::string_view path) const {
    std::string out(path);
    if (!text_.empty()) out += "?" + text_;
    return out;
}

}  // namespace kcontrol::http
