// A string that does not print itself and wipes its bytes on destruction: tokens, keys, passwords.
#pragma once

#include <kcontrol/config.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// Holds a credential. It has no operator<<, no implicit conversion and no formatter, so that it can't slip
/// into a log line; `reveal()` is easy to find in a review. The bytes are overwritten on destruction and on
/// assignment.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class secret_string {
public:
    secret_string() = default;
    /// A copy; that of the caller is not wiped.
    explicit secret_string(const std::string& value) : value_(value) {}
    /// Takes it over, and wipes and empties `value`.
    KCONTROL_DECL explicit secret_string(std::string&& value);
    secret_string(const secret_string&) = default;
    KCONTROL_DECL secret_string(secret_string&& other) noexcept;
    KCONTROL_DECL secret_string& operator=(const secret_string& other);
    KCONTROL_DECL secret_string& operator=(secret_string&& other) noexcept;
    KCONTROL_DECL ~secret_string();

    bool empty() const noexcept { return value_.empty(); }
    /// The secret; valid until the string is changed or dies.
    std::string_view reveal() const noexcept { return value_; }

    friend bool operator==(const secret_string& a, const secret_string& b) noexcept { return a.value_ == b.value_; }

private:
    static KCONTROL_DECL void wipe(std::string& text) noexcept;
    std::string value_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/base/impl/secret_string.ipp>
#endif
