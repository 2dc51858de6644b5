// Functions that are no daemon.
// expect(ARGUMENTS): kcontrol: a daemon is a coroutine that takes a kcontrol::daemon_context by value and returns
// expect(RESULT): kcontrol::awaitable<kcontrol::result<void>>
// expect(TIMER): kcontrol: the function of a timer is a coroutine that takes a kcontrol::daemon_context by value and
#include <kcontrol/controller/reconcile_context.hpp>

void start(const kcontrol::reconcile_context& ctx) {
    using namespace kcontrol;
#if defined(ARGUMENTS)
    ctx.daemon("d", [](std::stop_token) -> awaitable<result<void>> { co_return result<void>(); });
#elif defined(RESULT)
    ctx.daemon("d", [](daemon_context) -> awaitable<void> { co_return; });
#elif defined(TIMER)
    ctx.timer("t", std::chrono::seconds(1), [](daemon_context) {});
#else
    ctx.daemon("d", [](daemon_context) -> awaitable<result<void>> { co_return result<void>(); });
    ctx.timer("t", std::chrono::seconds(1),
              [](daemon_context) -> awaitable<result<void>> { co_return result<void>(); });
#endif
}
