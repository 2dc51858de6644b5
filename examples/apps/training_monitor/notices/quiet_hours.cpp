#include "notices/quiet_hours.hpp"

#include <kcontrol/base/in_quotes.hpp>

#include "notices/config_error.hpp"

#include <string>

namespace training_monitor::notices {
namespace {

using std::chrono::minutes;

constexpr minutes day = std::chrono::hours(24);

std::optional<minutes> read_clock(std::string_view text) {
    const auto digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9' ? text[at] - '0' : 100; };
    if (text.size() != 5 || text[2] != ':') return std::nullopt;
    const int hour = 10 * digit(0) + digit(1), minute = 10 * digit(3) + digit(4);
    if (hour > 23 || minute > 59) return std::nullopt;
    return minutes(60 * hour + minute);
}

}  // namespace

kcontrol::result<quiet_hours> read_quiet_hours(std::string_view from, std::string_view to, std::string_view offset) {
    quiet_hours out;
    const auto begin = read_clock(from), end = read_clock(to);
    if (!begin || !end) {
        return bad_config((begin ? "to: " + kcontrol::in_quotes(to) : "from: " + kcontrol::in_quotes(from)) +
                          " is not a time of the day, such as \"22:00\"");
    }
    if (*begin == *end)
        return bad_config("to: it is the same as from; for a rule that is always quiet say silent: true");
    out.from = *begin;
    out.to = *end;
    if (offset.empty()) return out;
    const bool ahead = offset.front() == '+', behind = offset.front() == '-';
    const auto by = ahead || behind ? read_clock(offset.substr(1)) : std::nullopt;
    if (!by || *by > std::chrono::hours(14)) {
        return bad_config("utcOffset: " + kcontrol::in_quotes(offset) + " is not an offset, such as \"+08:00\"");
    }
    out.offset = ahead ? *by : -*by;
    return out;
}

std::optional<kcontrol::wall_time> quiet_until(const quiet_hours& hours, kcontrol::wall_time now) {
    const auto local = now + hours.offset;
    const auto midnight = std::chrono::floor<std::chrono::days>(local);
    const auto since = local - midnight;
    const bool over_midnight = hours.to < hours.from;
    const bool before_end = since < hours.to, after_begin = since >= hours.from;
    if (over_midnight ? !before_end && !after_begin : !before_end || !after_begin) return std::nullopt;
    const auto end = midnight + hours.to + (over_midnight && after_begin ? day : minutes(0));
    return kcontrol::wall_time(end - hours.offset);
}

}  // namespace training_monitor::notices
