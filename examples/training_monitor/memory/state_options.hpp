// What the command line says about the state file.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace training_monitor {

struct state_options {
    std::string file;  ///< empty: nothing is kept
    std::string key_file;
    kcontrol::duration retain_for = std::chrono::hours(24 * 30);
    std::uint64_t retain_size = std::uint64_t{1} << 30;
};

/// "30d", "12h", "90m" or "45s", more than nothing and at most 100 years. Errors: invalid_argument.
kcontrol::result<kcontrol::duration> parse_retention(std::string_view text);

/// Bytes: "64KiB", "500MiB", "1GiB" or "1TiB", at least 1 MiB. Errors: invalid_argument.
kcontrol::result<std::uint64_t> parse_size(std::string_view text);

}  // namespace training_monitor
