#pragma once

#include <kcontrol/runtime/impl/guest_task.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>

namespace kcontrol {

struct task_group::shared {
    shared(logger l, guest_task w) : log(std::move(l)), within(std::move(w)) {}

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
    void await_one_less() {
        if (--awaited == 0) idle.notify_all();
    }

    std::size_t running = 0;
    std::size_t awaited = 0;  // the same without those left out
    async_event idle;
    const logger log;
    const guest_task within;
};

KCONTROL_DECL task_group::task_group(environment& env, executor ex, logger log, guest_task within)
    : env_(env), ex_(std::move(ex)), shared_(std::make_shared<shared>(std::move(log), std::move(within))) {}

KCONTROL_DECL task_group::~task_group() = default;

KCONTROL_DECL void task_group::spawn(awaitable<void> task) {
    ++shared_->running;
    ++shared_->awaited;
    boost::asio::co_spawn(ex_, std::move(task), [state = shared_](std::exception_ptr failure) {
        state->ended(std::move(failure));
        state->await_one_less();
    });
}

KCONTROL_DECL void task_group::spawn_guest(awaitable<void> task) {
    ++shared_->running;
    ++shared_->awaited;
    const auto guest = std::make_shared<guest_task::state>(shared_);
    const executor its_own = guest_task::task_executor(ex_, guest);
    boost::asio::co_spawn(its_own, std::move(task), [guest](std::exception_ptr failure) {
        guest->ended = true;
        guest->group->ended(std::move(failure));
        if (!guest->left_out) guest->group->await_one_less();
    });
}

KCONTROL_DECL void task_group::leave_out(const guest_task& caller) {
    for (const guest_task* one = &caller; *one; one = &one->state_->group->within) {
        if (one->state_->group != shared_) continue;
        guest_task::state& found = *caller.state_;
        if (found.ended || std::exchange(found.left_out, true)) return;
        found.group->await_one_less();
        return;
    }
}

KCONTROL_DECL std::size_t task_group::running() const noexcept { return shared_->running; }

KCONTROL_DECL std::size_t task_group::awaited() const noexcept { return shared_->awaited; }

KCONTROL_DECL awaitable<bool> task_group::join(std::optional<time_point> deadline) {
    const auto state = shared_;
    environment& env = env_;
    while (state->awaited != 0) {
        const wake reason = co_await state->idle.wait(env, {}, deadline);
        if (reason == wake::timeout) co_return false;
    }
    co_return true;
}

}  // namespace kcontrol
