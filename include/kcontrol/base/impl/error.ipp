#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/error.hpp>

namespace kcontrol::inline v0_1 {
namespace detail {

// A reason such as NotFound as people write it: "not found".
inline std::string words_of_reason(std::string_view reason) {
    std::string words;
    for (const char c : reason) {
        const char small = ascii_lower(c);
        if (small != c && !words.empty()) words += ' ';
        words += small;
    }
    return words;
}

inline bool is_said(std::string text, std::string_view reason) {
    const auto is_letter = [](char c) { return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z'; };
    const std::string words = words_of_reason(reason);
    text = ascii_lower(text);
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
        const auto end = at + words.size();
        if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
    }
    return false;
}

}  // namespace detail

KCONTROL_DECL error::error(api_status status)
    : code_(api_errc_from(status.code, status.reason)),
      message_(status.message),
      status_(std::make_shared<const api_status>(std::move(status))) {}

KCONTROL_DECL error::error(const error&) = default;
KCONTROL_DECL error::error(error&&) noexcept = default;
KCONTROL_DECL error& error::operator=(const error&) = default;
KCONTROL_DECL error& error::operator=(error&&) noexcept = default;
KCONTROL_DECL error::~error() = default;

KCONTROL_DECL std::string error::what() const {
    if (message_.empty()) return code_.message();
    // The reason is worth reading beside the server's words, unless they say it; our own messages say it already.
    if (!status_) return message_;
    const std::string reason = code_.message();
    return detail::is_said(message_, reason) ? message_ : message_ + " (" + reason + ")";
}

KCONTROL_DECL error error::with_context(std::string_view prefix) const {
    error copy = *this;
    const std::string added = std::string(prefix) + ": ";
    if (!message_.starts_with(added)) copy.message_ = added + (message_.empty() ? code_.message() : message_);
    return copy;
}

KCONTROL_DECL exception::exception(error cause) : std::runtime_error(cause.what()), cause_(std::move(cause)) {}

[[noreturn]] KCONTROL_DECL void throw_exception_from_error(const error& cause) { throw exception(cause); }

}  // namespace kcontrol
