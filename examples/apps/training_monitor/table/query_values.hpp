// What the queries of the API share: lists with commas, times, and the words for what is wrong.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace training_monitor {

/// invalid_argument: `parameter P: "VALUE" REMEDY`.
kcontrol::error bad_parameter(std::string_view parameter, std::string_view value, std::string_view remedy);

/// Seconds since the epoch of an RFC 3339 time, or of how long before `now` ("90m", "24h"); nothing: it is neither.
std::optional<std::int64_t> parse_since(std::string_view value, kcontrol::wall_time now);

/// Calls `take` with each part of a list with commas, until one is an error. Parts may be empty.
template <class Take>
kcontrol::result<void> each_of(std::string_view list, Take take) {
    do {
        const auto comma = std::min(list.find(','), list.size());
        const auto taken = take(list.substr(0, comma));
        if (!taken) return taken.error();
        list.remove_prefix(std::min(comma + 1, list.size()));
    } while (!list.empty());
    return {};
}

}  // namespace training_monitor
