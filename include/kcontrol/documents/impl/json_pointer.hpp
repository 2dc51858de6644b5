// JSON Pointers (RFC 6901), which the operations of a JSON Patch name their places with.
#pragma once

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/base/result.hpp>

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::json::detail {

inline error patch_error(std::string message) { return error(errc::invalid_argument, std::move(message)); }

// The reference tokens of a JSON Pointer (RFC 6901 §3 and §4).
inline result<std::vector<std::string>> patch_parse_pointer(std::string_view text) {
    std::vector<std::string> out;
    if (text.empty()) return out;
    if (text.front() != '/') return patch_error("path does not begin with '/'");
    for (char c : text) {
        if (c == '/') {
            out.emplace_back();
        } else {
            out.back() += c;
        }
    }
    for (std::string& token : out) {
        std::string plain;
        for (std::size_t i = 0; i < token.size(); ++i) {
            if (token[i] != '~') {
                plain += token[i];
                continue;
            }
            const char next = i + 1 < token.size() ? token[i + 1] : '\0';
            if (next != '0' && next != '1') return patch_error("path with '~' that is neither ~0 nor ~1");
            plain += next == '0' ? '~' : '/';
            ++i;
        }
        token = std::move(plain);
    }
    return out;
}

inline std::string patch_escape_token(std::string_view name) {
    std::string out;
    for (char c : name) {
        if (c == '~') {
            out += "~0";
        } else if (c == '/') {
            out += "~1";
        } else {
            out += c;
        }
    }
    return out;
}

// An array index as RFC 6901 §4 spells it: no sign, no leading zero.
inline result<std::size_t> patch_parse_index(std::string_view token, std::size_t limit) {
    std::size_t index = 0;
    const auto [end, failure] = std::from_chars(token.data(), token.data() + token.size(), index);
    if (failure != std::errc() || end != token.data() + token.size() || (token.size() > 1 && token[0] == '0')) {
        return patch_error(in_quotes(token) + " is no array index");
    }
    if (index >= limit) return patch_error("array index " + std::string(token) + " is out of range");
    return index;
}

}  // namespace kcontrol::json::detail
