// What a JSONPath selects, printed as Go prints it.
#pragma once

#include <kcontrol/documents/impl/json_path_program.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

// Scientific digits with at least two digits of exponent, "1e+06".
inline std::string scientific(double number) {
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::scientific);
    return {digits, end.ptr};
}

inline std::string fixed_digits(double number) {
    char digits[400];
    const auto end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed);
    return {digits, end.ptr};
}

// As fmt.Print has a float64.
inline std::string go_text_of(double number) {
    const std::string text = scientific(number);
    const auto exponent = std::atoi(text.c_str() + text.find('e') + 1);
    return exponent < -4 || exponent >= 6 ? text : fixed_digits(number);
}

// As encoding/json has it: one digit of exponent is enough there.
inline std::string go_json_of(double number) {
    const double size = std::fabs(number);
    if (size == 0 || (size >= 1e-6 && size < 1e21)) return fixed_digits(number);
    std::string text = scientific(number);
    const auto e = text.find('e');
    if (text[e + 1] == '-' && text.size() == e + 4 && text[e + 2] == '0') text.erase(e + 2, 1);
    return text;
}

inline double real_number(const json::value& v) { return v.to_number<double>(); }

// encoding/json escapes what HTML would take for its own.
inline void append_go_string(std::string_view text, std::string& out) {
    static constexpr char hex[] = "0123456789abcdef";
    out += '"';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        constexpr std::string_view special = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
        if (const auto at = special.find(c); at != std::string_view::npos) {
            out += {'\\', letters[at]};
        } else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&') {
            out.append("\\u00") += {hex[(c >> 4) & 15], hex[c & 15]};
        } else if (text.substr(i).starts_with("\xe2\x80\xa8") || text.substr(i).starts_with("\xe2\x80\xa9")) {
            out += text[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
            i += 2;
        } else {
            out += c;
        }
    }
    out += '"';
}

inline void append_go_json(const json::value& v, std::string& out) {
    if (v.is_string()) return append_go_string(v.get_string(), out);
    if (v.is_null()) return void(out += "null");
    if (v.is_bool()) return void(out += v.get_bool() ? "true" : "false");
    if (const auto whole = whole_number(v)) return void(out += std::to_string(*whole));
    if (v.is_number()) return void(out += go_json_of(real_number(v)));
    if (v.is_array()) {
        out += '[';
        for (const auto& element : v.get_array()) {
            append_go_json(element, out);
            out += ',';
        }
        if (out.back() == ',') out.pop_back();
        out += ']';
        return;
    }
    std::vector<std::pair<std::string_view, const json::value*>> sorted;
    for (const auto& member : v.get_object()) sorted.emplace_back(member.key(), &member.value());
    std::sort(sorted.begin(), sorted.end());
    out += '{';
    for (const auto& [name, value] : sorted) {
        append_go_string(name, out);
        out += ':';
        append_go_json(*value, out);
        out += ',';
    }
    if (out.back() == ',') out.pop_back();
    out += '}';
}

}  // namespace detail

KCONTROL_DECL std::string printed(const std::vector<const json::value*>& values) {
    std::string out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const json::value& v = *values[i];
        if (i != 0) out += ' ';
        if (v.is_string()) {
            out += v.get_string();
        } else if (v.is_number() && !detail::whole_number(v)) {
            out += detail::go_text_of(detail::real_number(v));
        } else {
            detail::append_go_json(v, out);
        }
    }
    return out;
}

}  // namespace kcontrol
