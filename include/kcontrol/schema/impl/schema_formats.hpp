// The formats that a schema may name, and how a text is checked against one.
#pragma once

#include <kcontrol/schema/impl/pattern_set.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

struct schema_format {
    std::string_view name;     ///< without dashes
    std::string_view pattern;  ///< empty: not checked here
    std::size_t longest = std::size_t(-1);
};

/// The formats that the API server knows (apiextensions-apiserver, validation/formats.go), with the patterns of
/// kube-openapi's strfmt and of govalidator.
inline constexpr schema_format schema_formats[] = {
    {"bsonobjectid", ""},
    {"byte", "^(?:[A-Za-z0-9+\\/]{4})*(?:[A-Za-z0-9+\\/]{2}==|[A-Za-z0-9+\\/]{3}=|[A-Za-z0-9+\\/]{4})$"},
    {"cidr", ""},
    {"creditcard", ""},
    {"date", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
    {"datetime",
     "^[0-9]{4}-[0-9]{2}-[0-9]{2}[tT]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?([zZ]|([+-][0-9]{2}:"
     "[0-9]{2}))$"},
    {"duration", ""},
    {"email", ""},
    {"hexcolor", "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"},
    {"hostname",
     "^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-"
     "\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$",
     255},
    {"ipv4", ""},
    {"ipv6", ""},
    {"isbn", ""},
    {"isbn10", ""},
    {"isbn13", ""},
    {"k8slongname", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", 253},
    {"k8sshortname", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", 63},
    {"mac", ""},
    {"password", ""},
    {"rgbcolor", ""},
    {"ssn", "^\\d{3}[- ]?\\d{2}[- ]?\\d{4}$"},
    {"uri", ""},
    {"uuid", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
    {"uuid3", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
    {"uuid4", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
    {"uuid5", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
};

/// Null for a format that means nothing to the server. Dashes don't count.
inline const schema_format* find_schema_format(std::string_view name) {
    std::string bare(name);
    std::erase(bare, '-');
    const auto* found = std::ranges::find(schema_formats, bare, &schema_format::name);
    return found == std::end(schema_formats) ? nullptr : found;
}

/// Whether a text that begins with digits like a date names a day that exists.
inline bool is_calendar_day(std::string_view text) {
    const auto number = [&](std::size_t at, std::size_t digits) {
        int value = 0;
        for (const char c : text.substr(at, digits)) value = value * 10 + (c - '0');
        return value;
    };
    const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
    if (month < 1 || month > 12 || day < 1) return false;
    constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return day <= days[month - 1] + (leap ? 1 : 0);
}

inline bool has_schema_format(const schema_format& format, std::string_view text, pattern_set& patterns) {
    if (format.pattern.empty()) return true;
    if (text.size() > format.longest || !patterns.matches(format.pattern, text)) return false;
    return !format.name.starts_with("date") || is_calendar_day(text);
}

}  // namespace kcontrol::detail
