#include "testserver/go_time.hpp"

#include <kcontrol/values/rfc3339.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

bool has_digits(std::string_view text, std::size_t from, std::size_t count) {
    const std::string_view digits = text.size() < from ? std::string_view() : text.substr(from, count);
    return digits.size() == count && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

// As Go's package time quotes what it could not read.
std::string time_quote(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte >= 0x80) {
            std::array<char, 5> escaped{};
            std::snprintf(escaped.data(), escaped.size(), "\\x%02x", static_cast<unsigned>(byte));
            out += escaped.data();
            continue;
        }
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

// Says which part of the layout a text fails at. It reads no time: rfc3339_time does.
// Source of order and messages: time.Parse of Go 1.25, format.go
class time_complaint {
public:
    time_complaint(std::string_view text, bool micro)
        : whole_(text),
          rest_(text),
          layout_(micro ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00"),
          micro_(micro) {}

    // Nothing if all parts are there, each in its range.
    std::optional<std::string> find() {
        const bool formed = year() && literal("-") && number("01", "month", 1, 12) && literal("-") &&
                            number("02", "day", 0, 99) && literal("T") && number("15", "hour", 0, 23) && literal(":") &&
                            number("04", "minute", 0, 59) && literal(":") && number("05", "second", 0, 59) &&
                            fraction() && zone();
        if (formed && !rest_.empty()) fail(": extra text: " + time_quote(rest_));
        return std::move(problem_);
    }
    std::string no_such_day() {
        fail(": day out of range");
        return std::move(*problem_);
    }

private:
    bool fail(const std::string& message) {
        problem_ = "parsing time " + time_quote(whole_) + message;
        return false;
    }
    bool unreadable(std::string_view part) {
        return fail(" as " + time_quote(layout_) + ": cannot parse " + time_quote(rest_) + " as " + time_quote(part));
    }

    bool literal(std::string_view one) {
        if (!rest_.starts_with(one)) return unreadable(one);
        rest_.remove_prefix(one.size());
        return true;
    }
    bool year() {
        if (!has_digits(rest_, 0, 4)) return unreadable("2006");
        rest_.remove_prefix(4);
        return true;
    }
    // Of two digits. "15" in a layout takes one as well.
    bool number(std::string_view part, const char* what, int least, int most) {
        const std::size_t width = part == "15" && !has_digits(rest_, 0, 2) ? 1 : 2;
        if (!has_digits(rest_, 0, width)) return unreadable(part);
        int value = 0;
        for (const char digit : rest_.substr(0, width)) value = value * 10 + (digit - '0');
        rest_.remove_prefix(width);
        return (value >= least && value <= most) || fail(std::string(": ") + what + " out of range");
    }
    bool fraction() {
        constexpr std::size_t micro_digits = 6;
        const bool begins = rest_.starts_with('.') || rest_.starts_with(',');
        if (micro_) {
            if (!begins || !has_digits(rest_, 1, micro_digits)) return unreadable(".000000");
            rest_.remove_prefix(1 + micro_digits);
        } else if (begins && has_digits(rest_, 1, 1)) {
            rest_.remove_prefix(1);
            rest_.remove_prefix(std::min(rest_.find_first_not_of("0123456789"), rest_.size()));
        }
        return true;
    }
    bool zone() {
        constexpr std::string_view form = "+07:00";
        if (rest_.starts_with('Z')) {
            rest_.remove_prefix(1);
            return true;
        }
        const bool formed = (rest_.starts_with('+') || rest_.starts_with('-')) && has_digits(rest_, 1, 2) &&
                            rest_.substr(3).starts_with(':') && has_digits(rest_, 4, 2);
        if (!formed) return unreadable("Z07:00");
        // "24" and "60" pass: Go says that some people write them.
        if (rest_.substr(1, 2) > "24") return fail(": time zone offset hour out of range");
        if (rest_.substr(4, 2) > "60") return fail(": time zone offset minute out of range");
        rest_.remove_prefix(form.size());
        return true;
    }

    std::string_view whole_, rest_, layout_;
    bool micro_;
    std::optional<std::string> problem_;
};

std::string show_in_utc(const rfc3339_time& time, bool micro) {
    const std::chrono::sys_seconds at{std::chrono::seconds(time.seconds)};
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(at - day);
    std::array<char, 64> out{};
    std::snprintf(out.data(), out.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                  static_cast<int>(clock.seconds().count()));
    std::string text = out.data();
    if (micro) {
        std::snprintf(out.data(), out.size(), ".%06d", time.nanoseconds / 1000);
        text += out.data();
    }
    return text + "Z";
}

}  // namespace
}  // namespace detail

go_time read_go_time(std::string_view text, bool micro) {
    go_time out;
    detail::time_complaint complaint(text, micro);
    out.problem = complaint.find();
    if (out.problem) return out;
    auto read = rfc3339_time::parse_as_go(text);
    if (!read) {
        out.problem = complaint.no_such_day();
        return out;
    }
    rfc3339_time time = *read;
    if (!micro) time.nanoseconds = 0;
    if (!time.is_zero()) out.shown = detail::show_in_utc(time, micro);
    return out;
}

}  // namespace kcontrol::testing
