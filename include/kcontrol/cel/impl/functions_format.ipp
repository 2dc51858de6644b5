#pragma once

#include <kcontrol/cel/impl/functions.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace kcontrol::inline v0_1::cel::detail {

inline error format_error(std::string_view what, const value& v) {
    return evaluation_error("error during formatting: " + std::string(what) + ", was given " +
                            std::string(v.type_name()));
}

inline result<std::string> shown_text(const value& v);

// A part of a list or map, as CEL writes it.
inline result<std::string> shown_item(const value& v) {
    if (v.get<std::string>() != nullptr) return json::serialize(v.to_json());
    if (const auto* bytes = v.get<bytes_value>()) return "b" + json::serialize(json::value(bytes->octets));
    if (const auto* at = v.get<timestamp_value>()) return "timestamp(\"" + to_text(*at) + "\")";
    if (const auto* span = v.get<duration_value>()) return "duration(\"" + to_text(*span) + "\")";
    if (const auto* fraction = v.get<double>()) {
        if (std::isnan(*fraction)) return std::string("\"NaN\"");
        if (std::isinf(*fraction)) return std::string(*fraction > 0 ? "\"+Inf\"" : "\"-Inf\"");
        char digits[400];
        const auto end = std::to_chars(digits, std::end(digits), *fraction, std::chars_format::fixed, 6);
        return std::string(digits, end.ptr);
    }
    return shown_text(v);
}

// %s
inline result<std::string> shown_text(const value& v) {
    if (v.get<std::nullptr_t>() != nullptr) return std::string("null");
    if (const auto* type = v.get<type_value>()) return type->name;
    if (const auto* list = v.get<list_value>()) {
        std::string out = "[";
        for (std::size_t i = 0; i < list->size(); ++i) {
            const auto one = list->at(i);
            const auto part = one ? shown_item(*one) : result<std::string>(one.error());
            if (!part) return part;
            out += (i == 0 ? "" : ", ") + *part;
        }
        return out + "]";
    }
    if (const auto* map = v.get<map_value>()) {
        std::map<std::string, std::string> sorted;
        for (const auto& key : map->keys()) {
            const auto value = *map->find(key);
            const auto name = shown_item(key), part = value ? shown_item(*value) : result<std::string>(value.error());
            if (!name) return name;
            if (!part) return part;
            sorted[*name] = *part;
        }
        std::string out = "{";
        for (const auto& [name, part] : sorted) out += (out.size() == 1 ? "" : ", ") + name + ":" + part;
        return out + "}";
    }
    const bool known = v.get<std::string>() != nullptr || v.get<bool>() != nullptr || v.is_number() ||
                       v.get<bytes_value>() != nullptr || v.get<timestamp_value>() != nullptr ||
                       v.get<duration_value>() != nullptr;
    if (!known) {
        return format_error(
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
            "types, durations, and timestamps",
            v);
    }
    auto text = *convert_value("string", {v});
    if (!text) return text.error();
    return *text->get<std::string>();
}

inline std::string with_commas(std::string digits) {
    const std::size_t sign = digits.starts_with('-') ? 1 : 0;
    for (std::size_t at = std::min(digits.find('.'), digits.size()); at > sign + 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

// "1.234500e+03" as Go prints it in English: 1.234500×10⁰³.
inline std::string with_superscripts(const std::string& scientific) {
    static constexpr std::string_view above[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const std::size_t e = scientific.find('e');
    std::string out = scientific.substr(0, e) + "×10";
    for (const char c : scientific.substr(e + 1)) {
        if (c == '-') out += "⁻";
        if (c >= '0' && c <= '9') out += above[static_cast<std::size_t>(c - '0')];
    }
    return out;
}

// %f and %e: of doubles, in Go's English. A precision does not count for %e.
inline result<std::string> shown_fraction(const value& v, char clause, int precision) {
    if (const auto* text = v.get<std::string>()) {
        if (*text == "NaN") return *text;
        if (*text == "Infinity" || *text == "-Infinity") return std::string(text->front() == '-' ? "-∞" : "∞");
    }
    const auto* fraction = v.get<double>();
    if (fraction == nullptr) {
        return format_error(
            std::string(clause == 'f' ? "fixed-point" : "scientific") + " clause can only be used on doubles", v);
    }
    if (std::isnan(*fraction)) return std::string("NaN");
    if (std::isinf(*fraction)) return std::string(*fraction > 0 ? "∞" : "-∞");
    char digits[1500];
    const bool fixed = clause == 'f';
    const auto end =
        std::to_chars(digits, std::end(digits), *fraction,
                      fixed ? std::chars_format::fixed : std::chars_format::scientific, fixed ? precision : 6);
    const std::string out(digits, end.ptr);
    return fixed ? with_commas(out) : with_superscripts(out);
}

inline std::string in_upper_case(std::string text) {
    for (char& c : text) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
    return text;
}

inline result<std::string> shown_in_base(const value& v, char clause) {
    const int base = clause == 'b' ? 2 : clause == 'o' ? 8 : 16;
    const auto print = [&](auto number) {
        char digits[80];
        const auto end = std::to_chars(digits, std::end(digits), number, base);
        const std::string out(digits, end.ptr);
        return clause == 'X' ? in_upper_case(out) : out;
    };
    if (const auto* x = v.get<std::int64_t>()) return print(*x);
    if (const auto* x = v.get<std::uint64_t>()) return print(*x);
    if (const auto* x = v.get<bool>(); x != nullptr && clause == 'b') return std::string(*x ? "1" : "0");
    if (base != 16) {
        return format_error(clause == 'b' ? "only integers and bools can be formatted as binary"
                                          : "octal clause can only be used on integers",
                            v);
    }
    const auto* text = v.get<std::string>();
    const auto* bytes = v.get<bytes_value>();
    if (text == nullptr && bytes == nullptr) {
        return format_error("only integers, byte buffers, and strings can be formatted as hex", v);
    }
    std::string out;
    for (const char c : text != nullptr ? *text : bytes->octets) {
        constexpr std::string_view digits = "0123456789abcdef";
        const auto octet = static_cast<unsigned char>(c);
        out += digits[octet / 16U];
        out += digits[octet % 16U];
    }
    return clause == 'X' ? in_upper_case(out) : out;
}

inline result<std::string> shown_by_clause(const value& v, char clause, int precision) {
    switch (clause) {
    case 's': return shown_text(v);
    case 'd':
        if (v.get<std::int64_t>() != nullptr || v.get<std::uint64_t>() != nullptr) return shown_text(v);
        return format_error("decimal clause can only be used on integers", v);
    case 'f':
    case 'e': return shown_fraction(v, clause, precision);
    case 'b':
    case 'o':
    case 'x':
    case 'X': return shown_in_base(v, clause);
    default:
        return evaluation_error(std::string("could not parse formatting clause: unrecognized formatting clause \"") +
                                clause + "\"");
    }
}

KCONTROL_DECL value_result format_text(const std::string& pattern, const list_value& arguments) {
    std::string out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            out += pattern[i];
            continue;
        }
        if (++i == pattern.size()) return evaluation_error("unexpected end of string");
        if (pattern[i] == '%') {
            out += '%';
            continue;
        }
        int precision = 6;
        if (pattern[i] == '.') {
            const char* const first = pattern.data() + i + 1;
            const auto read = std::from_chars(first, pattern.data() + pattern.size(), precision);
            if (read.ec != std::errc() || precision < 0 || precision > 1000 ||
                read.ptr == pattern.data() + pattern.size()) {
                return evaluation_error(
                    "could not parse formatting clause: error while converting precision to integer");
            }
            i = static_cast<std::size_t>(read.ptr - pattern.data());
        }
        if (next >= arguments.size()) return evaluation_error("index " + std::to_string(next) + " out of range");
        const auto one = arguments.at(next++);
        if (!one) return one;
        const auto part = shown_by_clause(*one, pattern[i], precision);
        if (!part) return part.error();
        out += *part;
    }
    return value(std::move(out));
}

}  // namespace kcontrol::cel::detail
