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

namespace kcontrol::json::detail {

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

/// What 64 bytes hold, a bit a byte. Strings and escapes reach from one to the next.
class bracket_blocks {
public:
    std::uint64_t opens = 0;
    std::uint64_t closes = 0;

    // As of simdjson's first stage: a bit at each letter of a string, found by the parity of the quotes before it.
    __attribute__((target("avx2,pclmul,popcnt,bmi"))) void read(const char* from) noexcept {
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
        const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32));
        std::uint64_t quotes = equal(low, high, '"');
        const std::uint64_t backslashes = equal(low, high, '\\');
        if ((backslashes | escapes_first_) != 0) quotes &= ~escaped(backslashes);
        const __m128i ones = _mm_set1_epi8(static_cast<char>(0xFF));
        const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(quotes)), ones, 0);
        const std::uint64_t strings = static_cast<std::uint64_t>(_mm_cvtsi128_si64(product)) ^ in_string_;
        in_string_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(strings) >> 63);
        // The bit in which '[' and '{' differ, and ']' and '}'.
        const __m256i bit = _mm256_set1_epi8(0x20);
        const __m256i low_folded = _mm256_or_si256(low, bit);
        const __m256i high_folded = _mm256_or_si256(high, bit);
        opens = equal(low_folded, high_folded, '{') & ~strings;
        closes = equal(low_folded, high_folded, '}') & ~strings;
    }

private:
    __attribute__((target("avx2"))) static std::uint64_t equal(__m256i low, __m256i high, char letter) noexcept {
        const __m256i wanted = _mm256_set1_epi8(letter);
        const auto first = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted)));
        const auto second = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted)));
        return first | std::uint64_t{second} << 32;
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

    std::uint64_t in_string_ = 0;      // all ones if the block before ended in a string
    std::uint64_t escapes_first_ = 0;  // 1 if it ended with a backslash that counts
};

__attribute__((target("avx2,pclmul,popcnt,bmi"))) inline const char* skip_brackets_by_blocks(
    const char* at, const char* end, std::size_t deepest) noexcept {
    if (deepest == 0) return nullptr;
    if (end - at >= 2 && (at[1] == '}' || at[1] == ']')) return at + 2;
    bracket_blocks blocks;
    char last[64];
    std::size_t depth = 0;
    for (;;) {
        const auto left = static_cast<std::size_t>(end - at);
        if (left == 0) return nullptr;
        const bool whole = left >= sizeof last;
        if (!whole) {
            std::memset(last, ' ', sizeof last);
            std::memcpy(last, at, left);
        }
        // The text may come from memory, which processors don't fetch ahead across pages.
        __builtin_prefetch(at + 2048);
        blocks.read(whole ? at : last);
        // What is closed at once, as most of managedFields is, changes nothing.
        const std::uint64_t empty = blocks.opens & blocks.closes >> 1;
        const std::uint64_t opens = blocks.opens ^ empty;
        std::uint64_t closes = blocks.closes ^ empty << 1;
        const auto opened = static_cast<std::size_t>(__builtin_popcountll(opens));
        const auto closed = static_cast<std::size_t>(__builtin_popcountll(closes));
        if (depth + opened + (empty != 0 ? 1 : 0) > deepest)
            return nullptr;  // it may be less deep: then someone else says so
        if (closed >= depth) {
            std::size_t before = 0;  // closed in this block so far
            for (; closes != 0; closes &= closes - 1, ++before) {
                const std::uint64_t below = (closes & -closes) - 1;
                if (depth + static_cast<std::size_t>(__builtin_popcountll(opens & below)) == before + 1) {
                    return at + std::countr_zero(closes) + 1;
                }
            }
        }
        depth = depth + opened - closed;
        if (!whole) return nullptr;
        at += sizeof last;
    }
}

#endif

}  // namespace kcontrol::json::detail
