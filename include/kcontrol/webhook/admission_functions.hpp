// Defaulters and validators as a user writes them: plain functions or coroutines of a typed object.
#pragma once

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/webhook/admission_handler.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {

/// The objects of one request, as a validator gets them. They live as long as this, or a copy of it.
template <class T>
class admission_of {
public:
    /// The object as it would be, and as it was. One of them may be null. `connects`: it is that of a connection.
    admission_of(std::shared_ptr<const T> now, std::shared_ptr<const T> before, bool connects = false)
        : object(std::move(now)), old_object(std::move(before)), connects_(connects) {}

    std::shared_ptr<const T> object;      ///< null for a deletion
    std::shared_ptr<const T> old_object;  ///< null for a creation or a connection

    /// Only the object is there, and the operation is not CONNECT.
    bool is_create() const noexcept { return object && !old_object && !connects_; }
    bool is_connect() const noexcept { return connects_; }            ///< the operation is CONNECT
    bool is_update() const noexcept { return object && old_object; }  ///< both objects are there
    bool is_delete() const noexcept { return !object; }               ///< only old_object is there
    /// The object, or of a deletion the one that goes.
    const T& subject() const noexcept { return object ? *object : *old_object; }

private:
    bool connects_;
};

namespace detail {

template <class F, class First>
concept takes_context = std::invocable<F&, First, const admission_context&>;

template <class F, class First>
decltype(auto) call_admission(F& f, First first, const admission_context& ctx) {
    if constexpr (takes_context<F, First>) {
        return f(first, ctx);
    } else {
        return f(first);
    }
}

template <class F, class First>
using admission_returns = decltype(call_admission<F, First>(std::declval<F&>(), std::declval<First>(),
                                                            std::declval<const admission_context&>()));

template <class R>
inline constexpr bool is_default_outcome = std::is_void_v<R> || std::same_as<R, result<void>> ||
                                           std::same_as<R, awaitable<void>> || std::same_as<R, awaitable<result<void>>>;
template <class R>
inline constexpr bool is_plain_verdict =
    std::same_as<R, admission_verdict> || std::same_as<R, result<void>> || std::same_as<R, result<admission_verdict>>;
template <class R>
inline constexpr bool is_verdict = is_plain_verdict<R>;
template <class R>
inline constexpr bool is_verdict<awaitable<R>> = is_plain_verdict<R>;

inline admission_verdict as_verdict(admission_verdict v) { return v; }
inline admission_verdict as_verdict(const result<void>& r) { return r ? admission_verdict() : verdict_of(r.error()); }
inline admission_verdict as_verdict(result<admission_verdict> r) { return r ? std::move(*r) : verdict_of(r.error()); }

// The two below keep what the user's coroutine has references to.
template <class T, class F>
awaitable<result<any_object>> run_defaulter(std::shared_ptr<F> f, admission_context ctx, std::shared_ptr<T> edited) {
    using returned = admission_returns<F, T&>;
    result<void> done;
    if constexpr (std::is_void_v<returned>) {
        call_admission<F, T&>(*f, *edited, ctx);
    } else if constexpr (std::same_as<returned, result<void>>) {
        done = call_admission<F, T&>(*f, *edited, ctx);
    } else if constexpr (std::same_as<returned, awaitable<void>>) {
        co_await call_admission<F, T&>(*f, *edited, ctx);
    } else {
        done = co_await call_admission<F, T&>(*f, *edited, ctx);
    }
    if (!done) co_return done.error();
    co_return any_object(std::shared_ptr<const T>(std::move(edited)));
}

template <class T, class F>
awaitable<admission_verdict> run_validator(std::shared_ptr<F> f, admission_context ctx, admission_of<T> of) {
    using returned = admission_returns<F, const admission_of<T>&>;
    if constexpr (is_plain_verdict<returned>) {
        co_return as_verdict(call_admission<F, const admission_of<T>&>(*f, of, ctx));
    } else {
        auto outcome = co_await call_admission<F, const admission_of<T>&>(*f, of, ctx);
        co_return as_verdict(std::move(outcome));
    }
}

template <class T, class F>
default_step make_default_step(F f) {
    return [f = std::make_shared<F>(std::move(f))](admission_context ctx, any_object object) {
        return run_defaulter<T, F>(f, std::move(ctx), std::make_shared<T>(object.get<T>()));
    };
}

template <class T, class F>
validate_step make_validate_step(F f) {
    return [f = std::make_shared<F>(std::move(f))](admission_context ctx, any_object object, any_object old) {
        const bool connects = ctx.operation() == admission_operation::connect;
        return run_validator<T, F>(f, std::move(ctx), admission_of<T>(object.as<T>(), old.as<T>(), connects));
    };
}

/// Refuses, at compile time and in words, a function that can't be a defaulter.
template <class T, class F>
constexpr bool assert_defaults() {
    constexpr bool takes = std::invocable<F&, T&> || takes_context<F, T&>;
    static_assert(takes, "kcontrol: a defaulter takes (T&) or (T&, const kcontrol::admission_context&)");
    if constexpr (takes) {
        constexpr bool returns = is_default_outcome<admission_returns<F, T&>>;
        static_assert(returns,
                      "kcontrol: a defaulter returns nothing or kcontrol::result<void>, or is a coroutine of "
                      "kcontrol::awaitable<void> or kcontrol::awaitable<kcontrol::result<void>>");
        return returns;
    }
    return takes;
}

/// The same of a validator.
template <class T, class F>
constexpr bool assert_validates() {
    constexpr bool takes = std::invocable<F&, const admission_of<T>&> || takes_context<F, const admission_of<T>&>;
    static_assert(takes,
                  "kcontrol: a validator takes (const kcontrol::admission_of<T>&), or that and (const "
                  "kcontrol::admission_context&)");
    if constexpr (takes) {
        constexpr bool returns = is_verdict<admission_returns<F, const admission_of<T>&>>;
        static_assert(returns,
                      "kcontrol: a validator returns kcontrol::admission_verdict, kcontrol::result<void> or "
                      "kcontrol::result<kcontrol::admission_verdict>, or is a coroutine of one of them");
        return returns;
    }
    return takes;
}

}  // namespace detail

/// A validator from the type's own schema: what rules() and the types of the fields say of an object, as the API
/// server's validation words it. For objects whose CustomResourceDefinition is older than the program, and for kinds
/// that have none. Deletions are let through.
template <class T>
auto schema_validator() {
    return [](const admission_of<T>& of, const admission_context& ctx) {
        if (of.is_delete()) return admission_verdict();
        return admission_verdict::invalid(validate_json<T>(ctx.request().object));
    };
}

/// One handler of these defaulters of T, which run one after the other: for who serves a webhook without a builder.
template <resource T, class... F>
admission_handler defaulting_handler(F... f) {
    (static_cast<void>(detail::assert_defaults<T, F>()), ...);
    return detail::make_defaulting_handler(resource_of<T>(), {detail::make_default_step<T, F>(std::move(f))...});
}
/// The same of validators.
template <resource T, class... F>
admission_handler validating_handler(F... f) {
    (static_cast<void>(detail::assert_validates<T, F>()), ...);
    return detail::make_validating_handler(resource_of<T>(), {detail::make_validate_step<T, F>(std::move(f))...});
}

}  // namespace kcontrol
