#pragma once

#include <kcontrol/base/utf8.hpp>
#include <kcontrol/json/writer.hpp>

#include <charconv>
#include <cmath>

namespace kcontrol::inline v0_1::json {
namespace detail {

inline void append_escape(std::string& out, char c) {
    switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
    }
    constexpr std::string_view digits = "0123456789abcdef";
    out += "\\u00";
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 0xF];
}

}  // namespace detail

KCONTROL_DECL void writer::key(std::string_view name) {
    if (after_value_) text_ += ',';
    write_string(name);
    text_ += ':';
    after_value_ = false;
}

KCONTROL_DECL void writer::value(std::string_view text) {
    before_value();
    write_string(text);
}

KCONTROL_DECL void writer::value(bool b) { raw(b ? "true" : "false"); }

KCONTROL_DECL void writer::value(double number) {
    if (!std::isfinite(number)) return null();
    const double size = std::fabs(number);
    // Go goes on to 1e21 without an exponent; but digits alone read as an integer, which ends at 64 bits.
    constexpr double first_beyond_int64 = 9223372036854775808.0;
    const bool exponent = size != 0 && (size < 1e-6 || size >= first_beyond_int64);
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof digits, number,
                                   exponent ? std::chars_format::scientific : std::chars_format::fixed);
    raw({digits, static_cast<std::size_t>(end.ptr - digits)});
}

KCONTROL_DECL void writer::null() { raw("null"); }

KCONTROL_DECL void writer::raw(std::string_view json) {
    before_value();
    text_ += json;
}

KCONTROL_DECL void writer::write_int(std::int64_t number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number);
    raw({digits, static_cast<std::size_t>(end.ptr - digits)});
}

KCONTROL_DECL void writer::write_uint(std::uint64_t number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number);
    raw({digits, static_cast<std::size_t>(end.ptr - digits)});
}

KCONTROL_DECL void writer::write_string(std::string_view text) {
    text_ += '"';
    std::size_t done = 0;  // everything before it is in text_
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
            ++i;
            continue;
        }
        const std::size_t length = c < 0x80 ? 0 : utf8_sequence_length(text.substr(i));
        if (length != 0) {
            i += length;
            continue;
        }
        text_ += text.substr(done, i - done);
        if (c < 0x80) {
            detail::append_escape(text_, text[i]);
        } else {
            text_ += utf8_replacement;
        }
        done = ++i;
    }
    text_ += text.substr(done);
    text_ += '"';
}

}  // namespace kcontrol::json
