#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/values/int_or_string.hpp>

#include <charconv>
#include <cmath>
#include <limits>

namespace kcontrol::inline v0_1 {
namespace detail {

// strconv.ParseInt: a sign, digits, nothing else. The code is result_out_of_range where `out` is the nearest there is.
template <class Integer>
std::errc read_go_integer(std::string_view text, Integer& out) noexcept {
    out = 0;
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return std::errc::invalid_argument;
    }
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (end != text.data() + text.size()) return std::errc::invalid_argument;
    if (code == std::errc::result_out_of_range) {
        out = text.starts_with('-') ? std::numeric_limits<Integer>::min() : std::numeric_limits<Integer>::max();
    }
    return code;
}

}  // namespace detail

KCONTROL_DECL int_or_string int_or_string::parse(std::string_view text) {
    std::int32_t number = 0;
    if (detail::read_go_integer(text, number) == std::errc()) return number;
    return text;
}

KCONTROL_DECL std::int64_t int_or_string::int_value() const noexcept {
    if (!is_string()) return number_;
    std::int64_t number = 0;
    return detail::read_go_integer(text_, number) == std::errc::invalid_argument ? 0 : number;
}

KCONTROL_DECL result<std::int64_t> int_or_string::scaled_value(std::int64_t total, bool round_up) const {
    if (!is_string()) return std::int64_t{number_};
    const std::string_view share_text = text_;
    std::int64_t percent = 0;
    const bool read = share_text.ends_with('%') &&
                      detail::read_go_integer(share_text.substr(0, share_text.size() - 1), percent) == std::errc();
    if (!read) {
        return error(errc::invalid_argument, "\"" + escape_control(share_text.substr(0, 64)) +
                                                 "\" is neither a number nor a percentage; expected 3 or \"25%\"");
    }
    const double share = static_cast<double>(percent) * static_cast<double>(total) / 100;
    const double rounded = round_up ? std::ceil(share) : std::floor(share);
    if (rounded >= 9223372036854775808.0) return std::numeric_limits<std::int64_t>::max();
    if (rounded < -9223372036854775808.0) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(rounded);
}

}  // namespace kcontrol
