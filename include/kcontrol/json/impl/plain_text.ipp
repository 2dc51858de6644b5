#pragma once

#include <kcontrol/json/impl/lazy.ipp>
#include <kcontrol/json/impl/skip_brackets.ipp>
#include <kcontrol/json/plain_text.hpp>

#include <algorithm>

namespace kcontrol::json {
namespace detail {

/// The same choice as simdjson's own, made once.
inline bool skips_by_blocks() noexcept {
#ifdef KCONTROL_JSON_AVX2
    static const bool can = [] {
        const std::string name = simdjson::get_active_implementation()->name();
        return name == "haswell" || name == "icelake";
    }();
    return can;
#else
    return false;
#endif
}

inline const char* skip_brackets(const char* at, const char* end, std::size_t deepest) noexcept {
#ifdef KCONTROL_JSON_AVX2
    if (skips_by_blocks()) return skip_brackets_by_blocks(at, end, deepest);
#endif
    return skip_brackets_by_bytes(at, end, deepest);
}

/// The smallest of the bytes, and whether one is beyond ASCII.
class byte_range {
public:
    unsigned char smallest = 0xFF;
    bool beyond_ascii = false;

    explicit byte_range(std::string_view text) noexcept {
        const char* at = text.data();
        const char* const end = at + text.size();
        unsigned char all = 0;
#ifdef __SSE2__
        __m128i least = _mm_set1_epi8(static_cast<char>(0xFF));
        __m128i any = _mm_setzero_si128();
        const char* const last_block = at + (text.size() & ~std::size_t{15});
        while (at != last_block) {
            // The text may come from memory, which processors don't fetch ahead across pages.
            _mm_prefetch(at + 1536, _MM_HINT_T0);
            for (const char* const next = last_block - at < 64 ? last_block : at + 64; at != next; at += 16) {
                const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
                least = _mm_min_epu8(least, bytes);
                any = _mm_or_si128(any, bytes);
            }
        }
        alignas(16) unsigned char least_of[16];
        _mm_store_si128(reinterpret_cast<__m128i*>(least_of), least);
        smallest = *std::min_element(std::begin(least_of), std::end(least_of));
        if (_mm_movemask_epi8(any) != 0) all = 0x80;
#endif
        for (; at != end; ++at) {
            const auto byte = static_cast<unsigned char>(*at);
            smallest = std::min(smallest, byte);
            all |= byte;
        }
        beyond_ascii = all >= 0x80;
    }
};

inline bool ends_scalar(char letter) noexcept {
    switch (letter) {
    case '{':
    case '}':
    case '[':
    case ']':
    case ',':
    case ':':
    case '"':
    case '\\': return true;
    default: return static_cast<unsigned char>(letter) <= ' ';
    }
}

}  // namespace detail

KCONTROL_DECL std::optional<plain_text> plain_text::over(std::string_view text) {
    const detail::byte_range bytes(text);
    if (bytes.smallest < ' ') return std::nullopt;
    if (bytes.beyond_ascii && !simdjson::validate_utf8(text.data(), text.size())) return std::nullopt;
    return plain_text(text);
}

KCONTROL_DECL bool plain_text::take_string(std::string_view& content, bool& escaped) noexcept {
    if (!take('"')) return false;
    const char* const behind = detail::end_of_string(at_, end_, escaped);
    if (behind == nullptr) return false;
    content = {at_, static_cast<std::size_t>(behind - 1 - at_)};
    at_ = behind;
    return true;
}

inline void plain_text::skip_scalar() noexcept {
    while (at_ != end_ && !detail::ends_scalar(*at_)) ++at_;
}

KCONTROL_DECL bool plain_text::skip_value(std::size_t deepest) noexcept {
    const char* const first = at_;
    const char opening = front();
    if (opening == '"') {
        bool escaped = false;
        at_ = detail::end_of_string(at_ + 1, end_, escaped);
        return at_ != nullptr;
    }
    if (opening != '{' && opening != '[') return skip_scalar(), at_ != first;
    at_ = detail::skip_brackets(at_, end_, deepest);
    return at_ != nullptr && at_[-1] == opening + 2;
}

KCONTROL_DECL bool plain_text::check_value(std::size_t deepest) {
    switch (front()) {
    case '{': return deepest > 0 && check_members(deepest - 1);
    case '[': return deepest > 0 && check_elements(deepest - 1);
    case '"': return check_string();
    case 't': return take("true");
    case 'f': return take("false");
    case 'n': return take("null");
    default: return check_scalar();
    }
}

inline bool plain_text::check_members(std::size_t deepest) {
    ++at_;
    if (take('}')) return true;
    do {
        if (front() != '"' || !check_string() || !take(':') || !check_value(deepest)) return false;
    } while (take(','));
    return take('}');
}

inline bool plain_text::check_elements(std::size_t deepest) {
    ++at_;
    if (take(']')) return true;
    do {
        if (!check_value(deepest)) return false;
    } while (take(','));
    return take(']');
}

inline bool plain_text::check_string() {
    const char* const first = at_;
    std::string_view content;
    bool escaped = false;
    if (!take_string(content, escaped)) return false;
    if (!escaped) return true;
    std::string out;
    if (detail::lazy_unescape(content, out)) return true;
    // A pair of \u, or malformed: the parser knows.
    document other;
    return other.parse({first, static_cast<std::size_t>(at_ - first)}).has_value();
}

// A number, as it must be.
inline bool plain_text::check_scalar() {
    const char* const first = at_;
    skip_scalar();
    return detail::read_lazy_number({first, static_cast<std::size_t>(at_ - first)}).kind != kind::null;
}

}  // namespace kcontrol::json
