#pragma once

#include <kcontrol/base/trim.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/values/impl/quantity_amount.hpp>

#include <charconv>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::int32_t quantity_exponent(std::int64_t exponent) {
    return static_cast<std::int32_t>(std::min<std::int64_t>(exponent, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace detail

KCONTROL_DECL quantity::amount quantity::exact() const {
    if (!is_large_) return {detail::quantity_integer(mantissa_), exponent_};
    // What was capped is not large; a sum that is beyond the cap stays so.
    return amount::from(*detail::quantity_split(text_), false);
}

KCONTROL_DECL void quantity::assign_small(std::int64_t mantissa, std::int64_t exponent) {
    while (mantissa != 0 && mantissa % 10 == 0) {
        mantissa /= 10;
        ++exponent;
    }
    is_large_ = false;
    mantissa_ = mantissa;
    exponent_ = mantissa == 0 ? 0 : detail::quantity_exponent(exponent);
}

KCONTROL_DECL void quantity::set_amount(amount& value) {
    detail::quantity_strip_zeros(value.mantissa, value.exponent);
    const auto small = detail::quantity_narrow(value.mantissa);
    assign_small(small.value_or(value.mantissa.sign()), value.exponent);
    is_large_ = !small;
}

KCONTROL_DECL void quantity::assign(amount value) {
    set_amount(value);
    text_ = is_large_ ? print(value) : canonical();
}

KCONTROL_DECL quantity::quantity(std::int64_t mantissa, std::int32_t exponent, quantity_format format)
    : format_(format) {
    amount value{detail::quantity_integer(mantissa), exponent};
    if (value.exponent < detail::quantity_nano) value.rescale(detail::quantity_nano);
    assign(std::move(value));
}

KCONTROL_DECL result<quantity> quantity::parse(std::string_view text) {
    const auto parts = detail::quantity_split(text);
    if (!parts) return detail::quantity_error(text);
    // Go takes another way for these, which insists on a digit.
    const bool insists = parts->tens < detail::quantity_nano || parts->twos >= 50;
    if (!parts->any_digit && insists) return detail::quantity_error(text);
    quantity out;
    out.format_ = parts->format;
    if (parts->digits.size() <= 18 && parts->twos == 0 && parts->tens >= detail::quantity_nano) {
        if (!parts->digits.empty()) {
            std::int64_t mantissa = 0;
            std::from_chars(parts->digits.data(), parts->digits.data() + parts->digits.size(), mantissa);
            out.assign_small(parts->negative ? -mantissa : mantissa, parts->tens);
        }
    } else {
        amount value = amount::from(*parts, true);
        out.set_amount(value);
    }
    if (out.format_ == quantity_format::binary_si && out.is_below(0)) out.format_ = quantity_format::decimal_si;
    out.text_ = text;
    return out;
}

// Whether 0 < |amount| < 10^power.
KCONTROL_DECL bool quantity::is_below(std::int64_t power) const {
    return mantissa_ != 0 && !is_large_ && detail::quantity_digits(mantissa_) + exponent_ <= power;
}

KCONTROL_DECL bool quantity::is_zero() const noexcept { return mantissa_ == 0; }

KCONTROL_DECL int quantity::sign() const noexcept { return mantissa_ < 0 ? -1 : mantissa_ > 0 ? 1 : 0; }

KCONTROL_DECL std::int64_t quantity::scaled_value(std::int32_t scale) const {
    const std::int64_t shift = std::int64_t{exponent_} - scale;
    if (!is_large_ && shift >= -detail::quantity_small_power) {
        if (mantissa_ == 0) return 0;
        if (shift > detail::quantity_small_power) return detail::quantity_saturate(mantissa_ < 0);
        const auto wide = static_cast<detail::quantity_wide>(mantissa_);
        const auto scaled =
            shift >= 0 ? wide * detail::quantity_power_of_ten(shift)
                       : detail::quantity_divide_up<detail::quantity_wide>(wide, detail::quantity_power_of_ten(-shift));
        return detail::quantity_narrow(scaled).value_or(detail::quantity_saturate(mantissa_ < 0));
    }
    // More than 64 bits of digits, none of them a trailing zero.
    if (shift >= 0) return detail::quantity_saturate(mantissa_ < 0);
    amount value = exact();
    value.rescale(scale);
    return detail::quantity_narrow(value.mantissa).value_or(detail::quantity_saturate(mantissa_ < 0));
}

KCONTROL_DECL std::optional<std::int64_t> quantity::as_int64() const {
    if (is_large_ || exponent_ < 0 || (mantissa_ != 0 && exponent_ > detail::quantity_small_power)) return std::nullopt;
    return detail::quantity_narrow(static_cast<detail::quantity_wide>(mantissa_) *
                                   detail::quantity_power_of_ten(exponent_));
}

KCONTROL_DECL double quantity::as_double() const {
    const amount value = exact();
    const std::string text = value.mantissa.str() + "e" + std::to_string(value.exponent);
    double number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc::result_out_of_range) return number;
    return sign() * std::numeric_limits<double>::infinity();
}

KCONTROL_DECL result<void> custom_codec<quantity>::decode(json::node from, quantity& to) {
    using json::kind;
    const auto found = from.kind();
    std::string number;
    std::string_view text;
    if (found == kind::string) {
        text = trim_blanks(from.as_string());
    } else if (found == kind::integer || found == kind::unsigned_integer || found == kind::number) {
        text = number = from.to_json();
    } else {
        return error(errc::decode_failed, "expected a quantity as a string or a number");
    }
    auto read = quantity::parse(text);
    if (!read) return error(errc::decode_failed, read.error().message());
    to = std::move(*read);
    return {};
}

KCONTROL_DECL void custom_codec<quantity>::encode(const quantity& from, json::writer& to) { to.value(from.text()); }

}  // namespace kcontrol
