// result<T>: a value, or the error that stood in its way.
#pragma once

#include <kcontrol/base/error.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {

template <class T, class E>
class [[nodiscard]] basic_result;

namespace detail {

template <class U>
inline constexpr bool is_result = false;
template <class T, class E>
inline constexpr bool is_result<basic_result<T, E>> = true;

// What wrappers of the standard library look into: an optional<result<T>> is made from an optional<T>, because a
// result<T> can't be made from the optional itself. So for these there is no sentence.
template <class U>
concept has_tuple_size = requires {
    std::tuple_size<U>::value;
};
template <class U>
concept has_inner_value = requires(const U& u) {
    u.has_value();
};
template <class U>
inline constexpr bool is_refused = is_result<U> || !(has_inner_value<U> || has_tuple_size<U>);

// What a result can't be made from. A trait and not std::convertible_to, which would ask for this again.
template <class U, class T, class E>
concept no_outcome =
    !std::same_as<std::remove_cvref_t<U>, basic_result<T, E>> && !std::same_as<std::remove_cvref_t<U>, E> &&
    !std::is_convertible_v<U&&, T> && !std::is_convertible_v<U&&, E> &&
    !std::is_convertible_v<U&&, basic_result<T, E>> && is_refused<std::remove_cvref_t<U>>;

template <class T, class U, class E>
void refuse_outcome() {
    using given = std::remove_cvref_t<U>;
    // Not `false` alone: that would fail for a template that nobody uses.
    constexpr bool converts = !std::same_as<given, given>;
    if constexpr (is_result<given>) {
        if constexpr (!std::same_as<typename given::error_type, E>) {
            static_assert(converts,
                          "kcontrol: this result has an error of another type: "
                          "`if (!r) co_return ...;` with an error of the type that is wanted, made of r.error()");
        } else if constexpr (std::is_void_v<T>) {
            static_assert(converts,
                          "kcontrol: a result with a value is no result<void>: return its error, or nothing: "
                          "`if (!r) co_return r.error(); co_return kcontrol::result<void>();`");
        } else if constexpr (std::is_void_v<typename given::value_type>) {
            static_assert(converts,
                          "kcontrol: a result<void> has no value for this result<T>: return its error, or a T: "
                          "`if (!r) co_return r.error(); co_return value;`");
        } else {
            static_assert(converts,
                          "kcontrol: a result<T> is not made from a result of another T: return its error, or "
                          "a T made of *r: `if (!r) co_return r.error(); co_return ...;`");
        }
    } else if constexpr (std::is_constructible_v<E, U>) {
        static_assert(converts,
                      "kcontrol: a code alone is no error of a result: "
                      "`co_return kcontrol::error(code, \"what happened\");`");
    } else if constexpr (std::is_void_v<T>) {
        static_assert(converts,
                      "kcontrol: a result<void> has no value: return nothing, `kcontrol::result<void>()`, or "
                      "an error, `kcontrol::error(code, \"what happened\")`");
    } else {
        static_assert(converts,
                      "kcontrol: what is returned is neither a T nor an error of this result<T>: return a T, or "
                      "`kcontrol::error(code, \"what happened\")`");
    }
}

}  // namespace detail

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
    /// Nothing else: what does not convert is refused with one sentence, also where a co_return hands it on through
    /// Asio. It is explicit, so `std::convertible_to` goes on to tell what converts.
    template <detail::no_outcome<T, E> U>
    explicit basic_result(U&&) : has_value_(false) {
        detail::refuse_outcome<T, U, E>();
    }

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
    /// Nothing else: refused with one sentence, as above.
    template <detail::no_outcome<void, E> U>
    explicit basic_result(U&&) {
        detail::refuse_outcome<void, U, E>();
    }

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
