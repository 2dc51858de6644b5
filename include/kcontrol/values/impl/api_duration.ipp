#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/values/api_duration.hpp>

#include <cstdint>
#include <optional>

namespace kcontrol::inline v0_1 {
namespace detail {

inline constexpr std::uint64_t duration_limit = std::uint64_t{1} << 63;

struct duration_unit {
    std::string_view name;
    std::uint64_t nanoseconds;
};

inline constexpr duration_unit duration_units[] = {
    {"ns", 1},
    {"us", 1'000},
    {"\xc2\xb5s", 1'000},  // micro sign
    {"\xce\xbcs", 1'000},  // Greek mu
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"h", 3'600'000'000'000},
};

inline bool is_duration_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Reads "1.5h" after "1.5h" off the front of a duration's text.
class duration_reader {
public:
    explicit duration_reader(std::string_view text) : text_(text) {}

    // The sum of all terms, at most 2^63.
    std::optional<std::uint64_t> read() {
        std::uint64_t sum = 0;
        while (!text_.empty()) {
            const auto next = term();
            if (!next) return std::nullopt;
            sum += *next;  // both are at most 2^63
            if (sum > duration_limit || (*next == duration_limit && sum != *next)) return std::nullopt;
        }
        return sum;
    }

private:
    std::optional<std::uint64_t> term() {
        const std::size_t before = text_.size();
        const auto whole = number();
        if (!whole) return std::nullopt;
        bool digits = text_.size() != before;
        std::uint64_t fraction = 0;
        double scale = 1;
        if (text_.starts_with('.')) {
            text_.remove_prefix(1);
            const std::size_t before_fraction = text_.size();
            read_fraction(fraction, scale);
            digits = digits || text_.size() != before_fraction;
        }
        if (!digits) return std::nullopt;
        const std::uint64_t unit = read_unit();
        if (unit == 0 || *whole > duration_limit / unit) return std::nullopt;
        // Go calculates fractions as doubles, too.
        const double part = static_cast<double>(fraction) * (static_cast<double>(unit) / scale);
        const std::uint64_t value = *whole * unit + static_cast<std::uint64_t>(part);
        if (value > duration_limit) return std::nullopt;
        return value;
    }

    std::optional<std::uint64_t> number() {
        std::uint64_t value = 0;
        for (; !text_.empty() && is_duration_digit(text_.front()); text_.remove_prefix(1)) {
            if (value > duration_limit / 10) return std::nullopt;
            value = value * 10 + static_cast<std::uint64_t>(text_.front() - '0');
            if (value > duration_limit) return std::nullopt;
        }
        return value;
    }

    // Digits beyond 64 bits are skipped.
    void read_fraction(std::uint64_t& value, double& scale) {
        bool full = false;
        for (; !text_.empty() && is_duration_digit(text_.front()); text_.remove_prefix(1)) {
            if (full || value > (duration_limit - 1) / 10) {
                full = true;
                continue;
            }
            const auto next = value * 10 + static_cast<std::uint64_t>(text_.front() - '0');
            if (next > duration_limit) {
                full = true;
                continue;
            }
            value = next;
            scale *= 10;
        }
    }

    std::uint64_t read_unit() {
        std::size_t length = 0;
        while (length < text_.size() && text_[length] != '.' && !is_duration_digit(text_[length])) ++length;
        const auto name = text_.substr(0, length);
        text_.remove_prefix(length);
        for (const auto& unit : duration_units) {
            if (unit.name == name) return unit.nanoseconds;
        }
        return 0;
    }

    std::string_view text_;
};

// `value` divided by ten to the power of `digits`, with as much of a fraction as it has.
inline std::string duration_decimal(std::uint64_t value, int digits) {
    std::uint64_t power = 1;
    for (int i = 0; i < digits; ++i) power *= 10;
    std::string text = std::to_string(value / power);
    if (value % power == 0) return text;
    const std::string fraction = std::to_string(power + value % power);  // the power keeps leading zeros
    text += '.' + fraction.substr(1);
    text.erase(text.find_last_not_of('0') + 1);
    return text;
}

}  // namespace detail

KCONTROL_DECL result<std::chrono::nanoseconds> parse_duration(std::string_view text) {
    const bool negative = text.starts_with('-');
    const auto terms = text.substr(negative || text.starts_with('+') ? 1 : 0);
    if (terms == "0") return std::chrono::nanoseconds(0);
    const auto sum = terms.empty() ? std::nullopt : detail::duration_reader(terms).read();
    if (!sum || (!negative && *sum == detail::duration_limit)) {
        return error(errc::invalid_argument, "\"" + escape_control(text.substr(0, 64)) +
                                                 "\" is not a duration; expected numbers with the units h, m, s, ms, "
                                                 "us, ns, as in 1h30m, of at most 2562047h");
    }
    // Unsigned negation, since -2^63 has no positive counterpart.
    return std::chrono::nanoseconds(static_cast<std::int64_t>(negative ? -*sum : *sum));
}

KCONTROL_DECL std::string format_duration(std::chrono::nanoseconds length) {
    const bool negative = length.count() < 0;
    auto value = static_cast<std::uint64_t>(length.count());
    if (negative) value = -value;
    std::string text = negative ? "-" : "";
    if (value == 0) return "0s";
    if (value < 1'000) return text + std::to_string(value) + "ns";
    if (value < 1'000'000) return text + detail::duration_decimal(value, 3) + "\xc2\xb5s";
    if (value < 1'000'000'000) return text + detail::duration_decimal(value, 6) + "ms";
    constexpr std::uint64_t minute = 60'000'000'000;
    const auto minutes = value / minute;
    if (minutes >= 60) text += std::to_string(minutes / 60) + "h";
    if (minutes > 0) text += std::to_string(minutes % 60) + "m";
    return text + detail::duration_decimal(value % minute, 9) + "s";
}

KCONTROL_DECL result<void> custom_codec<api_duration>::decode(json::node from, api_duration& to) {
    if (!from.is_string()) return error(errc::decode_failed, "expected a duration as a string, as in \"1h30m\"");
    const auto read = parse_duration(from.as_string());
    if (!read) return error(errc::decode_failed, read.error().message());
    to = *read;
    return {};
}

KCONTROL_DECL void custom_codec<api_duration>::encode(const api_duration& from, json::writer& to) {
    to.value(format_duration(from.length()));
}

}  // namespace kcontrol
