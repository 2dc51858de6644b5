// The arithmetic under a quantity: integers of any size, powers of ten, and an exact decimal.
#pragma once

#include <kcontrol/values/detail/quantity_parts.hpp>
#include <kcontrol/values/quantity.hpp>

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {
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
inline quantity::amount quantity::amount::from(const detail::quantity_parts& parts, bool capped) {
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

}  // namespace kcontrol
