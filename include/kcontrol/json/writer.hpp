// Writing JSON: an append-only writer that knows about commas, escapes and numbers, and nothing else.
#pragma once

#include <kcontrol/config.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1::json {

/// Builds compact JSON text piece by piece. The caller keeps to the grammar: begin and end match, each member is a key
/// and then a value. This is not checked, beyond asserts.
///
/// A double has the fewest digits that read back as the same one, 1.0 is `1`; below 1e-6 and from 2^63 on it has an
/// exponent, of two digits at least: `1e-07`. NaN and infinities, which JSON lacks, become null. In strings quotes,
/// backslashes and control characters below U+0020 are escaped; bytes that are not UTF-8 become U+FFFD.
///
/// Go's encoding/json writes `1e-7`, and no exponent below 1e21; it escapes `<`, `>`, `&`, U+2028 and U+2029, too.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class writer {
public:
    void begin_object() { open('{'); }  ///< `{`; what follows are key() and a value for each member
    void end_object() { close('}'); }   ///< `}`
    void begin_array() { open('['); }   ///< `[`; what follows are values
    void end_array() { close(']'); }    ///< `]`

    KCONTROL_DECL void key(std::string_view name);  ///< the member's name, escaped; its value comes next

    KCONTROL_DECL void value(std::string_view text);                 ///< a string: quotes and escapes are added
    void value(const char* text) { value(std::string_view(text)); }  ///< the same of a C string, which is not null
    KCONTROL_DECL void value(bool b);                                ///< `true` or `false`
    KCONTROL_DECL void value(double number);  ///< see the class for how; null if it is not finite
    /// An integer of up to 64 bits, all its digits. A char is one too.
    template <std::integral T>
    requires(!std::same_as<T, bool>) void value(T number) {
        if constexpr (std::is_signed_v<T>) {
            write_int(number);
        } else {
            write_uint(number);
        }
    }
    KCONTROL_DECL void null();  ///< the literal `null`

    /// A value that is JSON already.
    KCONTROL_DECL void raw(std::string_view json);

    /// key() and value() in one.
    template <class T>
    void member(std::string_view name, const T& v) {
        key(name);
        value(v);
    }

    /// What has been written so far.
    std::string_view text() const noexcept { return text_; }

    /// The text; the writer is empty afterwards and can be used again.
    std::string take() {
        after_value_ = false;
        return std::exchange(text_, {});
    }

    /// Makes room for that many bytes in all.
    void reserve(std::size_t bytes) { text_.reserve(bytes); }

private:
    KCONTROL_DECL void write_int(std::int64_t number);
    KCONTROL_DECL void write_uint(std::uint64_t number);
    KCONTROL_DECL void write_string(std::string_view text);

    void before_value() {
        if (after_value_) text_ += ',';
        after_value_ = true;
    }
    void open(char brace) {
        before_value();
        text_ += brace;
        after_value_ = false;
    }
    void close(char brace) {
        text_ += brace;
        after_value_ = true;
    }

    std::string text_;
    bool after_value_ = false;  // the next key or value needs a comma first
};

}  // namespace kcontrol::json

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/json/impl/writer.ipp>
#endif
