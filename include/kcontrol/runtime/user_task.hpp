// Which task of a task_group a coroutine is part of: so that a stop that is called from inside does not wait for
// itself.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <memory>

namespace kcontrol::inline v0_1 {

/// A task that task_group::spawn_user_task() started: code of the embedding program (a reconciler, a runnable, an HTTP
/// handler), which may await the end of what runs it. A handle: copies are the same task.
///
/// Thread-safety: of() and copies: shared objects safe.
class user_task {
public:
    user_task() = default;

    /// The task to which a coroutine on that executor belongs, or none: `of(co_await this_coro::executor)`. What a task
    /// awaits belongs to it, and so does what it spawns on its own executor; what it spawns on another one does not.
    KCONTROL_DECL static user_task of(const executor& ex);

    explicit operator bool() const noexcept { return state_ != nullptr; }

private:
    friend class task_group;
    struct state;
    class task_executor;

    std::shared_ptr<state> state_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/task_group.hpp>  // includes the definitions of both, which need each other
#endif
