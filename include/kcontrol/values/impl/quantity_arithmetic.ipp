#pragma once

#include <kcontrol/values/impl/quantity_amount.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::weak_ordering quantity::compare(const quantity& other) const {
    if (sign() != other.sign()) return sign() <=> other.sign();
    if (!is_large_ && !other.is_large_) {
        if (exponent_ == other.exponent_ || mantissa_ == 0) return mantissa_ <=> other.mantissa_;
        const std::int64_t mine = detail::quantity_digits(mantissa_) + exponent_;
        const std::int64_t theirs = detail::quantity_digits(other.mantissa_) + other.exponent_;
        if (mine != theirs) return sign() * mine <=> sign() * theirs;
        // As many digits before the point, so the exponents differ by less than 19.
        auto a = static_cast<detail::quantity_wide>(mantissa_);
        auto b = static_cast<detail::quantity_wide>(other.mantissa_);
        if (exponent_ > other.exponent_) {
            a *= detail::quantity_power_of_ten(exponent_ - other.exponent_);
        } else {
            b *= detail::quantity_power_of_ten(other.exponent_ - exponent_);
        }
        return a < b ? std::weak_ordering::less : a > b ? std::weak_ordering::greater : std::weak_ordering::equivalent;
    }
    amount a = exact();
    amount b = other.exact();
    const auto mine = a.magnitude();
    const auto theirs = b.magnitude();
    if (mine != theirs) return sign() * mine <=> sign() * theirs;
    const auto exponent = std::min(a.exponent, b.exponent);
    a.rescale(exponent);
    b.rescale(exponent);
    return a.mantissa.compare(b.mantissa) <=> 0;
}

KCONTROL_DECL quantity& quantity::add(const quantity& other, int sign_of_other) {
    if (is_zero()) format_ = other.format_;
    const std::int64_t gap = std::int64_t{exponent_} - other.exponent_;
    constexpr auto limit = static_cast<std::int64_t>(2 * detail::quantity_max_digits);
    if (!is_large_ && !other.is_large_ && gap >= -detail::quantity_small_power && gap <= detail::quantity_small_power) {
        auto a = static_cast<detail::quantity_wide>(mantissa_);
        auto b = static_cast<detail::quantity_wide>(other.mantissa_) * sign_of_other;
        (gap > 0 ? a : b) *= detail::quantity_power_of_ten(gap > 0 ? gap : -gap);
        const auto exponent = std::min(exponent_, other.exponent_);
        if (const auto sum = detail::quantity_narrow(a + b)) {
            assign_small(*sum, exponent);
            text_ = canonical();
            return *this;
        }
    }
    amount a = exact();
    amount b = other.exact();
    if (sign_of_other < 0) b.mantissa = -b.mantissa;
    if (a.mantissa == 0 || (b.mantissa != 0 && b.exponent - a.exponent > limit)) {
        a = std::move(b);
    } else if (b.mantissa != 0 && a.exponent - b.exponent <= limit) {
        const auto exponent = std::min(a.exponent, b.exponent);
        a.rescale(exponent);
        b.rescale(exponent);
        a.mantissa += b.mantissa;
    }
    assign(std::move(a));
    return *this;
}

KCONTROL_DECL quantity& quantity::operator+=(const quantity& other) { return add(other, 1); }
KCONTROL_DECL quantity& quantity::operator-=(const quantity& other) { return add(other, -1); }

KCONTROL_DECL quantity& quantity::operator*=(std::int64_t factor) {
    amount value = exact();
    value.mantissa *= factor;
    assign(std::move(value));
    return *this;
}

KCONTROL_DECL quantity quantity::operator-() const {
    quantity out = *this;
    return out *= -1;
}

KCONTROL_DECL quantity& quantity::round_up(std::int32_t scale) {
    if (exponent_ >= scale || is_zero()) return *this;
    amount value = exact();
    if (value.exponent >= scale) return *this;
    value.rescale(scale);
    assign(std::move(value));
    return *this;
}

KCONTROL_DECL quantity quantity::in_format(quantity_format format) const {
    quantity out = *this;
    out.format_ = format;
    out.assign(exact());
    return out;
}

}  // namespace kcontrol
