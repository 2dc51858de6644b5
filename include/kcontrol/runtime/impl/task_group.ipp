#pragma once

#include <kcontrol/runtime/impl/user_task.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <boost/asio/co_spawn.hpp>

#include <cstdint>
#include <exception>
#include <list>
#include <utility>

namespace kcontrol::inline v0_1 {

// Those that ran when join_present() was called.
struct task_group::present {
    std::uint64_t last = 0;  // begun until then
    std::size_t awaited = 0;
    async_event idle;
};

struct task_group::shared {
    shared(logger l, user_task w) : log(std::move(l)), within(std::move(w)) {}

    void ended(std::exception_ptr failure) {
        --running;
        if (!failure) return;
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& e) {
            log.error("a background task ended with an exception", {{"error", e.what()}});
        } catch (...) {
            log.error("a background task ended with an unknown exception");
        }
    }
    // The number of a task that begins.
    std::uint64_t begin() {
        ++running;
        ++awaited;
        return ++begun;
    }
    void await_one_less(std::uint64_t number) {
        if (--awaited == 0) idle.notify_all();
        for (present* const one : joins) {
            if (number <= one->last && --one->awaited == 0) one->idle.notify_all();
        }
    }

    std::uint64_t begun = 0;
    std::list<present*> joins;
    std::size_t running = 0;
    std::size_t awaited = 0;  // the same without those excluded
    async_event idle;
    const logger log;
    const user_task within;
};

KCONTROL_DECL task_group::task_group(environment& env, executor ex, logger log, user_task within)
    : env_(env), ex_(std::move(ex)), shared_(std::make_shared<shared>(std::move(log), std::move(within))) {}

KCONTROL_DECL task_group::~task_group() = default;

KCONTROL_DECL void task_group::spawn(awaitable<void> task) {
    const std::uint64_t number = shared_->begin();
    boost::asio::co_spawn(ex_, std::move(task), [state = shared_, number](std::exception_ptr failure) {
        state->ended(std::move(failure));
        state->await_one_less(number);
    });
}

KCONTROL_DECL void task_group::spawn_user_task(awaitable<void> task) {
    const auto task_state = std::make_shared<user_task::state>(shared_, shared_->begin());
    const executor its_own = user_task::task_executor(ex_, task_state);
    boost::asio::co_spawn(its_own, std::move(task), [task_state](std::exception_ptr failure) {
        task_state->ended = true;
        task_state->group->ended(std::move(failure));
        if (!task_state->excluded) task_state->group->await_one_less(task_state->number);
    });
}

KCONTROL_DECL void task_group::exclude(const user_task& caller) {
    for (const user_task* one = &caller; *one; one = &one->state_->group->within) {
        if (one->state_->group != shared_) continue;
        user_task::state& found = *caller.state_;
        if (found.ended || std::exchange(found.excluded, true)) return;
        found.group->await_one_less(found.number);
        return;
    }
}

KCONTROL_DECL std::size_t task_group::running() const noexcept { return shared_->running; }

KCONTROL_DECL std::size_t task_group::awaited() const noexcept { return shared_->awaited; }

namespace detail {

// Keeps something on a list as long as a coroutine is where it is.
template <class T>
class listed_join {
public:
    listed_join(std::list<T*>& on, T& one) : on_(on), at_(on.insert(on.end(), &one)) {}
    ~listed_join() { on_.erase(at_); }
    listed_join(const listed_join&) = delete;
    listed_join& operator=(const listed_join&) = delete;

private:
    std::list<T*>& on_;
    typename std::list<T*>::iterator at_;
};

}  // namespace detail

KCONTROL_DECL awaitable<bool> task_group::join(std::optional<time_point> deadline) {
    const auto state = shared_;
    environment& env = env_;
    while (state->awaited != 0) {
        const wake reason = co_await state->idle.wait(env, {}, deadline);
        if (reason == wake::timeout) co_return false;
    }
    co_return true;
}

KCONTROL_DECL awaitable<bool> task_group::join_present(std::optional<time_point> deadline) {
    const auto state = shared_;
    environment& env = env_;
    present those;
    those.last = state->begun;
    those.awaited = state->awaited;
    const detail::listed_join listed(state->joins, those);
    while (those.awaited != 0) {
        const wake reason = co_await those.idle.wait(env, {}, deadline);
        if (reason == wake::timeout) co_return false;
    }
    co_return true;
}

}  // namespace kcontrol
