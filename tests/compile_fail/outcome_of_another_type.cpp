// What can't become the result that a coroutine, or an initialization, wants.
// lines: 12
// expect(RESULT): kcontrol: a result<T> is not made from a result of another T: return its error, or
// expect(MOVED): kcontrol: a result<T> is not made from a result of another T: return its error, or
// expect(AWAITED): kcontrol: a result<T> is not made from a result of another T: return its error, or
// expect(SHARED): kcontrol: a result<T> is not made from a result of another T: return its error, or
// expect(RECONCILER): kcontrol: a result<T> is not made from a result of another T: return its error, or
// expect(LAMBDA): kcontrol: a result<T> is not made from a result of another T: return its error, or
// expect(INITIALIZED): kcontrol: a result<T> is not made from a result of another T: return its error, or
// expect(VOID_RESULT): kcontrol: a result<void> has no value for this result<T>: return its error, or
// expect(FOR_VOID): kcontrol: a result with a value is no result<void>: return its error, or nothing
// expect(OTHER_ERROR): kcontrol: this result has an error of another type
// expect(CODE): kcontrol: a code alone is no error of a result
// expect(CODE_FOR_VOID): kcontrol: a code alone is no error of a result
// expect(SYSTEM_CODE): kcontrol: a code alone is no error of a result
// expect(TEXT): kcontrol: what is returned is neither a T nor an error of this result<T>
// expect(POINTER): kcontrol: what is returned is neither a T nor an error of this result<T>
// expect(TEXT_FOR_VOID): kcontrol: a result<void> has no value
// expect(VALUE_FOR_VOID): kcontrol: a result<void> has no value
#include <kcontrol/base/result.hpp>
#include <kcontrol/controller/reconcile_result.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>

using kcontrol::awaitable;
using kcontrol::result;

struct pod {
    std::string name;
};
struct node {
    std::string name;
};
struct other_error {};

awaitable<result<pod>> read_pod() { co_return pod(); }

#if defined(RESULT)
awaitable<result<node>> use(const result<pod>& found) { co_return found; }
#elif defined(MOVED)
awaitable<result<node>> use(result<pod> found) { co_return std::move(found); }
#elif defined(AWAITED)
awaitable<result<node>> use() { co_return co_await read_pod(); }
#elif defined(SHARED)
awaitable<result<pod>> use(result<std::shared_ptr<const pod>> found) { co_return found; }
#elif defined(RECONCILER)
kcontrol::reconciliation use(result<pod> found) { co_return found; }
#elif defined(LAMBDA)
auto use = [](result<pod> found) -> awaitable<result<int>> { co_return found; };
auto run() { return use(pod()); }
#elif defined(INITIALIZED)
result<node> use(result<pod> found) { return result<node>(found); }
#elif defined(VOID_RESULT)
awaitable<result<node>> use(result<void> done) { co_return done; }
#elif defined(FOR_VOID)
awaitable<result<void>> use(result<pod> found) { co_return found; }
#elif defined(OTHER_ERROR)
awaitable<result<node>> use(kcontrol::basic_result<node, other_error> found) { co_return found; }
#elif defined(CODE)
awaitable<result<node>> use() { co_return kcontrol::errc::timeout; }
#elif defined(CODE_FOR_VOID)
awaitable<result<void>> use() { co_return kcontrol::api_errc::conflict; }
#elif defined(SYSTEM_CODE)
awaitable<result<node>> use(std::error_code failed) { co_return failed; }
#elif defined(TEXT)
awaitable<result<node>> use() { co_return "no such node"; }
#elif defined(POINTER)
awaitable<result<pod>> use(std::shared_ptr<const pod> found) { co_return found; }
#elif defined(TEXT_FOR_VOID)
awaitable<result<void>> use() { co_return "no such node"; }
#elif defined(VALUE_FOR_VOID)
awaitable<result<void>> use(pod one) { co_return one; }
#else
struct failure : kcontrol::error {
    using error::error;
};
struct outcome_of_a_call {
    operator result<node>() const { return node(); }
    operator result<void>() const { return {}; }
};
awaitable<result<node>> use(result<pod> found) {
    if (!found) co_return found.error();
    co_return node{found->name};
}
awaitable<result<void>> use(result<node> found) {
    if (!found) co_return found.error();
    co_return result<void>();
}
awaitable<result<node>> use(failure why) { co_return why; }
awaitable<result<void>> done(failure why) { co_return why; }
awaitable<result<node>> use(outcome_of_a_call one) { co_return one; }
awaitable<result<void>> done(outcome_of_a_call one) { co_return one; }
awaitable<result<std::shared_ptr<const pod>>> use(std::shared_ptr<pod> one) { co_return one; }
awaitable<result<std::string>> text() { co_return "text"; }
awaitable<result<std::optional<pod>>> some(pod one) { co_return one; }
awaitable<std::optional<result<pod>>> maybe(result<pod> one) { co_return one; }

// What asks whether something converts gets the same answers as ever.
static_assert(!std::convertible_to<result<pod>, result<node>> && !std::convertible_to<result<pod>, result<void>>);
static_assert(!std::convertible_to<const char*, result<node>> && std::convertible_to<const char*, result<std::string>>);
static_assert(std::convertible_to<result<pod>, result<pod>> && std::convertible_to<pod, result<pod>>);

// Wrappers look into each other.
std::optional<result<pod>> rewrap(const std::optional<pod>& one) { return std::optional<result<pod>>(one); }
std::tuple<result<pod>> rewrap(const std::tuple<pod>& one) { return std::tuple<result<pod>>(one); }
#endif
