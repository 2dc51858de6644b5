#pragma once

#include <kcontrol/runtime/task_group.hpp>

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>

namespace kcontrol {

struct task_group::shared {
    explicit shared(logger l) : log(std::move(l)) {}
    std::size_t running = 0;
    async_event idle;
    logger log;
};

KCONTROL_DECL task_group::task_group(environment& env, executor ex, logger log)
    : env_(env), ex_(std::move(ex)), shared_(std::make_shared<shared>(std::move(log))) {}

KCONTROL_DECL task_group::~task_group() = default;

KCONTROL_DECL void task_group::spawn(awaitable<void> task) {
    ++shared_->running;
    boost::asio::co_spawn(ex_, std::move(task), [state = shared_](std::exception_ptr failure) {
        if (failure) {
            try {
                std::rethrow_exception(failure);
            } catch (const std::exception& e) {
                state->log.error("a background task ended with an exception", {{"error", e.what()}});
            } catch (...) {
                state->log.error("a background task ended with an unknown exception");
            }
        }
        if (--state->running == 0) state->idle.notify_all();
    });
}

KCONTROL_DECL std::size_t task_group::running() const noexcept { return shared_->running; }

KCONTROL_DECL awaitable<bool> task_group::join(std::optional<time_point> deadline) {
    const auto state = shared_;
    while (state->running != 0) {
        const wake reason = co_await state->idle.wait(env_, {}, deadline);
        if (reason == wake::timeout) co_return false;
    }
    co_return true;
}

}  // namespace kcontrol
