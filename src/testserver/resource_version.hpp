// Reads a resourceVersion.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace kcontrol::inline v0_1::testing::detail {

/// A resourceVersion's number; nothing if it is not one.
inline std::optional<std::uint64_t> parse_version(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace kcontrol::testing::detail
