#pragma once

#include <kcontrol/http/impl/url_text.hpp>
#include <kcontrol/http/url.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::http {

KCONTROL_DECL result<std::string> encode_path_segment(std::string_view name) {
    if (name.empty()) return detail::url_error("a name in a path may not be empty");
    if (name == "." || name == "..") return detail::url_error("a name in a path may not be \".\" or \"..\"");
    std::string out;
    out.reserve(name.size());
    for (char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '/' || c == '%' || byte < 0x20 || byte == 0x7f) {
            return detail::url_error("name " + in_quotes(name) +
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
