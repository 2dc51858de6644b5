// An error as a value: a code to branch on, a message to show, and the server's own status if there is one.
#pragma once

#include <kcontrol/base/api_status.hpp>
#include <kcontrol/base/errc.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// What went wrong. Branch on `code()`; show `what()`, which names the field, the value and the remedy
/// where there is one and never holds a secret.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class error {
public:
    error() = default;
    /// A failure on this side of the wire; without a message what() is the code's own text.
    explicit error(errc code, std::string message = {}) : code_(code), message_(std::move(message)) {}
    /// An answer of the API server that came without a metav1.Status; status() is null.
    explicit error(api_errc code, std::string message = {}) : code_(code), message_(std::move(message)) {}
    /// A code of either enum, or of another category, such as that of Boost.Asio.
    explicit error(error_code code, std::string message = {}) : code_(code), message_(std::move(message)) {}
    // Not inline, and so compiled once: nearly every file of a user copies, moves and destroys some.
    KCONTROL_DECL error(const error&);
    KCONTROL_DECL error(error&&) noexcept;
    KCONTROL_DECL error& operator=(const error&);
    KCONTROL_DECL error& operator=(error&&) noexcept;
    KCONTROL_DECL ~error();

    /// An answer of the API server.
    KCONTROL_DECL explicit error(api_status status);

    /// The code to branch on; 0 of an error that was default-made.
    const error_code& code() const noexcept { return code_; }
    const std::string& message() const noexcept { return message_; }  ///< without the code's own text; may be empty

    /// The server's status, or null where no API server answered.
    const api_status* status() const noexcept { return status_.get(); }

    /// Message and code as one line of text.
    KCONTROL_DECL std::string what() const;

    /// The same error with "`prefix`: " before its message, unless it begins so; for adding a file, cluster or object
    /// name.
    KCONTROL_DECL error with_context(std::string_view prefix) const;

    friend bool operator==(const error& a, errc b) noexcept { return a.code_ == b; }
    friend bool operator==(const error& a, api_errc b) noexcept { return a.code_ == b; }
    friend bool operator==(const error& a, condition b) noexcept { return a.code_ == b; }

private:
    error_code code_;
    std::string message_;
    std::shared_ptr<const api_status> status_;
};

/// Thrown by `result::value()` where there is no value; for callers who prefer exceptions.
class exception : public std::runtime_error {
public:
    KCONTROL_DECL explicit exception(error cause);          ///< its what() is that of `cause`
    const error& cause() const noexcept { return cause_; }  ///< the error that the result had

private:
    error cause_;
};

[[noreturn]] KCONTROL_DECL void throw_exception_from_error(const error&);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/base/impl/error.ipp>
#endif
