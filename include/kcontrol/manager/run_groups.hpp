// Controllers and other work of one host: some as long as the host runs, the rest only while this process leads.
#pragma once

#include <kcontrol/controller/host.hpp>
#include <kcontrol/manager/run_group.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// The host of the group `always`, beside another host.
class always_host final : public controller_host {
public:
    cluster& get_cluster() noexcept override { return beside->get_cluster(); }
    void adjust(controller_options& of) const override { beside->adjust(of); }
    result<void> add(std::shared_ptr<any_controller> added) override { return take(std::move(added)); }

    controller_host* beside = nullptr;  // for all else
    std::function<result<void>(std::shared_ptr<any_controller>)> take;
};

/// What a manager runs, and what an engaged cluster runs. The host stops it, with stop tokens of its own; terms of
/// leadership begin and end here.
///
/// Nothing of the group `leading` is called after the end of a term, not even to find its token triggered: a term that
/// is over is still there while something of it has not returned, and work that is added then waits for the next one.
///
/// Thread-safety: shared objects unsafe; use it on the executor given.
/// Object lifetime: outlives lead() and join(), so their callers hold it.
class run_groups {
public:
    /// Makes the coroutine of some work. `term`: the term of leadership that it belongs to; of the group `always` a
    /// token that can't be triggered.
    using start_function = std::function<awaitable<void>(std::stop_token term)>;

    /// `contends`: there is leader election. Without it everything runs as the group `always` does.
    KCONTROL_DECL run_groups(environment& env, executor ex, logger log, bool contends);

    /// Work that runs each time that its group does; at once if that runs now.
    KCONTROL_DECL void add(run_group group, start_function start);
    /// The same of a controller; controllers begin before other work. Errors: invalid_argument (its name is taken).
    KCONTROL_DECL result<void> add(std::shared_ptr<any_controller> one, run_group group, start_function start);
    const controller_list& controllers() const noexcept { return controllers_; }

    /// The host runs: so does the group `always`. `within`: see task_group. What the host ran before does not count any
    /// more.
    KCONTROL_DECL void start(user_task within = {});
    /// The host does not: what is added is not called before the next start().
    void finish() noexcept { run_.reset(); }
    /// Discards all work, for what has returned is not to be called again.
    KCONTROL_DECL void clear();

    /// A task of the host's own, which join() waits for. Between start() and finish().
    void spawn(awaitable<void> task) { run_->spawn(std::move(task)); }

    /// A term of leadership, which ends with `stop`: runs the group `leading`, and returns when that has.
    KCONTROL_DECL awaitable<void> lead(std::stop_token stop);

    /// Waits until all has returned (true), or until `deadline` (false).
    KCONTROL_DECL awaitable<bool> join(time_point deadline);
    KCONTROL_DECL std::size_t awaited() const noexcept;  ///< what join() waits for
    /// Does not wait for that task.
    KCONTROL_DECL void exclude(const user_task& caller) const;

private:
    struct work {
        bool waits;  // for leadership
        start_function start;
    };

    KCONTROL_DECL void start_if_due(const work& one) const;
    KCONTROL_DECL void start_all(bool waiting) const;

    environment& env_;
    executor ex_;
    logger log_;
    bool contends_;
    std::vector<work> all_;
    controller_list controllers_;
    std::shared_ptr<task_group> run_;   // null while the host does not run
    std::shared_ptr<task_group> term_;  // of the present term, or of the last one that has not ended
    std::stop_token stop_;              // of that term
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/manager/impl/run_groups.ipp>
#endif
