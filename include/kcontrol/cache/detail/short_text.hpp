// Hashes and equality of keys, which are short: half of a look-up was spent on std::hash, and a sixth on memcmp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

template <class Word>
Word word_at(const char* at) noexcept {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// The two halves of a product, which depend on all bits of both: what wyhash mixes with.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

/// Goes on with hash `h`. Without a secret, as std::hash: of names made to collide, look-ups are slow.
inline std::uint64_t hash_on(std::uint64_t h, std::string_view text) noexcept {
    constexpr std::uint64_t step = 0xa0761d6478bd642fULL, end = 0xe7037ed1a0b428dbULL;
    const char* at = text.data();
    const std::size_t size = text.size();
    std::uint64_t last = 0;
    if (size >= 8) {
        for (std::size_t left = size; left > 8; left -= 8, at += 8) h = fold(h ^ word_at<std::uint64_t>(at), step);
        last = word_at<std::uint64_t>(text.data() + size - 8);
    } else if (size >= 4) {
        last = std::uint64_t{word_at<std::uint32_t>(at)} << 32U | word_at<std::uint32_t>(at + size - 4);
    } else {
        for (std::size_t i = 0; i < size; ++i) last = last << 8U | static_cast<unsigned char>(at[i]);
    }
    return fold(h ^ last, end ^ size);
}

inline std::uint32_t hash_of(std::string_view text) noexcept {
    const std::uint64_t h = hash_on(0x8ebc6af09c88c6e3ULL, text);
    return static_cast<std::uint32_t>(h ^ (h >> 32U));
}
inline std::uint32_t hash_of(std::string_view ns, std::string_view name) noexcept {
    const std::uint64_t h = hash_on(hash_on(0x8ebc6af09c88c6e3ULL, ns), name);
    return static_cast<std::uint32_t>(h ^ (h >> 32U));
}

inline bool same_text(std::string_view a, std::string_view b) noexcept {
    const std::size_t size = a.size();
    if (size != b.size()) return false;
    const char *one = a.data(), *other = b.data();
    if (size >= 8) {
        for (std::size_t left = size; left > 8; left -= 8, one += 8, other += 8) {
            if (word_at<std::uint64_t>(one) != word_at<std::uint64_t>(other)) return false;
        }
        return word_at<std::uint64_t>(a.data() + size - 8) == word_at<std::uint64_t>(b.data() + size - 8);
    }
    if (size >= 4) {
        return word_at<std::uint32_t>(one) == word_at<std::uint32_t>(other) &&
               word_at<std::uint32_t>(one + size - 4) == word_at<std::uint32_t>(other + size - 4);
    }
    for (std::size_t i = 0; i < size; ++i) {
        if (one[i] != other[i]) return false;
    }
    return true;
}

}  // namespace kcontrol::detail
