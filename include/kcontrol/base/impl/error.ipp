#pragma once

#include <kcontrol/base/error.hpp>

namespace kcontrol {

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
    // The reason is worth reading beside the server's words, unless they end with it; our own messages say it already.
    if (!status_) return message_;
    const std::string reason = code_.message();
    return message_.ends_with(reason) ? message_ : message_ + " (" + reason + ")";
}

KCONTROL_DECL error error::with_context(std::string_view prefix) const {
    error copy = *this;
    copy.message_ = std::string(prefix) + ": " + (message_.empty() ? code_.message() : message_);
    return copy;
}

KCONTROL_DECL exception::exception(error cause) : std::runtime_error(cause.what()), cause_(std::move(cause)) {}

[[noreturn]] KCONTROL_DECL void throw_exception_from_error(const error& cause) { throw exception(cause); }

}  // namespace kcontrol
