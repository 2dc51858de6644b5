// Numbers against minimum, maximum and multipleOf.
#pragma once

#include <kcontrol/schema/impl/go_text.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <cmath>
#include <compare>
#include <string>

namespace kcontrol::inline v0_1::detail {

/// Whether the server compares integers, with the bound cut to one: for integers, unless the type is integer and
/// the bound is not.
inline bool compares_integers(const type_descriptor& type, json::node value, double bound) {
    const bool integral = type.kind == type_kind::int32 || type.kind == type_kind::int64;
    return value.kind() == json::kind::integer && std::fabs(bound) < 9e18 && (!integral || std::floor(bound) == bound);
}
inline std::partial_ordering compare_bound(const type_descriptor& type, json::node value, double bound) {
    if (!compares_integers(type, value, bound)) return value.as_double() <=> bound;
    return value.as_int64() <=> static_cast<std::int64_t>(bound);
}
inline std::string bound_text(const type_descriptor& type, json::node value, double bound) {
    if (!compares_integers(type, value, bound)) return go_number(bound);
    return std::to_string(static_cast<std::int64_t>(bound));
}

inline bool is_multiple(json::node value, double factor) {
    if (factor <= 0) return false;
    if (value.kind() == json::kind::integer && std::floor(factor) == factor && factor < 9e18) {
        return value.as_int64() % static_cast<std::int64_t>(factor) == 0;
    }
    const double times = factor < 1 ? 1 / factor * value.as_double() : value.as_double() / factor;
    return std::fabs(times - std::round(times)) <= 1e-9 * std::fmax(1, std::fabs(times));
}

}  // namespace kcontrol::detail
