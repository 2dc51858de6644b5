#pragma once

#include <kcontrol/values/impl/quantity_amount.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::string quantity::canonical() const {
    if (is_large_) return print(exact());
    if (format_ == quantity_format::binary_si && exponent_ >= 0 && exponent_ <= detail::quantity_small_power) {
        auto value = static_cast<detail::quantity_wide>(mantissa_) * detail::quantity_power_of_ten(exponent_);
        if (value > -1024 && value < 1024) return print_decimal(std::to_string(mantissa_), exponent_);
        int twos = 0;
        for (; value % 1024 == 0 && twos < 60; twos += 10) value /= 1024;
        if (const auto small = detail::quantity_narrow(value)) {
            return std::to_string(*small) + std::string(detail::quantity_suffix_of(0, twos));
        }
    }
    if (format_ == quantity_format::binary_si && exponent_ >= 0) return print(exact());
    return print_decimal(std::to_string(mantissa_), exponent_);
}

KCONTROL_DECL std::string quantity::print(const amount& value) const {
    const bool whole = value.exponent >= 0 && value.exponent <= static_cast<std::int64_t>(detail::quantity_max_digits);
    if (format_ != quantity_format::binary_si || !whole) return print_decimal(value.mantissa.str(), value.exponent);
    auto scaled = value;
    scaled.rescale(0);
    int twos = 0;
    for (; scaled.mantissa != 0 && scaled.mantissa % 1024 == 0 && twos < 60; twos += 10) scaled.mantissa /= 1024;
    return scaled.mantissa.str() + std::string(detail::quantity_suffix_of(0, twos));
}

// Exponents go in threes, so the digits may have to grow by up to two zeros.
KCONTROL_DECL std::string quantity::print_decimal(std::string digits, std::int64_t exponent) const {
    if (digits == "0") return digits;
    const std::int64_t pad = (exponent % 3 + 3) % 3;
    digits.append(static_cast<std::size_t>(pad), '0');
    exponent -= pad;
    if (exponent == 0) return digits;
    if (format_ == quantity_format::decimal_exponent || exponent > 18) return digits + "e" + std::to_string(exponent);
    return digits + std::string(detail::quantity_suffix_of(static_cast<int>(exponent), 0));
}

}  // namespace kcontrol
