#pragma once

#include <kcontrol/manager/run_groups.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/this_coro.hpp>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL run_groups::run_groups(environment& env, executor ex, logger log, bool contends)
    : env_(env), ex_(std::move(ex)), log_(std::move(log)), contends_(contends) {}

KCONTROL_DECL void run_groups::add(run_group group, start_function start) {
    const work added{contends_ && group == run_group::leading, std::move(start)};
    all_.push_back(added);
    start_if_due(added);
}

// Controllers come before all else.
KCONTROL_DECL result<void> run_groups::add(std::shared_ptr<any_controller> one, run_group group, start_function start) {
    const auto before = controllers_.end() - controllers_.begin();
    result<void> taken = controllers_.add(std::move(one));
    if (!taken) return taken;
    const work added{contends_ && group == run_group::leading, std::move(start)};
    all_.insert(all_.begin() + before, added);
    start_if_due(added);
    return taken;
}

KCONTROL_DECL void run_groups::start_if_due(const work& one) const {
    if (!run_) return;
    if (!one.waits) {
        run_->spawn_user_task(one.start({}));
    } else if (term_ && !stop_.stop_requested()) {
        term_->spawn_user_task(one.start(stop_));
    }
}

KCONTROL_DECL void run_groups::start(user_task within) {
    run_ = std::make_shared<task_group>(env_, ex_, log_, std::move(within));
    start_all(false);
}

KCONTROL_DECL void run_groups::start_all(bool waiting) const {
    const auto all = all_;  // what is called may add more, which is started as it is added
    for (const work& one : all) {
        if (one.waits == waiting) start_if_due(one);
    }
}

KCONTROL_DECL void run_groups::clear() {
    all_.clear();
    controllers_.clear();
}

// The elector begins the next term when this has returned.
KCONTROL_DECL awaitable<void> run_groups::lead(std::stop_token stop) {
    const executor mine = co_await boost::asio::this_coro::executor;
    if (stop.stop_requested()) co_return;
    const auto group = std::make_shared<task_group>(env_, ex_, log_, user_task::of(mine));
    term_ = group;
    stop_ = stop;
    start_all(true);
    async_event never;
    co_await never.wait(env_, stop);
    co_await group->join();
    if (term_ == group) term_.reset();
}

KCONTROL_DECL awaitable<bool> run_groups::join(time_point deadline) {
    const auto run = run_, term = term_;
    bool returned = true;
    if (run) returned = co_await run->join(deadline);
    if (!term) co_return returned;
    const bool led = co_await term->join(deadline);
    if (!led) returned = false;
    co_return returned;
}

KCONTROL_DECL std::size_t run_groups::awaited() const noexcept {
    return (run_ ? run_->awaited() : 0) + (term_ ? term_->awaited() : 0);
}

KCONTROL_DECL void run_groups::exclude(const user_task& caller) const {
    if (run_) run_->exclude(caller);
    if (term_) term_->exclude(caller);
}

}  // namespace kcontrol::detail
