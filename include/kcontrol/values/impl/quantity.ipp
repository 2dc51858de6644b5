#pragma once

#include <kcontrol/json/writer.hpp>
#include <kcontrol/values/detail/quantity_parts.hpp>
#include <kcontrol/values/quantity.hpp>

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace kcontrol {
namespace detail {

__extension__ typedef __int128 quantity_wide;
using quantity_integer = boost::multiprecision::cpp_int;

inline constexpr std::size_t quantity_max_digits = 10'000;
inline constexpr std::int64_t quantity_nano = -9;
inline constexpr std::int64_t quantity_max_int64 = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t quantity_min_int64 = std::numeric_limits<std::int64_t>::min();
// What a quantity_wide surely holds after a product of two.
inline constexpr std::int64_t quantity_small_power = 18;

inline constexpr std::int64_t quantity_power_of_ten(std::int64_t exponent) {
    std::int64_t power = 1;
    while (exponent-- > 0) power *= 10;
    return power;
}

inline quantity_integer quantity_large_power(std::int64_t exponent) {
    return boost::multiprecision::pow(quantity_integer(10), static_cast<unsigned>(exponent));
}

// a / b, rounded away from zero.
template <class Integer>
Integer quantity_divide_up(const Integer& a, const Integer& b) {
    Integer quotient = a / b;
    if (quotient * b != a) quotient += a < 0 ? -1 : 1;
    return quotient;
}

inline std::int64_t quantity_saturate(bool negative) { return negative ? quantity_min_int64 : quantity_max_int64; }

template <class Integer>
std::optional<std::int64_t> quantity_narrow(const Integer& value) {
    if (value > quantity_max_int64 || value < quantity_min_int64) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

inline std::int64_t quantity_digits(std::int64_t mantissa) {
    std::int64_t digits = 1;
    while (mantissa /= 10) ++digits;
    return digits;
}

// Takes the trailing zeros off; by ever larger powers first, for there may be ten thousand of them.
inline void quantity_strip_zeros(quantity_integer& mantissa, std::int64_t& exponent) {
    if (mantissa == 0) return;
    bool grows = true;
    for (std::int64_t step = 1; step > 0; step = grows ? step * 2 : step / 2) {
        quantity_integer quotient;
        quantity_integer rest;
        boost::multiprecision::divide_qr(mantissa, quantity_large_power(step), quotient, rest);
        if (rest == 0) {
            mantissa = std::move(quotient);
            exponent += step;
        } else {
            grows = false;
        }
    }
}

inline std::int32_t quantity_exponent(std::int64_t exponent) {
    return static_cast<std::int32_t>(std::min<std::int64_t>(exponent, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace detail

struct quantity::amount {
    detail::quantity_integer mantissa;
    std::int64_t exponent = 0;

    std::int64_t magnitude() const {
        return static_cast<std::int64_t>(detail::quantity_integer(abs(mantissa)).str().size()) + exponent;
    }

    // Makes `exponent` the one given, rounding away from zero where it grows.
    void rescale(std::int64_t to) {
        if (to < exponent) {
            mantissa *= detail::quantity_large_power(exponent - to);
        } else if (to > exponent && mantissa != 0) {
            if (to - exponent > static_cast<std::int64_t>(4 * detail::quantity_max_digits)) {
                mantissa = mantissa.sign();  // far below one unit
            } else {
                mantissa = detail::quantity_divide_up(mantissa, detail::quantity_large_power(to - exponent));
            }
        }
        exponent = to;
    }

    static amount from(const detail::quantity_parts& parts, bool capped);
};

// Digits beyond the budget, and below a nano-unit, count only as "a little more".
KCONTROL_DECL quantity::amount quantity::amount::from(const detail::quantity_parts& parts, bool capped) {
    amount out;
    std::string_view digits = parts.digits;
    out.exponent = parts.tens;
    if (digits.empty()) return out;
    const bool binary = parts.twos > 0;
    std::size_t kept = std::min(digits.size(), detail::quantity_max_digits);
    if (!binary && out.exponent < detail::quantity_nano) {
        const auto drop = static_cast<std::uint64_t>(detail::quantity_nano - out.exponent);
        kept = drop >= digits.size() ? 0 : std::min<std::size_t>(kept, digits.size() - drop);
    }
    if (kept > 0) out.mantissa = detail::quantity_integer(std::string(digits.substr(0, kept)));
    const bool more = digits.find_first_not_of('0', kept) != std::string_view::npos;
    out.exponent = kept == 0 ? detail::quantity_nano : out.exponent + static_cast<std::int64_t>(digits.size() - kept);
    if (more) ++out.mantissa;
    out.mantissa <<= parts.twos;
    if (out.exponent < detail::quantity_nano) out.rescale(detail::quantity_nano);
    if (binary && capped && parts.whole > 19) {
        out.mantissa = detail::quantity_max_int64;  // 10^19 and more
        out.exponent = 0;
    } else if (binary && capped) {
        const detail::quantity_integer cap(detail::quantity_max_int64);
        const bool over =
            out.exponent >= 0 ? out.mantissa > cap : out.mantissa > cap * detail::quantity_large_power(-out.exponent);
        if (over) out = {cap, 0};
    }
    if (parts.negative) out.mantissa = -out.mantissa;
    return out;
}

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

KCONTROL_DECL result<void> custom_codec<quantity>::decode(json::node from, quantity& to) {
    using json::kind;
    const auto found = from.kind();
    std::string number;
    std::string_view text;
    if (found == kind::string) {
        text = from.as_string();
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
        text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
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
