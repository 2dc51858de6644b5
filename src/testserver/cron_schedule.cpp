#include "testserver/cron_schedule.hpp"

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/values/api_duration.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

using cron_result = std::optional<std::string>;  // what is wrong

class cron_field {
public:
    unsigned least, most;
    std::string_view names;  // of three letters each, the first one is the least
};

// Minute, hour, day of the month, month, day of the week.
constexpr std::array<cron_field, 5> cron_fields{
    cron_field{0, 59, {}},
    cron_field{0, 23, {}},
    cron_field{1, 31, {}},
    cron_field{1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
    cron_field{0, 6, "sunmontuewedthufrisat"},
};

std::vector<std::string_view> split_at(std::string_view text, std::string_view separators, bool keeps_empty) {
    std::vector<std::string_view> out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
        if (keeps_empty || end != at) out.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

cron_result read_cron_number(std::string_view text, std::string_view names, unsigned first, unsigned& out) {
    const std::string name = ascii_lower(text);
    const std::size_t place = name.size() == 3 ? names.find(name) : std::string_view::npos;
    if (place != std::string_view::npos && place % 3 == 0) {
        out = first + static_cast<unsigned>(place / 3);
        return std::nullopt;
    }
    int number = 0;
    const std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const std::string quoted(text);
    if (problem != std::errc() || end != digits.data() + digits.size()) {
        const char* why = problem == std::errc::result_out_of_range ? "value out of range" : "invalid syntax";
        return "failed to parse int from " + quoted + ": strconv.Atoi: parsing \"" + quoted + "\": " + why;
    }
    if (number < 0) return "negative number (" + std::to_string(number) + ") not allowed: " + quoted;
    out = static_cast<unsigned>(number);
    return std::nullopt;
}

// One of the ranges that commas separate: *, ?, a, a-b, each with /step.
cron_result check_cron_range(std::string_view text, const cron_field& field) {
    const auto parts = split_at(text, "/", true);
    const auto ends = split_at(parts.front(), "-", true);
    unsigned begin = field.least, end = field.most, step = 1;
    const bool all = ends.front() == "*" || ends.front() == "?";
    const std::string whole(text);
    if (!all) {
        if (auto wrong = read_cron_number(ends.front(), field.names, field.least, begin)) return wrong;
        end = begin;
        if (ends.size() > 2) return "too many hyphens: " + whole;
        if (ends.size() == 2) {
            if (auto wrong = read_cron_number(ends[1], field.names, field.least, end)) return wrong;
        }
    }
    if (parts.size() > 2) return "too many slashes: " + whole;
    if (parts.size() == 2) {
        if (auto wrong = read_cron_number(parts[1], {}, 0, step)) return wrong;
        if (ends.size() == 1) end = field.most;
    }
    const auto bound = [&whole](const char* what, unsigned value, const char* relation, unsigned limit) {
        return std::string(what) + " (" + std::to_string(value) + ") " + relation + " (" + std::to_string(limit) +
               "): " + whole;
    };
    if (begin < field.least) return bound("beginning of range", begin, "below minimum", field.least);
    if (end > field.most) return bound("end of range", end, "above maximum", field.most);
    if (begin > end) return bound("beginning of range", begin, "beyond end of range", end);
    if (step == 0) return "step of range should be a positive number: " + whole;
    return std::nullopt;
}

cron_result check_cron_word(std::string_view text) {
    constexpr std::string_view every = "@every ";
    for (const std::string_view known :
         {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}) {
        if (text == known) return std::nullopt;
    }
    const std::string whole(text);
    if (!text.starts_with(every)) return "unrecognized descriptor: " + whole;
    const std::string_view time = text.substr(every.size());
    if (parse_duration(time)) return std::nullopt;
    return "failed to parse duration " + whole + ": time: invalid duration \"" + std::string(time) + "\"";
}

}  // namespace
}  // namespace detail

std::optional<std::string> cron_problem(std::string_view schedule) {
    if (schedule.empty()) return "empty spec string";
    for (const std::string_view zone : {"TZ=", "CRON_TZ="}) {
        if (!schedule.starts_with(zone)) continue;
        const std::size_t blank = schedule.find(' ');
        if (blank == std::string_view::npos) return std::nullopt;  // Kubernetes says what is wrong with zones elsewhere
        schedule.remove_prefix(std::min(schedule.find_first_not_of(' ', blank), schedule.size()));
    }
    if (schedule.starts_with('@')) return detail::check_cron_word(schedule);
    const auto words = detail::split_at(schedule, " \t\n\v\f\r", false);
    if (words.size() != detail::cron_fields.size()) {
        std::string shown;
        for (const auto& word : words) shown.append(shown.empty() ? "" : " ").append(word);
        return "expected exactly 5 fields, found " + std::to_string(words.size()) + ": [" + shown + "]";
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (const auto& range : detail::split_at(words[i], ",", false)) {
            if (auto wrong = detail::check_cron_range(range, detail::cron_fields[i])) return wrong;
        }
    }
    return std::nullopt;
}

}  // namespace kcontrol::testing
