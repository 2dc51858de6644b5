#pragma once

#include <kcontrol/service/endpoints_snapshot.hpp>

#include <algorithm>
#include <iterator>

namespace kcontrol::inline v0_1::service {

namespace detail {

// What a change copies at most, but for the pointers to the parts: less would mean more of these.
inline constexpr std::size_t endpoints_per_part = 64;

}  // namespace detail

KCONTROL_DECL void endpoint_list::append(storage sorted) {
    if (sorted.empty()) return;
    if (sorted.size() <= detail::endpoints_per_part) return add(std::make_shared<const storage>(std::move(sorted)));
    // Parts of equal size, so that each has room to grow.
    const std::size_t pieces = (sorted.size() - 1) / detail::endpoints_per_part + 1;
    const auto border = [&](std::size_t i) {
        return std::make_move_iterator(sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() * i / pieces));
    };
    for (std::size_t i = 0; i < pieces; ++i) add(std::make_shared<const storage>(border(i), border(i + 1)));
}

KCONTROL_DECL bool operator==(const endpoint_list& a, const endpoint_list& b) {
    if (a.size() != b.size()) return false;
    return a.parts_ == b.parts_ || std::equal(a.begin(), a.end(), b.begin(),
                                              [](const endpoint& x, const endpoint& y) { return &x == &y || x == y; });
}

}  // namespace kcontrol::service
