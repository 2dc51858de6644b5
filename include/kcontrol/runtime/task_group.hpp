// Counts running coroutines, so that the code that stopped them can wait until the last one has returned.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <cstddef>
#include <memory>

namespace kcontrol {

/// Coroutines that belong together. Stopping them is their scope's business; this one waits for the end.
///
/// Thread-safety: shared objects unsafe; spawn() and join() belong to the executor given at construction, a strand
/// or a single-threaded context, and the coroutines run on it.
/// Object lifetime: may be destroyed while coroutines still run; they keep the shared part alive.
class task_group {
public:
    KCONTROL_DECL task_group(environment& env, executor ex, logger log = {});
    KCONTROL_DECL ~task_group();
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;

    /// Starts a coroutine. An exception that leaves it is logged and ends that coroutine only.
    KCONTROL_DECL void spawn(awaitable<void> task);

    /// The number of coroutines that have not returned.
    KCONTROL_DECL std::size_t running() const noexcept;

    /// Waits until none is running (true), or until `deadline` (false).
    KCONTROL_DECL awaitable<bool> join(std::optional<time_point> deadline = std::nullopt);

private:
    struct shared;
    environment& env_;
    executor ex_;
    std::shared_ptr<shared> shared_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/task_group.ipp>
#endif
