#pragma once

#include <kcontrol/cel/impl/functions.hpp>
#include <kcontrol/cel/value_schema.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kcontrol::inline v0_1::cel::detail {
template <class T>
inline std::optional<T> number_of(std::string_view text) {
    T out{};
    // Go takes a plus, from_chars does not.
    if (text.starts_with('+') && !text.starts_with("+-") && std::is_signed_v<T>) text.remove_prefix(1);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return out;
}

inline std::optional<value> to_whole(const value& v, bool& overflow) {
    if (v.get<std::int64_t>() != nullptr) return v;
    if (const auto* x = v.get<std::uint64_t>()) {
        overflow = *x > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return value(static_cast<std::int64_t>(*x));
    }
    if (const auto* x = v.get<double>()) {
        // Both bounds are out: a double next to them is not sure to be a whole number.
        overflow = !(*x > -9223372036854775808.0 && *x < 9223372036854775808.0);
        return value(overflow ? std::int64_t(0) : static_cast<std::int64_t>(*x));
    }
    if (const auto* x = v.get<std::string>()) {
        if (const auto read = number_of<std::int64_t>(*x)) return value(*read);
    }
    if (const auto* x = v.get<timestamp_value>()) return value(x->seconds);
    if (const auto* x = v.get<duration_value>()) return value(x->nanoseconds);
    return std::nullopt;
}

inline std::optional<value> to_unsigned(const value& v, bool& overflow) {
    if (v.get<std::uint64_t>() != nullptr) return v;
    if (const auto* x = v.get<std::int64_t>()) {
        overflow = *x < 0;
        return value(static_cast<std::uint64_t>(*x));
    }
    if (const auto* x = v.get<double>()) {
        overflow = !(*x >= 0 && *x < 18446744073709551616.0);
        return value(overflow ? std::uint64_t(0) : static_cast<std::uint64_t>(*x));
    }
    if (const auto* x = v.get<std::string>()) {
        if (const auto read = number_of<std::uint64_t>(*x)) return value(*read);
    }
    return std::nullopt;
}

inline std::optional<value> to_fraction(const value& v) {
    if (v.get<double>() != nullptr) return v;
    if (const auto* x = v.get<std::int64_t>()) return value(static_cast<double>(*x));
    if (const auto* x = v.get<std::uint64_t>()) return value(static_cast<double>(*x));
    if (const auto* x = v.get<std::string>()) {
        if (const auto read = number_of<double>(*x)) return value(*read);
    }
    return std::nullopt;
}

inline bool is_utf8(std::string_view text) {
    for (const auto& one : characters_of(text)) {
        const auto first = static_cast<unsigned char>(one.front());
        const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        if (one.size() != length || first > 0xF4) return false;
    }
    return true;
}

inline value_result to_string_value(const value& v) {
    if (v.get<std::string>() != nullptr) return v;
    if (const auto* x = v.get<bool>()) return value(std::string(*x ? "true" : "false"));
    if (const auto* x = v.get<std::int64_t>()) return value(std::to_string(*x));
    if (const auto* x = v.get<std::uint64_t>()) return value(std::to_string(*x));
    if (const auto* x = v.get<double>()) {
        if (std::isnan(*x)) return value(std::string("NaN"));
        if (std::isinf(*x)) return value(std::string(*x > 0 ? "+Inf" : "-Inf"));
        return value(to_text(*x));
    }
    if (const auto* x = v.get<bytes_value>()) {
        if (!is_utf8(x->octets)) return evaluation_error("invalid UTF-8 in bytes, cannot convert to string");
        return value(x->octets);
    }
    if (const auto* x = v.get<timestamp_value>()) return value(to_text(*x));
    if (const auto* x = v.get<duration_value>()) return value(to_text(*x));
    if (const auto* x = v.get<ip_value>()) return value(to_text(*x));
    if (const auto* x = v.get<cidr_value>()) return value(to_text(*x));
    return no_overload();
}

inline std::optional<value> to_boolean(const value& v) {
    if (v.get<bool>() != nullptr) return v;
    const auto* text = v.get<std::string>();
    if (text == nullptr) return std::nullopt;
    for (const char* one : {"1", "t", "T", "true", "TRUE", "True"}) {
        if (*text == one) return value(true);
    }
    for (const char* one : {"0", "f", "F", "false", "FALSE", "False"}) {
        if (*text == one) return value(false);
    }
    return std::nullopt;
}

inline std::optional<value> to_timestamp(const value& v, bool& overflow) {
    if (v.get<timestamp_value>() != nullptr) return v;
    if (const auto* x = v.get<std::int64_t>()) {
        overflow = *x < -62'135'596'800 || *x > 253'402'300'799;
        return value(timestamp_value{*x, 0, 0});
    }
    if (const auto* x = v.get<std::string>()) {
        if (const auto read = parse_timestamp(*x)) return value(*read);
    }
    return std::nullopt;
}

inline std::optional<value> to_duration(const value& v) {
    if (v.get<duration_value>() != nullptr) return v;
    if (const auto* x = v.get<std::int64_t>()) return value(duration_value{*x});
    if (const auto* x = v.get<std::string>()) {
        if (const auto read = parse_go_duration(*x)) return value(*read);
    }
    return std::nullopt;
}

KCONTROL_DECL function_answer convert_value(std::string_view to, const function_arguments& arguments) {
    if (arguments.size() != 1) return std::nullopt;
    const value& v = arguments[0];
    if (to == "string") return to_string_value(v);
    bool overflow = false;
    std::string_view type = to;
    const char* what = "integer overflow";
    std::optional<value> out;
    if (to == "int") {
        out = to_whole(v, overflow);
    } else if (to == "uint") {
        out = to_unsigned(v, overflow);
        what = "unsigned integer overflow";
    } else if (to == "double") {
        out = to_fraction(v);
    } else if (to == "bool") {
        out = to_boolean(v);
    } else if (to == "bytes") {
        if (const auto* x = v.get<std::string>()) out = value(bytes_value{*x});
        if (v.get<bytes_value>() != nullptr) out = v;
    } else if (to == "timestamp") {
        out = to_timestamp(v, overflow);
        what = "timestamp overflow";
        type = "google.protobuf.Timestamp";
    } else if (to == "duration") {
        out = to_duration(v);
        type = "google.protobuf.Duration";
    } else {
        return std::nullopt;
    }
    if (overflow) return evaluation_error(what);
    if (out) return std::move(*out);
    if (v.get<std::string>() == nullptr) return no_overload();
    return evaluation_error("type conversion error from 'string' to '" + std::string(type) + "'");
}

}  // namespace kcontrol::cel::detail
