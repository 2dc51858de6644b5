#pragma once

#include <kcontrol/documents/detail/yaml_scalar.hpp>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>

namespace kcontrol::inline v0_1::json::detail {

inline bool yaml_is_one_of(std::string_view text, std::initializer_list<std::string_view> words) noexcept {
    return std::find(words.begin(), words.end(), text) != words.end();
}

inline bool yaml_is_null(std::string_view text) noexcept {
    return yaml_is_one_of(text, {"", "~", "null", "Null", "NULL"});
}

inline std::optional<bool> yaml_boolean(std::string_view text) noexcept {
    if (yaml_is_one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"})) return true;
    if (yaml_is_one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N"})) {
        return false;
    }
    return std::nullopt;
}

inline bool yaml_is_not_finite(std::string_view text) noexcept {
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    return yaml_is_one_of(text, {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"});
}

// An integer as Go's strconv.ParseInt with base 0 reads it, then ParseUint: a sign, 0x, 0o, 0b, or 0 for octal.
inline std::optional<value> yaml_integer(std::string_view text) {
    const bool negative = text.starts_with('-');
    const bool sign = negative || text.starts_with('+');
    if (sign) text.remove_prefix(1);
    int base = 10;
    if (text.size() > 1 && text[0] == '0') {
        const char letter = static_cast<char>(text[1] | 0x20);
        base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
        text.remove_prefix(letter == 'x' || letter == 'b' || letter == 'o' ? 2 : 1);
    }
    std::uint64_t magnitude = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
    if (text.empty() || failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    constexpr std::uint64_t limit = std::uint64_t{1} << 63;
    if (negative) {
        if (magnitude > limit) return std::nullopt;
        return value(static_cast<std::int64_t>(0 - magnitude));
    }
    if (magnitude < limit) return value(static_cast<std::int64_t>(magnitude));
    if (sign) return std::nullopt;
    return value(magnitude);
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?, within a double's range.
inline std::optional<double> yaml_float(std::string_view text) noexcept {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || !(text[0] == '.' || (text[0] >= '0' && text[0] <= '9'))) return std::nullopt;  // inf, nan
    double number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end != text.data() + text.size()) return std::nullopt;
    if (failure == std::errc::result_out_of_range && text.find_first_of("eE") != std::string_view::npos &&
        text.find('-') != std::string_view::npos) {
        return 0.0;  // too small is zero; too large stays text
    }
    if (failure != std::errc()) return std::nullopt;
    return negative ? -number : number;
}

inline std::optional<value> yaml_number(std::string_view text) {
    if (text.empty() || std::string_view("+-.0123456789").find(text[0]) == std::string_view::npos) return std::nullopt;
    std::string digits(text);
    std::erase(digits, '_');
    if (auto integer = yaml_integer(digits)) return integer;
    if (const auto number = yaml_float(digits)) return value(*number);
    return std::nullopt;
}

KCONTROL_DECL result<value> yaml_resolve(std::string_view text, std::string_view tag, bool plain) {
    const auto fail = [](std::string what) { return error(errc::decode_failed, std::move(what)); };
    constexpr std::string_view core = "tag:yaml.org,2002:";
    if (tag == "!" || tag == "tag:yaml.org,2002:str" || (tag.empty() && !plain)) return value(text);
    if (!tag.empty() && !tag.starts_with(core)) return fail("tag that is not a core one");
    const std::string_view type = tag.empty() ? tag : tag.substr(core.size());
    if (!type.empty() && !yaml_is_one_of(type, {"null", "bool", "int", "float"})) {
        return fail("tag that is not a core one");
    }

    const bool any = type.empty();
    if ((any || type == "float") && yaml_is_not_finite(text)) {
        return fail("infinities and NaN have no JSON form; put the text in quotes");
    }
    if ((any || type == "null") && yaml_is_null(text)) return value(nullptr);
    if (any || type == "bool") {
        if (const auto truth = yaml_boolean(text)) return value(*truth);
    }
    if (any || type == "int" || type == "float") {
        if (const auto number = yaml_number(text)) {
            if (any || type == (number->is_double() ? "float" : "int")) return *number;
            if (type == "float") return value(number->to_number<double>());
        }
    }
    if (any) return value(text);
    return fail("scalar that does not fit its tag !!" + std::string(type));
}

}  // namespace kcontrol::json::detail
