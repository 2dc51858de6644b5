// find_quote: where a string of JSON ends, sixteen bytes at a time.
#pragma once

#include <bit>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kcontrol::json::detail {

/// The first quote or backslash; `end` if there is none.
inline const char* find_quote_or_escape(const char* at, const char* end) noexcept {
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    for (; end - at >= 16; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i found = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
        const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(found));
        if (mask != 0) return at + std::countr_zero(mask);
    }
#endif
    while (at != end && *at != '"' && *at != '\\') ++at;
    return at;
}

/// Behind the closing quote of the string whose content begins at `at`; null if it is not closed.
inline const char* end_of_string(const char* at, const char* end, bool& escaped) noexcept {
    escaped = false;
    for (;;) {
        at = find_quote_or_escape(at, end);
        if (at == end) return nullptr;
        if (*at == '"') return at + 1;
        if (end - at < 2) return nullptr;
        escaped = true;
        at += 2;
    }
}

}  // namespace kcontrol::json::detail
