// The field of a name in a table, fast for members that come in the table's order.
#pragma once

#include <kcontrol/values/type_descriptor.hpp>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

/// Whether two texts of `size` bytes are equal; for names, which are short, quicker than a call.
inline bool same_bytes(const char* a, const char* b, std::size_t size) noexcept {
    const auto same = [&]<class Word>(Word) {
        Word first_a, first_b, last_a, last_b;
        std::memcpy(&first_a, a, sizeof(Word));
        std::memcpy(&first_b, b, sizeof(Word));
        std::memcpy(&last_a, a + size - sizeof(Word), sizeof(Word));
        std::memcpy(&last_b, b + size - sizeof(Word), sizeof(Word));
        return ((first_a ^ first_b) | (last_a ^ last_b)) == 0;
    };
    if (size > 32) return std::memcmp(a, b, size) == 0;
    if (size >= 8) {
        std::uint64_t second_a = 0, second_b = 0, third_a = 0, third_b = 0;
        const bool ends = same(std::uint64_t{});
        if (size <= 16 || !ends) return ends;
        // Of 17 to 32 bytes: the second eight, and those before the last eight; they may overlap.
        std::memcpy(&second_a, a + 8, 8);
        std::memcpy(&second_b, b + 8, 8);
        std::memcpy(&third_a, a + size - 16, 8);
        std::memcpy(&third_b, b + size - 16, 8);
        return ((second_a ^ second_b) | (third_a ^ third_b)) == 0;
    }
    if (size >= 4) return same(std::uint32_t{});
    return size == 0 || (a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1]);
}

/// `hint` is where to look first; 0 at the start of an object, kept by the caller in between.
inline const field_descriptor* find_field(const type_descriptor& type, std::string_view name, std::size_t& hint) {
    std::size_t at = hint < type.field_count ? hint : 0;
    for (std::size_t tried = 0; tried < type.field_count; ++tried) {
        const field_descriptor& field = type.fields[at];
        at = at + 1 == type.field_count ? 0 : at + 1;
        if (field.name.size() == name.size() && same_bytes(field.name.data(), name.data(), name.size())) {
            hint = at;
            return &field;
        }
    }
    return nullptr;
}

}  // namespace kcontrol::detail
