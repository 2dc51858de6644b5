// A value that is derived from an informer's cache, and read from any thread.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/cache/detail/published_loop.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/cache/published_options.hpp>
#include <kcontrol/cache/snapshot.hpp>
#include <kcontrol/runtime/published_value.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

template <class V>
class published_state final : public published_loop {
public:
    using function = std::function<V(const store_snapshot&)>;

    published_state(any_informer& from, published_options options, function f)
        : published_loop(from, std::move(options)), function_(std::move(f)) {}

    const std::shared_ptr<published_value<V>>& value() const noexcept { return value_; }
    std::uint64_t version() const noexcept override { return value_->version(); }

private:
    void build(const store& objects) override {
        auto next = std::make_shared<const V>(function_(objects.snapshot()));
        if (over()) return;
        if constexpr (std::equality_comparable<V>) {
            if (const auto present = value_->get(); present && *present == *next) return;
        }
        value_->set(std::move(next), version() + 1);
    }

    const std::shared_ptr<published_value<V>> value_ = std::make_shared<published_value<V>>();
    function function_;
};

// What f is called with: all objects with their type, if it takes them, else the content of the store.
template <class T, class F>
inline constexpr bool takes_found_list = std::is_invocable_v<F&, const found_list<T>&>;

template <class V, class F>
inline constexpr bool builds_from_snapshot = std::is_invocable_r_v<V, F&, const store_snapshot&>;

}  // namespace detail

/// A value that f makes of everything in an informer's cache: a routing table, a set of names, a sum. It is built on
/// the informer's executor, and read on any thread:
///
///     published<std::size_t> running(pods, [](const found_list<pod>& all) { return count_running(all); });
///     …
///     if (const auto now = running.get()) use(*now);
///
/// f is called for the first time when the informer has synced, at once if it has, and then once per burst of events;
/// published_options says what a burst is. It gets the content of the cache at one moment: the objects as
/// `const found_list<T>&`, or `const store_snapshot&` for lookups and indexes. It must not block, and should depend on
/// nothing else: other changes call it not. A value that equals the one before, if V can be compared, is no new
/// version.
///
/// Errors: what f throws is logged and counted like a handler's (informer_status::handler_errors), problem() has it,
/// and the value before stays. f is called again with the next burst; after std::bad_alloc in a second.
/// Thread-safety: get(), version(), reader(), problem() and failures() may be called from any thread. Construction, the
/// rest and destruction belong to the informer's executor, a strand or a single-threaded context.
/// Cancellation: stop(), destruction, and the end of the informer (its destruction, or retire()): f is not called any
/// more, waits end with `unavailable`, and the last value stays. An informer that stop() has ended may start again,
/// and the value goes on then.
/// Object lifetime: may outlive the informer. Values and readers may outlive both.
template <class V>
class published {
    static_assert(std::is_object_v<V> && !std::is_const_v<V>,
                  "kcontrol: published<V> holds a value: V is no reference, and is not const");

public:
    /// Follows `from`; see above for f, which may be called by this constructor.
    template <resource T, class F>
    published(informer<T>& from, F f, published_options options = {})
        : state_(std::make_shared<detail::published_state<V>>(from, std::move(options), typed<T>(std::move(f)))) {
        state_->begin(from);
    }
    /// The same for an informer of a kind known at run time: f takes `const store_snapshot&`.
    template <class F>
    published(any_informer& from, F f, published_options options = {})
        : state_(std::make_shared<detail::published_state<V>>(from, std::move(options), untyped(std::move(f)))) {
        state_->begin(from);
    }
    ~published() { state_->end(); }
    published(const published&) = delete;
    published& operator=(const published&) = delete;

    /// The newest value; null until the informer has synced. For threads that read often see reader().
    std::shared_ptr<const V> get() const { return state_->value()->get(); }
    /// Grows by one with each new value; 0: there is none yet.
    std::uint64_t version() const noexcept { return state_->version(); }
    /// A reader for the calling thread, which takes no lock as long as nothing changes.
    published_reader<V> reader() const { return published_reader<V>(state_->value()); }

    /// What f threw when it was called last: callback_failed. None if it returned.
    std::optional<error> problem() const { return state_->problem(); }
    /// How often f threw.
    std::uint64_t failures() const noexcept { return state_->failures(); }

    /// Waits until there is a value with a version beyond `after`: 0 waits for the first one. Errors: timeout at
    /// `deadline`, stopped by `stop`, unavailable once this or the informer has ended.
    awaitable<result<std::shared_ptr<const V>>> wait(std::uint64_t after, std::stop_token stop = {},
                                                     std::optional<time_point> deadline = std::nullopt) const {
        return then_value(detail::published_loop::wait(state_, after, std::move(stop), deadline), state_->value());
    }

    /// Ends it as destruction does; the value stays readable. Idempotent.
    void stop() { state_->end(); }

private:
    using function = typename detail::published_state<V>::function;

    template <class T, class F>
    static function typed(F f) {
        if constexpr (detail::takes_found_list<T, F>) {
            static_assert(std::is_invocable_r_v<V, F&, const found_list<T>&>,
                          "kcontrol: the function of published<V> must return a V, or what converts to it");
            if constexpr (std::is_invocable_r_v<V, F&, const found_list<T>&>) {
                return [f = std::make_shared<F>(std::move(f))](const store_snapshot& all) -> V {
                    const found_list<T> typed_all(all.select());
                    return (*f)(typed_all);
                };
            } else {
                return {};
            }
        } else {
            return untyped(std::move(f));
        }
    }
    template <class F>
    static function untyped(F f) {
        static_assert(detail::builds_from_snapshot<V, F>,
                      "kcontrol: the function of published<V> takes const found_list<T>& (of an informer<T>) or const "
                      "store_snapshot&, and returns a V, or what converts to it");
        if constexpr (detail::builds_from_snapshot<V, F>) {
            return [f = std::make_shared<F>(std::move(f))](const store_snapshot& all) -> V { return (*f)(all); };
        } else {
            return {};
        }
    }

    static awaitable<result<std::shared_ptr<const V>>> then_value(awaitable<result<void>> waited,
                                                                  std::shared_ptr<const published_value<V>> from) {
        const result<void> done = co_await std::move(waited);
        if (!done) co_return done.error();
        co_return from->get();
    }

    std::shared_ptr<detail::published_state<V>> state_;
};

}  // namespace kcontrol
