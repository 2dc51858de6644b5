// skip_brackets: to the end of an object or list, 64 bytes at a time where the processor has AVX2. Half of a pod is
// passed over so.
#pragma once

#include <kcontrol/json/detail/find_quote.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#define KCONTROL_JSON_AVX2 1
#include <immintrin.h>
#endif

namespace kcontrol::inline v0_1::json::detail {

/// Behind the bracket that closes the one at `at`; null if there is none, or it goes deeper than `deepest`. Brackets
/// are counted, not told apart.
inline const char* skip_brackets_by_bytes(const char* at, const char* end, std::size_t deepest) noexcept {
    std::size_t depth = 0;
    string_marks marks;
    while (at != end) {
        switch (*at) {
        case '"':
            at = end_of_string(at + 1, end, marks);
            if (at == nullptr) return nullptr;
            if (at != end && (*at == ':' || *at == ',')) ++at;  // as behind nearly every string
            continue;
        case '\\':  // malformed here, but both ways take it for the same
            if (end - at >= 2 && (at[1] == '"' || at[1] == '\\')) ++at;
            break;
        case '{':
        case '[':
            if (++depth > deepest) return nullptr;
            break;
        case '}':
        case ']':
            if (--depth == 0) return at + 1;
            break;
        default: break;
        }
        ++at;
    }
    return nullptr;
}

#ifdef KCONTROL_JSON_AVX2

/// Follows a value through blocks of 64 bytes, a bit a byte. Strings, escapes and depth reach from one to the next.
class bracket_blocks {
public:
    static constexpr std::size_t size = 64;
    static constexpr std::size_t goes_on = size + 1;  ///< the value does not end in the block
    static constexpr std::size_t too_deep = size + 2;

    explicit bracket_blocks(std::size_t deepest) noexcept : deepest_(deepest) {}

    /// Where in the block the value ends.
    __attribute__((target("avx2,pclmul,popcnt,bmi"))) std::size_t end_within(const char* from) noexcept {
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
        const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32));
        // The bit in which '[' and '{' differ, and ']' and '}'.
        const __m256i bit = _mm256_set1_epi8(0x20);
        const __m256i low_folded = _mm256_or_si256(low, bit);
        const __m256i high_folded = _mm256_or_si256(high, bit);
        const std::uint64_t outside = ~strings(low, high);
        const std::uint64_t all_opens = equal(low_folded, high_folded, '{') & outside;
        const std::uint64_t all_closes = equal(low_folded, high_folded, '}') & outside;
        // What is closed at once, as most of managedFields is, changes nothing.
        const std::uint64_t empty = all_opens & all_closes >> 1;
        return follow(all_opens ^ empty, all_closes ^ empty << 1, empty != 0);
    }

private:
    __attribute__((target("avx2"))) static std::uint64_t equal(__m256i low, __m256i high, char letter) noexcept {
        const __m256i wanted = _mm256_set1_epi8(letter);
        const auto first = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted)));
        const auto second = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted)));
        return first | std::uint64_t{second} << 32;
    }

    // As in simdjson's first stage: a bit at each letter of a string, found by the parity of the quotes before it.
    __attribute__((target("avx2,pclmul"))) std::uint64_t strings(__m256i low, __m256i high) noexcept {
        std::uint64_t quotes = equal(low, high, '"');
        const std::uint64_t backslashes = equal(low, high, '\\');
        if ((backslashes | escapes_first_) != 0) quotes &= ~escaped(backslashes);
        const __m128i ones = _mm_set1_epi8(static_cast<char>(0xFF));
        const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(quotes)), ones, 0);
        const std::uint64_t letters = static_cast<std::uint64_t>(_mm_cvtsi128_si64(product)) ^ in_string_;
        in_string_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(letters) >> 63);
        return letters;
    }

    // The letters behind a run of backslashes of odd length. Source: simdjson, json_escape_scanner.h.
    std::uint64_t escaped(std::uint64_t backslashes) noexcept {
        constexpr std::uint64_t even = 0x5555555555555555U;
        backslashes &= ~escapes_first_;
        const std::uint64_t follows = backslashes << 1 | escapes_first_;
        const std::uint64_t odd_starts = backslashes & ~even & ~follows;
        const std::uint64_t carried = odd_starts + backslashes;
        escapes_first_ = carried < odd_starts ? 1 : 0;
        return (even ^ (carried << 1)) & follows;
    }

    __attribute__((target("popcnt,bmi"))) std::size_t follow(std::uint64_t opens, std::uint64_t closes,
                                                             bool empty) noexcept {
        const auto opened = static_cast<std::size_t>(__builtin_popcountll(opens));
        const auto closed = static_cast<std::size_t>(__builtin_popcountll(closes));
        const std::size_t depth = depth_;
        // It may be less deep: then someone else says so.
        if (depth + opened + (empty ? 1 : 0) > deepest_) return too_deep;
        depth_ = depth + opened - closed;
        if (closed < depth) return goes_on;
        for (std::size_t before = 0; closes != 0; closes &= closes - 1, ++before) {
            const std::uint64_t below = (closes & -closes) - 1;
            if (depth + static_cast<std::size_t>(__builtin_popcountll(opens & below)) == before + 1) {
                return static_cast<std::size_t>(std::countr_zero(closes)) + 1;
            }
        }
        return goes_on;
    }

    std::size_t deepest_;
    std::size_t depth_ = 0;
    std::uint64_t in_string_ = 0;      // all ones if the block before ended in a string
    std::uint64_t escapes_first_ = 0;  // 1 if it ended with a backslash that counts
};

__attribute__((target("avx2,pclmul,popcnt,bmi"))) inline const char* skip_brackets_by_blocks(
    const char* at, const char* end, std::size_t deepest) noexcept {
    if (deepest == 0) return nullptr;
    if (end - at >= 2 && (at[1] == '}' || at[1] == ']')) return at + 2;
    bracket_blocks blocks(deepest);
    const char* const last_whole = end - (end - at) % static_cast<std::ptrdiff_t>(bracket_blocks::size);
    for (; at != last_whole; at += bracket_blocks::size) {
        // The text may come from memory, which processors don't fetch ahead across pages.
        __builtin_prefetch(at + 2048);
        const std::size_t behind = blocks.end_within(at);
        if (behind <= bracket_blocks::size) return at + behind;
        if (behind == bracket_blocks::too_deep) return nullptr;
    }
    char rest[bracket_blocks::size];
    std::memset(rest, ' ', sizeof rest);
    std::memcpy(rest, at, static_cast<std::size_t>(end - at));
    const std::size_t behind = blocks.end_within(rest);
    return behind <= bracket_blocks::size ? at + behind : nullptr;
}

#endif

}  // namespace kcontrol::json::detail
