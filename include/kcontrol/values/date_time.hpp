// date_time: a time as a custom resource carries it, kept as it was written. Eight bytes.
#pragma once

#include <kcontrol/values/text.hpp>
#include <kcontrol/values/time.hpp>
#include <kcontrol/values/timestamp.hpp>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {

/// The text of a `format: date-time` member: RFC 3339, with whatever fraction and offset its writer chose, or nothing.
/// The API server normalises the times of built-in kinds, which are timestamp, and stores those of custom resources as
/// they come; so this one comes back byte by byte. Equality is that of the texts; time() gives the moment.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class date_time {
public:
    date_time() noexcept = default;
    /// The text as it is; only time() says whether it is a time.
    date_time(kcontrol::text t) : text_(std::move(t)) {}  // NOLINT: meant to convert
    /// The same; the bytes are copied.
    date_time(std::string_view t) : text_(t) {}  // NOLINT
    /// The same; the bytes are copied.
    date_time(const std::string& t) : text_(t) {}  // NOLINT
    /// The same of a C string, which is not null.
    date_time(const char* t) : text_(t) {}  // NOLINT
    /// UTC, with as many digits of fraction as the time has.
    date_time(wall_time at) : text_(format_full_time(at)) {}  // NOLINT
    /// The same of a timestamp; absent if that is none.
    date_time(const timestamp& at) {  // NOLINT
        if (at.present()) text_ = format_full_time(at.value());
    }

    bool present() const noexcept { return text_.present(); }  ///< whether there is a text, if only an empty one
    explicit operator bool() const noexcept { return present(); }
    std::string_view text() const noexcept { return text_; }  ///< as it was written; empty if absent
    std::string str() const { return text_.str(); }           ///< a copy of text()
    /// The same as text().
    operator std::string_view() const noexcept { return text_; }  // NOLINT: meant to convert

    /// The moment. Errors: those of parse_time().
    result<wall_time> time() const { return parse_time(text_); }

    friend bool operator==(const date_time&, const date_time&) = default;
    friend bool operator==(const date_time& a, std::string_view b) noexcept { return a.text() == b; }
    friend bool operator==(const date_time& a, const char* b) noexcept { return a.text() == b; }

private:
    kcontrol::text text_;
};

static_assert(std::is_standard_layout_v<date_time> && sizeof(date_time) == sizeof(text));

}  // namespace kcontrol
