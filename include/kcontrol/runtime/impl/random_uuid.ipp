#pragma once

#include <kcontrol/runtime/random_uuid.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::string uuid_of_random(std::uint64_t first, std::uint64_t second) {
    static constexpr char hex[] = "0123456789abcdef";
    std::string out;
    std::uint64_t bits = first;
    for (int i = 0; i < 32; ++i) {
        if (i == 16) bits = second;
        if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
        unsigned digit = static_cast<unsigned>(bits & 15U);
        if (i == 12) digit = 4;
        if (i == 16) digit = 8 | (digit & 3U);
        out += hex[digit];
        bits >>= 4;
    }
    return out;
}

}  // namespace kcontrol
