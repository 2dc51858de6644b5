// What the command line says about the state file.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include "defaults.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace training_monitor {

/// What --state, --key-file, --retain-for and --retain-size say.
class state_options {
public:
    state_options() = default;

    /// Empty: nothing is kept.
    state_options& file(std::string v) { return file_ = std::move(v), *this; }
    state_options& key_file(std::string v) { return key_file_ = std::move(v), *this; }
    state_options& retain_for(kcontrol::duration v) { return retain_for_ = v, *this; }
    /// Bytes.
    state_options& retain_size(std::uint64_t v) { return retain_size_ = v, *this; }

    const std::string& file() const noexcept { return file_; }
    const std::string& key_file() const noexcept { return key_file_; }
    kcontrol::duration retain_for() const noexcept { return retain_for_; }
    std::uint64_t retain_size() const noexcept { return retain_size_; }

private:
    std::string file_;
    std::string key_file_;
    kcontrol::duration retain_for_ = defaults::retain_for;
    std::uint64_t retain_size_ = defaults::retain_size;
};

/// "30d", "12h", "90m" or "45s", more than nothing and at most 100 years. Errors: invalid_argument.
kcontrol::result<kcontrol::duration> parse_period(std::string_view text);

/// Bytes: "64KiB", "500MiB", "1GiB" or "1TiB", at least 1 MiB. Errors: invalid_argument.
kcontrol::result<std::uint64_t> parse_size(std::string_view text);

}  // namespace training_monitor
