#include "table/query_values.hpp"

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/values/api_duration.hpp>

#include "jobs/job_view.hpp"

#include <chrono>
#include <string>

namespace training_monitor {

kcontrol::error bad_parameter(std::string_view parameter, std::string_view value, std::string_view remedy) {
    return kcontrol::error(
        kcontrol::errc::invalid_argument,
        "parameter " + std::string(parameter) + ": " + kcontrol::in_quotes(value) + " " + std::string(remedy));
}

std::optional<std::int64_t> parse_since(std::string_view value, kcontrol::wall_time now) {
    if (const auto time = parse_rfc3339_seconds(value)) return time;
    const auto ago = kcontrol::parse_duration(value);
    if (!ago || *ago < std::chrono::nanoseconds(0)) return std::nullopt;
    const auto then = now - std::chrono::duration_cast<kcontrol::wall_time::duration>(*ago);
    return std::chrono::floor<std::chrono::seconds>(then.time_since_epoch()).count();
}

}  // namespace training_monitor
