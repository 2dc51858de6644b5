#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/values/time.hpp>

#include <chrono>
#include <cstdio>
#include <optional>

namespace kcontrol::inline v0_1 {
namespace detail {

/// Takes fixed-width numbers and single characters off the front of a timestamp.
class timestamp_reader {
public:
    explicit timestamp_reader(std::string_view text) : text_(text) {}

    bool number(std::size_t width, int& out) {
        if (text_.size() < width) return false;
        out = 0;
        for (const char c : text_.substr(0, width)) {
            if (c < '0' || c > '9') return false;
            out = out * 10 + (c - '0');
        }
        text_.remove_prefix(width);
        return true;
    }

    bool character(std::string_view allowed) {
        if (text_.empty() || allowed.find(text_.front()) == std::string_view::npos) return false;
        text_.remove_prefix(1);
        return true;
    }

    bool fraction(std::int64_t& nanoseconds) {
        std::int64_t unit = 100'000'000;
        bool any = false;
        while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9') {
            nanoseconds += unit * (text_.front() - '0');
            unit /= 10;
            any = true;
            text_.remove_prefix(1);
        }
        return any;
    }

    char front() const { return text_.empty() ? '\0' : text_.front(); }
    bool done() const { return text_.empty(); }

private:
    std::string_view text_;
};

inline std::optional<std::chrono::nanoseconds> read_offset(timestamp_reader& reader) {
    if (reader.character("Zz")) return std::chrono::nanoseconds(0);
    const bool west = reader.front() == '-';
    int hours = 0;
    int minutes = 0;
    if (!reader.character("+-") || !reader.number(2, hours) || !reader.character(":") || !reader.number(2, minutes) ||
        hours > 23 || minutes > 59) {
        return std::nullopt;
    }
    const auto offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
    return west ? -offset : offset;
}

// The form that servers write, 2006-01-02T15:04:05Z, without looking at one letter after the other.
class usual_timestamp {
public:
    explicit usual_timestamp(const char* text) : text_(text) {}

    bool read(int& year, int& month, int& day, int& hour, int& minute, int& second) {
        year = two_digits(0) * 100 + two_digits(2);
        month = two_digits(5);
        day = two_digits(8);
        hour = two_digits(11);
        minute = two_digits(14);
        second = two_digits(17);
        const int differs = (text_[4] ^ '-') | (text_[7] ^ '-') | (text_[10] ^ 'T') | (text_[13] ^ ':') |
                            (text_[16] ^ ':') | (text_[19] ^ 'Z');
        return good_ && differs == 0;
    }

private:
    int two_digits(std::size_t at) {
        const auto tens = static_cast<unsigned>(text_[at] - '0');
        const auto ones = static_cast<unsigned>(text_[at + 1] - '0');
        good_ = good_ & (tens < 10) & (ones < 10);
        return static_cast<int>(tens * 10 + ones);
    }

    const char* text_;
    bool good_ = true;
};

inline std::optional<wall_time> read_timestamp(std::string_view text) {
    timestamp_reader reader(text);
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    std::int64_t nanoseconds = 0;
    std::optional<std::chrono::nanoseconds> offset(0);
    const bool usual = text.size() == std::size("2006-01-02T15:04:05Z") - 1 &&
                       usual_timestamp(text.data()).read(year, month, day, hour, minute, second);
    const bool read =
        usual || (reader.number(4, year) && reader.character("-") && reader.number(2, month) && reader.character("-") &&
                  reader.number(2, day) && reader.character("Tt") && reader.number(2, hour) && reader.character(":") &&
                  reader.number(2, minute) && reader.character(":") && reader.number(2, second));
    if (!read) return std::nullopt;
    if (!usual) {
        if (reader.character(".") && !reader.fraction(nanoseconds)) return std::nullopt;
        offset = read_offset(reader);
        if (!offset || !reader.done()) return std::nullopt;
    }

    const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day)));
    if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
    // wall_time counts nanoseconds in 64 bits.
    if (year < 1678 || year > 2261) return std::nullopt;
    return wall_time(std::chrono::sys_days(date)) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
           std::chrono::seconds(second) + std::chrono::nanoseconds(nanoseconds) - *offset;
}

// `digits` of fraction: 0, 6 or 9.
inline std::string write_timestamp(wall_time at, int digits) {
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date(day);
    const auto second = std::chrono::floor<std::chrono::seconds>(at);
    const auto of_day = static_cast<int>((second - day).count());
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), of_day / 3600,
                  of_day / 60 % 60, of_day % 60);
    std::string out = text;
    if (digits > 0) {
        std::snprintf(text, sizeof text, ".%09d", static_cast<int>((at - second).count()));
        out.append(text, static_cast<std::size_t>(digits) + 1);
    }
    return out + "Z";
}

}  // namespace detail

KCONTROL_DECL result<wall_time> parse_time(std::string_view text) {
    const auto at = detail::read_timestamp(text);
    if (at) return *at;
    return error(errc::invalid_argument, "\"" + escape_control(text.substr(0, 64)) +
                                             "\" is not a time; expected RFC 3339, as in 2024-05-01T12:00:00Z, from "
                                             "1678 to 2261");
}

KCONTROL_DECL std::string format_time(wall_time at) { return detail::write_timestamp(at, 0); }
KCONTROL_DECL std::string format_micro_time(wall_time at) { return detail::write_timestamp(at, 6); }
KCONTROL_DECL std::string format_full_time(wall_time at) {
    if (std::chrono::floor<std::chrono::seconds>(at) == at) return format_time(at);
    std::string out = detail::write_timestamp(at, 9);
    out.erase(out.find_last_not_of("0Z") + 1);
    return out + "Z";
}

}  // namespace kcontrol
