// Counts running coroutines, so that the code that stopped them can wait until the last one has returned.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/user_task.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <cstddef>
#include <memory>

namespace kcontrol::inline v0_1 {

/// Coroutines that belong together. Stopping them is their scope's business; this one waits for the end.
///
/// Thread-safety: shared objects unsafe; everything belongs to the executor given at construction, a strand or a
/// single-threaded context, and the coroutines run on it.
/// Object lifetime: may be destroyed while coroutines still run; they keep the shared part alive.
class task_group {
public:
    /// `within`: the task whose coroutine runs this group's owner, if there is one. It identifies a user task of this
    /// group that stops that owner.
    KCONTROL_DECL task_group(environment& env, executor ex, logger log = {}, user_task within = {});
    KCONTROL_DECL ~task_group();
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;

    /// Starts a coroutine. An exception that leaves it is logged and ends that coroutine only.
    KCONTROL_DECL void spawn(awaitable<void> task);

    /// The same for code of the embedding program, which may await the end of this group, or of a group above it: what
    /// it calls then finds it with user_task::of(), and calls exclude(). Its executor is another one than the group's,
    /// with the same order of work.
    KCONTROL_DECL void spawn_user_task(awaitable<void> task);

    /// join() does not wait for that task from now on, if it is one of this group, or of a group within one of this
    /// group's user tasks. For code that waits on its behalf. Otherwise this has no effect.
    KCONTROL_DECL void exclude(const user_task& caller);

    /// The number of coroutines that have not returned.
    KCONTROL_DECL std::size_t running() const noexcept;
    /// The same without those that are excluded.
    KCONTROL_DECL std::size_t awaited() const noexcept;

    /// Waits until none is running (true), or until `deadline` (false). Excluded tasks do not count.
    KCONTROL_DECL awaitable<bool> join(std::optional<time_point> deadline = std::nullopt);

    /// The same for those that run at the call: what is spawned afterwards, as by a start that follows a stop at once,
    /// is not waited for.
    KCONTROL_DECL awaitable<bool> join_present(std::optional<time_point> deadline = std::nullopt);

private:
    friend class user_task;
    struct shared;
    struct present;
    environment& env_;
    executor ex_;
    std::shared_ptr<shared> shared_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/task_group.ipp>
#include <kcontrol/runtime/impl/user_task.ipp>
#endif
