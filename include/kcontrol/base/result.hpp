// result<T>: a value, or the error that stood in its way.
#pragma once

#include <kcontrol/base/error.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {

/// A value or an error. `if (!r) use(r.error()); else use(*r);` `r.value()` throws what
/// `throw_exception_from_error(r.error())` throws.
///
/// It is std::expected in small, which C++20 lacks; boost::system::result would do as well, but adds half a second to
/// every file that sees it, and its error() returns a copy (Boost 1.81), to which references dangle.
///
/// Precondition of `*` and `->`: there is a value; of error(): there is none.
/// Thread-safety: distinct objects safe; shared objects safe for const access.
template <class T, class E>
class [[nodiscard]] basic_result {
public:
    using value_type = T;
    using error_type = E;

    basic_result() requires std::default_initializable<T> : value_(), has_value_(true) {}
    /// A success, with the value or what converts to one.
    template <class U = T>
    requires(std::convertible_to<U&&, T> && !std::same_as<std::remove_cvref_t<U>, basic_result> &&
             !std::same_as<std::remove_cvref_t<U>, E>) basic_result(U&& value)  // NOLINT: meant to convert
        : value_(std::forward<U>(value)), has_value_(true) {}
    /// A failure.
    basic_result(E error) : error_(std::move(error)), has_value_(false) {}  // NOLINT: meant to convert

    basic_result(const basic_result& other) : has_value_(other.has_value_) {
        if (has_value_) {
            std::construct_at(std::addressof(value_), other.value_);
        } else {
            std::construct_at(std::addressof(error_), other.error_);
        }
    }
    basic_result(basic_result&& other) noexcept : has_value_(other.has_value_) {
        if (has_value_) {
            std::construct_at(std::addressof(value_), std::move(other.value_));
        } else {
            std::construct_at(std::addressof(error_), std::move(other.error_));
        }
    }
    ~basic_result() { destroy(); }

    /// Takes over what the other has; what it had itself is destroyed.
    basic_result& operator=(basic_result other) noexcept {
        destroy();
        std::construct_at(this, std::move(other));
        return *this;
    }

    bool has_value() const noexcept { return has_value_; }   ///< whether it is a success
    bool has_error() const noexcept { return !has_value_; }  ///< whether it is a failure
    explicit operator bool() const noexcept { return has_value_; }

    T& operator*() & noexcept { return value_; }
    const T& operator*() const& noexcept { return value_; }
    T&& operator*() && noexcept { return std::move(value_); }
    T* operator->() noexcept { return std::addressof(value_); }
    const T* operator->() const noexcept { return std::addressof(value_); }

    T& value() & { return check(), value_; }               ///< the value; throws where there is none
    const T& value() const& { return check(), value_; }    ///< the same, to look at
    T&& value() && { return check(), std::move(value_); }  ///< the same, to move from

    const E& error() const& noexcept { return error_; }    ///< why there is no value
    E&& error() && noexcept { return std::move(error_); }  ///< the same, to move from

    friend bool operator==(const basic_result& a, const basic_result& b) {
        if (a.has_value_ != b.has_value_) return false;
        return a.has_value_ ? a.value_ == b.value_ : a.error_ == b.error_;
    }

private:
    void check() const {
        if (!has_value_) throw_exception_from_error(error_);
    }
    void destroy() noexcept {
        if (has_value_) {
            std::destroy_at(std::addressof(value_));
        } else {
            std::destroy_at(std::addressof(error_));
        }
    }

    union {
        T value_;
        E error_;
    };
    bool has_value_;
};

/// Success, or an error.
template <class E>
class [[nodiscard]] basic_result<void, E> {
public:
    using value_type = void;
    using error_type = E;

    basic_result() noexcept = default;
    /// A failure.
    basic_result(E error) : failure_(std::in_place, std::move(error)) {}  // NOLINT: meant to convert

    bool has_value() const noexcept { return !failure_.has_value(); }  ///< whether it is a success
    bool has_error() const noexcept { return failure_.has_value(); }   ///< whether it is a failure
    explicit operator bool() const noexcept { return has_value(); }
    void operator*() const noexcept {}
    /// Gives nothing; throws where there is an error.
    void value() const {
        if (failure_) throw_exception_from_error(*failure_);
    }
    const E& error() const& noexcept { return *failure_; }    ///< what failed; has_error() must hold
    E&& error() && noexcept { return std::move(*failure_); }  ///< the same, to move from

private:
    std::optional<E> failure_;
};

/// NotFound and Conflict are ordinary outcomes and come as errors, never as exceptions; `value()` throws `exception`.
template <class T>
using result = basic_result<T, error>;

}  // namespace kcontrol
