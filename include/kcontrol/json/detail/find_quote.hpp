// find_quote: where a string of JSON ends, sixteen bytes at a time.
#pragma once

#include <bit>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kcontrol::inline v0_1::json::detail {

/// Whether the character is one that a search for the end of a string may not pass by: a quote, a backslash, a control
/// character, or a part of one beyond ASCII.
inline bool stops_string(char letter) noexcept {
    return letter == '"' || letter == '\\' || static_cast<signed char>(letter) < ' ';
}

/// The first such character; `end` if there is none.
inline const char* find_string_stop(const char* at, const char* end) noexcept {
#ifdef __SSE2__
    for (; end - at >= 16; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
        const __m128i backslashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
        const __m128i others = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' '));  // signed: beyond ASCII too
        const __m128i found = _mm_or_si128(_mm_or_si128(quotes, backslashes), others);
        const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(found));
        if (mask != 0) return at + std::countr_zero(mask);
    }
#endif
    while (at != end && !stops_string(*at)) ++at;
    return at;
}

/// What is to be known of a string besides its end.
struct string_marks {
    bool escaped = false;
    bool beyond_ascii = false;
    bool control = false;  ///< has a control character, which no string may have
};

/// Behind the closing quote of the string whose content begins at `at`; null if it is not closed.
inline const char* end_of_string(const char* at, const char* end, string_marks& marks) noexcept {
    for (;;) {
        at = find_string_stop(at, end);
        if (at == end) return nullptr;
        if (*at == '"') return at + 1;
        if (*at == '\\') {
            if (end - at < 2) return nullptr;
            marks.escaped = true;
            at += 2;
        } else {
            (static_cast<signed char>(*at) < 0 ? marks.beyond_ascii : marks.control) = true;
            ++at;
        }
    }
}

}  // namespace kcontrol::json::detail
