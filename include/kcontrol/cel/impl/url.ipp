#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/cel/url.hpp>

#include <algorithm>
#include <optional>

namespace kcontrol::inline v0_1::cel {

namespace detail {

inline int hex_digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

inline bool is_url_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_url_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads a URL; what is wrong with it is in `problem`.
class url_reader {
public:
    std::string problem;

    std::string unescaped(std::string_view text, bool plus_is_space) {
        std::string out;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '%') {
                const int high = i + 2 < text.size() ? hex_digit_of(text[i + 1]) : -1;
                const int low = i + 2 < text.size() ? hex_digit_of(text[i + 2]) : -1;
                if (high < 0 || low < 0) return fail("invalid URL escape \"" + std::string(text.substr(i, 3)) + "\"");
                out += static_cast<char>(high * 16 + low);
                i += 2;
            } else {
                out += text[i] == '+' && plus_is_space ? ' ' : text[i];
            }
        }
        return out;
    }

    // The scheme is cut off from `rest`.
    std::string scheme(std::string_view& rest) {
        for (std::size_t i = 0; i < rest.size(); ++i) {
            const char c = rest[i];
            if (is_url_letter(c)) continue;
            if (is_url_digit(c) || c == '+' || c == '-' || c == '.') {
                if (i == 0) return {};
                continue;
            }
            if (c != ':') return {};
            if (i == 0) return fail("missing protocol scheme");
            std::string out = ascii_lower(rest.substr(0, i));
            rest.remove_prefix(i + 1);
            return out;
        }
        return {};
    }

    std::string host(std::string_view authority) {
        const std::size_t at = authority.rfind('@');
        if (at != std::string_view::npos) {
            const std::string_view user = authority.substr(0, at);
            const bool valid = std::all_of(user.begin(), user.end(), [](char c) {
                return is_url_letter(c) || is_url_digit(c) ||
                       std::string_view("-._:~!$&'()*+,;=%@").find(c) != std::string_view::npos;
            });
            if (!valid) return fail("net/url: invalid userinfo");
            static_cast<void>(unescaped(user, false));
            authority.remove_prefix(at + 1);
        }
        if (authority.starts_with('[')) {
            const std::size_t end = authority.rfind(']');
            if (end == std::string_view::npos) return fail("missing ']' in host");
            if (!is_port(authority.substr(end + 1))) return bad_port(authority.substr(end + 1));
        } else if (const std::size_t colon = authority.rfind(':'); colon != std::string_view::npos) {
            if (!is_port(authority.substr(colon))) return bad_port(authority.substr(colon));
        }
        for (const char c : authority) {
            const bool fits = is_url_letter(c) || is_url_digit(c) || (static_cast<unsigned char>(c) & 0x80U) != 0 ||
                              std::string_view("-_.~!$&'()*+,;=:[]<>\"%").find(c) != std::string_view::npos;
            if (!fits) return fail("invalid character \"" + std::string(1, c) + "\" in host name");
        }
        return unescaped(authority, false);
    }

    // Go keeps a path's own escapes if they are valid ones, else it escapes the path anew.
    std::string path(std::string_view written) {
        const std::string plain = unescaped(written, false);
        const bool valid = std::all_of(written.begin(), written.end(), [](char c) {
            return is_url_letter(c) || is_url_digit(c) ||
                   std::string_view("-_.~!$&'()*+,;=:@[]%/").find(c) != std::string_view::npos;
        });
        if (valid) return std::string(written);
        std::string out;
        for (const char c : plain) {
            constexpr std::string_view digits = "0123456789ABCDEF", plain_signs = "-_.~$&+,/:;=@";
            if (is_url_letter(c) || is_url_digit(c) || plain_signs.find(c) != std::string_view::npos) {
                out += c;
                continue;
            }
            const auto octet = static_cast<unsigned char>(c);
            out += '%';
            out += digits[octet / 16U];
            out += digits[octet % 16U];
        }
        return out;
    }

private:
    static bool is_port(std::string_view port) {
        return port.empty() || (port.front() == ':' && std::all_of(port.begin() + 1, port.end(), is_url_digit));
    }
    std::string bad_port(std::string_view port) {
        return fail("invalid port \"" + std::string(port) + "\" after host");
    }
    std::string fail(std::string what) {
        if (problem.empty()) problem = std::move(what);
        return {};
    }
};

}  // namespace detail

KCONTROL_DECL result<url_value> parse_url_value(std::string_view text) {
    const auto refuse = [text](const std::string& why) {
        return error(errc::invalid_argument, "parse \"" + std::string(text) + "\": " + why);
    };
    if (text.empty()) return refuse("empty url");
    const bool control =
        std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
    if (control) return refuse("net/url: invalid control character in URL");
    detail::url_reader reader;
    url_value out;
    out.text = text;
    std::string_view rest = text.substr(0, text.find('#'));
    out.scheme = reader.scheme(rest);
    if (!reader.problem.empty()) return refuse(reader.problem);
    if (const std::size_t mark = rest.find('?'); mark != std::string_view::npos) {
        out.query = rest.substr(mark + 1);
        rest = rest.substr(0, mark);
    }
    if (!rest.starts_with('/')) {
        if (out.scheme.empty()) return refuse("invalid URI for request");
        return out;  // opaque, as "mailto:a@b"
    }
    if (!out.scheme.empty() && rest.starts_with("//")) {
        rest.remove_prefix(2);
        const std::size_t end = std::min(rest.find('/'), rest.size());
        out.host = reader.host(rest.substr(0, end));
        rest.remove_prefix(end);
    }
    out.path = reader.path(rest);
    if (!reader.problem.empty()) return refuse(reader.problem);
    return out;
}

KCONTROL_DECL std::string url_value::hostname() const {
    if (host.starts_with('[')) return host.substr(1, host.rfind(']') - 1);
    return host.substr(0, host.rfind(':'));
}

KCONTROL_DECL std::string url_value::port() const {
    const std::size_t end = host.rfind(']'), colon = host.rfind(':');
    if (colon == std::string::npos || (end != std::string::npos && colon < end)) return {};
    return host.substr(colon + 1);
}

KCONTROL_DECL std::map<std::string, std::vector<std::string>> url_value::query_values() const {
    std::map<std::string, std::vector<std::string>> out;
    std::string_view rest = query;
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        if (pair.empty() || pair.find(';') != std::string_view::npos) continue;
        const std::size_t sign = pair.find('=');
        detail::url_reader reader;
        const std::string key = reader.unescaped(pair.substr(0, sign), true);
        const std::string value =
            reader.unescaped(sign == std::string_view::npos ? std::string_view() : pair.substr(sign + 1), true);
        if (reader.problem.empty()) out[key].push_back(value);
    }
    return out;
}

}  // namespace kcontrol::cel
