#pragma once

#include <kcontrol/base/display_width.hpp>
#include <kcontrol/base/impl/display_width_tables.hpp>
#include <kcontrol/base/utf8.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

template <std::size_t N>
bool in_ranges(const std::array<width_range, N>& ranges, char32_t c) noexcept {
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), c,
                                        [](char32_t value, const width_range& r) { return value < r.first; });
    return after != ranges.begin() && c <= std::prev(after)->last;
}

/// A character of a text.
class display_character {
public:
    explicit display_character(std::string_view text) noexcept : bytes(utf8_sequence_length(text)) {
        if (text.empty()) return;
        const auto lead = static_cast<unsigned char>(text[0]);
        if (bytes == 0) {  // not UTF-8
            bytes = 1;
            code = 0xfffd;
            return;
        }
        code = bytes == 1 ? lead : lead & (0xffU >> (bytes + 1));
        for (std::size_t i = 1; i < bytes; ++i) code = (code << 6U) | (static_cast<unsigned char>(text[i]) & 0x3fU);
    }

    std::size_t columns() const noexcept {
        if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 0;
        if (code < 0x300) return 1;
        if (in_ranges(zero_width_ranges, code)) return 0;
        return in_ranges(double_width_ranges, code) ? 2 : 1;
    }
    bool is_picture() const noexcept { return code >= 0xa9 && in_ranges(picture_ranges, code); }
    bool is_skin_tone() const noexcept { return code >= 0x1f3fb && code <= 0x1f3ff; }
    bool is_flag_letter() const noexcept { return code >= 0x1f1e6 && code <= 0x1f1ff; }

    std::size_t bytes;  // 0 at the end of a text
    char32_t code = 0;
};

}  // namespace detail

KCONTROL_DECL display_unit first_display_unit(std::string_view text) noexcept {
    constexpr char32_t joiner = 0x200d, as_picture = 0xfe0f;
    if (text.size() > 1 && text[0] >= 0x20 && text[0] < 0x7f && static_cast<unsigned char>(text[1]) < 0x80)
        return {1, 1};
    const detail::display_character first(text);
    if (first.bytes == 0) return {};
    display_unit out{first.bytes, first.columns()};
    bool picture = first.is_picture(), joined = false, flag = first.is_flag_letter();
    for (;;) {
        const detail::display_character next(text.substr(out.bytes));
        const bool tone = picture && next.is_skin_tone();
        if (next.bytes == 0) return out;
        if (flag && next.is_flag_letter()) {
            out.columns = 2;
            flag = false;
        } else if (tone ||
                   (next.code == as_picture && detail::in_ranges(detail::optional_picture_ranges, first.code))) {
            out.columns = 2;
        } else if (joined && next.is_picture()) {
            out.columns = 2;
        } else if (next.columns() != 0 || next.code < 0xa0) {
            return out;
        }
        joined = picture && next.code == joiner;
        out.bytes += next.bytes;
    }
}

KCONTROL_DECL std::size_t display_width(std::string_view text) noexcept {
    std::size_t out = 0;
    while (!text.empty()) {
        const display_unit unit = first_display_unit(text);
        out += unit.columns;
        text.remove_prefix(unit.bytes);
    }
    return out;
}

KCONTROL_DECL std::string_view display_prefix(std::string_view text, std::size_t columns) noexcept {
    std::size_t bytes = 0;
    while (bytes < text.size()) {
        const display_unit unit = first_display_unit(text.substr(bytes));
        if (unit.columns > columns) break;
        columns -= unit.columns;
        bytes += unit.bytes;
    }
    return text.substr(0, bytes);
}

KCONTROL_DECL std::string_view display_suffix(std::string_view text, std::size_t columns) noexcept {
    for (std::size_t all = display_width(text); all > columns;) {
        const display_unit unit = first_display_unit(text);
        all -= unit.columns;
        text.remove_prefix(unit.bytes);
    }
    return text;
}

}  // namespace kcontrol
