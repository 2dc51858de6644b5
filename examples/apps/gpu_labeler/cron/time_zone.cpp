#include "cron/time_zone.hpp"

#include "messages.hpp"

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

namespace gpu_labeler::cron {
namespace {

// Abseil would also read a file whose path is given as the name; no schedule may choose a file.
bool is_zone_name(std::string_view name) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-/";
    return !name.empty() && name.size() < 100 && name.front() != '/' && name.find_first_not_of(letters) == name.npos;
}

}  // namespace

struct time_zone::rules {
    absl::TimeZone zone;
};

kcontrol::result<time_zone> time_zone::load(std::string_view name) {
    if (name == "Local") return local();
    absl::TimeZone zone;
    if (is_zone_name(name) && absl::LoadTimeZone(absl::string_view(name.data(), name.size()), &zone)) {
        return time_zone(std::make_shared<const rules>(rules{zone}));
    }
    return bad_argument("time zone: " + in_quotes(name) +
                        " is not known here; use a name such as Europe/Berlin or UTC, " +
                        "and see that the package tzdata is installed");
}

time_zone time_zone::utc() { return time_zone(std::make_shared<const rules>(rules{absl::UTCTimeZone()})); }
time_zone time_zone::local() { return time_zone(std::make_shared<const rules>(rules{absl::LocalTimeZone()})); }
time_zone time_zone::fixed(int offset) {
    return time_zone(std::make_shared<const rules>(rules{absl::FixedTimeZone(offset)}));
}

time_zone::stretch time_zone::stretch_at(std::int64_t second) const {
    const auto at = absl::FromUnixSeconds(second);
    const auto info = rules_->zone.At(at);
    absl::TimeZone::CivilTransition change;
    if (!rules_->zone.NextTransition(at, &change)) return {info.offset, std::nullopt};
    return {info.offset, second + (change.from - info.cs)};
}

std::string time_zone::format(std::int64_t second) const {
    auto text = absl::FormatTime(absl::RFC3339_sec, absl::FromUnixSeconds(second), rules_->zone);
    if (text.ends_with("+00:00")) text.replace(text.size() - 6, 6, "Z");
    return text;
}

}  // namespace gpu_labeler::cron
