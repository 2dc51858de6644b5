// int_or_string: a value that Kubernetes writes as a number or as text, such as a port or "25%".
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/values/text.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {

/// intstr.IntOrString: a 32-bit integer or a string. The default is 0. Make the member a boxed<int_or_string> where
/// absent means something else.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class int_or_string {
public:
    int_or_string() = default;
    /// A number, written without quotes.
    int_or_string(std::int32_t number) : number_(number) {}  // NOLINT: meant to convert
    /// A string; an absent one becomes an empty one.
    int_or_string(kcontrol::text text) : text_(std::move(text)) {  // NOLINT
        if (!text_.present()) text_ = kcontrol::text("");
    }
    /// A string, digits or not; parse() makes a number of "80".
    int_or_string(std::string_view text) : text_(text) {}  // NOLINT
    /// The same; the bytes are copied.
    int_or_string(const std::string& text) : text_(text) {}  // NOLINT
    /// The same of a C string, which is not null.
    int_or_string(const char* text) : text_(text) {}  // NOLINT

    /// A number of 32 bits if `text` is one ("80"), else the text: as command lines and templates mean it.
    static KCONTROL_DECL int_or_string parse(std::string_view text);

    bool is_string() const noexcept { return text_.present(); }  ///< else it is a number
    /// The number; 0 if it is a string.
    std::int32_t as_int() const noexcept { return number_; }
    /// The text; empty if it is a number.
    std::string_view as_string() const noexcept { return text_; }

    /// The number, or the number that the text is; 0 if it is none. Beyond 64 bits: the largest or smallest there is.
    KCONTROL_DECL std::int64_t int_value() const noexcept;

    /// What a maxUnavailable or maxSurge stands for: a number for itself, "25%" for that share of `total`, rounded up
    /// or down. Errors: invalid_argument for other texts, naming the text. Source:
    /// intstr.GetScaledValueFromIntOrPercent.
    KCONTROL_DECL result<std::int64_t> scaled_value(std::int64_t total, bool round_up) const;

    friend bool operator==(const int_or_string&, const int_or_string&) = default;

    /// For the decoder: where the two members are.
    static constexpr std::size_t text_offset() noexcept { return 0; }
    /// Where the number is, in bytes from the start.
    static constexpr std::size_t number_offset() noexcept { return sizeof(kcontrol::text); }

private:
    kcontrol::text text_;
    std::int32_t number_ = 0;
};

static_assert(std::is_standard_layout_v<int_or_string> && sizeof(int_or_string) == 16);

inline std::string to_string(const int_or_string& value) {
    return value.is_string() ? std::string(value.as_string()) : std::to_string(value.as_int());
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/values/impl/int_or_string.ipp>
#endif
