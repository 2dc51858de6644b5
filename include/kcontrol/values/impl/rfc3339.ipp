#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/values/rfc3339.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1 {
namespace detail {

/// Takes numbers and single characters off the front of a time.
class rfc3339_reader {
public:
    explicit rfc3339_reader(std::string_view text) : text_(text) {}

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

    // Go's layout has the hour as "15", which takes one digit or two.
    bool hour(int& out) { return number(2, out) || number(1, out); }

    bool fraction(std::int32_t& nanoseconds) {
        std::int32_t unit = 100'000'000;
        bool any = false;
        while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9') {
            nanoseconds += unit * (text_.front() - '0');
            unit /= 10;
            any = true;
            text_.remove_prefix(1);
        }
        return any;
    }

    // Seconds east of UTC. `zulu`: the letters that stand for none.
    bool offset(std::string_view zulu, int& out) {
        if (character(zulu)) return true;
        const bool west = !text_.empty() && text_.front() == '-';
        int hours = 0, minutes = 0;
        // Go's bounds: "some people do write offsets of 24 hours or 60 minutes".
        if (!character("+-") || !number(2, hours) || !character(":") || !number(2, minutes) || hours > 24 ||
            minutes > 60) {
            return false;
        }
        out = (hours * 60 + minutes) * (west ? -60 : 60);
        return true;
    }

    bool done() const { return text_.empty(); }

private:
    std::string_view text_;
};

class rfc3339_parts {
public:
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    int offset = 0;  // seconds
    std::int32_t nanoseconds = 0;
};

// The form that servers write, 2006-01-02T15:04:05Z, without looking at one letter after the other.
class usual_rfc3339 {
public:
    explicit usual_rfc3339(const char* text) : text_(text) {}

    bool read(rfc3339_parts& out) {
        out.year = two_digits(0) * 100 + two_digits(2);
        out.month = two_digits(5);
        out.day = two_digits(8);
        out.hour = two_digits(11);
        out.minute = two_digits(14);
        out.second = two_digits(17);
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

inline bool read_rfc3339_parts(std::string_view text, bool small_letters, rfc3339_parts& out) {
    if (text.size() == std::size("2006-01-02T15:04:05Z") - 1 && usual_rfc3339(text.data()).read(out)) return true;
    out = {};
    rfc3339_reader in(text);
    const bool read = in.number(4, out.year) && in.character("-") && in.number(2, out.month) && in.character("-") &&
                      in.number(2, out.day) && in.character(small_letters ? "Tt" : "T") && in.hour(out.hour) &&
                      in.character(":") && in.number(2, out.minute) && in.character(":") && in.number(2, out.second);
    if (!read || (in.character(".,") && !in.fraction(out.nanoseconds))) return false;
    return in.offset(small_letters ? "Zz" : "Z", out.offset) && in.done();
}

inline std::optional<rfc3339_time> read_rfc3339(std::string_view text, bool small_letters) {
    rfc3339_parts parts;
    if (!read_rfc3339_parts(text, small_letters, parts)) return std::nullopt;
    const std::chrono::year_month_day date(std::chrono::year(parts.year),
                                           std::chrono::month(static_cast<unsigned>(parts.month)),
                                           std::chrono::day(static_cast<unsigned>(parts.day)));
    if (!date.ok() || parts.hour > 23 || parts.minute > 59 || parts.second > 59) return std::nullopt;
    rfc3339_time out;
    const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    out.seconds = ((days * 24 + parts.hour) * 60 + parts.minute) * 60 + parts.second - parts.offset;
    out.nanoseconds = parts.nanoseconds;
    out.offset = parts.offset;
    return out;
}

inline error no_rfc3339(std::string_view text) {
    return error(errc::invalid_argument, "\"" + escape_control(text.substr(0, 64)) +
                                             "\" is not a time; expected RFC 3339, as in 2024-05-01T12:00:00Z");
}

}  // namespace detail

KCONTROL_DECL result<rfc3339_time> rfc3339_time::parse(std::string_view text) {
    const auto at = detail::read_rfc3339(text, true);
    if (!at) return detail::no_rfc3339(text);
    return *at;
}

KCONTROL_DECL result<rfc3339_time> rfc3339_time::parse_as_go(std::string_view text) {
    const auto at = detail::read_rfc3339(text, false);
    if (!at) return detail::no_rfc3339(text);
    return *at;
}

}  // namespace kcontrol
