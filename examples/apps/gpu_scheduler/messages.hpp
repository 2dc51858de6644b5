// Words that errors have in common.
#pragma once

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/base/result.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gpu_scheduler {

using kcontrol::in_quotes;
using kcontrol::result;

inline kcontrol::error bad_value(std::string message) {
    return kcontrol::error(kcontrol::errc::invalid_argument, std::move(message));
}

/// The whole text as a decimal integer that is not negative, or none.
inline std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t out = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (failed != std::errc() || end != text.data() + text.size() || out < 0 || text.starts_with('-')) return {};
    return out;
}

}  // namespace gpu_scheduler
