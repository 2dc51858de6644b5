// Amounts of devices as objects have them.
#pragma once

#include <kcontrol/values/quantity.hpp>

#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::scheduling::detail {

// The API server has checked them.
inline quantity amount_or_zero(std::string_view text) {
    auto read = quantity::parse(text);
    return read ? std::move(*read) : quantity();
}

}  // namespace kcontrol::scheduling::detail
