#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/controller/detail/object_daemons.hpp>
#include <kcontrol/runtime/failure_log.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

namespace kcontrol::inline v0_1::detail {

struct object_daemons::run {
    run(daemon_function call, daemon_term t) : f(std::move(call)), term(std::move(t)), stop(stop_parents(term.stop)) {}

    daemon_function f;
    daemon_term term;
    reasoned_stop stop;
    failure_log<error_code> journal;
};

KCONTROL_DECL daemon_answer object_daemons::ask(const std::string& name, daemon_function f, daemon_term within,
                                                bool room) {
    const daemon_answer answer = set_.ask(name, room);
    if (answer == daemon_answer::run) {
        begin(name, std::make_shared<run>(std::move(f), std::move(within)));
    } else if (answer == daemon_answer::refused) {
        tell_emptied();
    } else if (set_.state(name) == daemon_state::ending) {
        pending_[name] = std::make_shared<run>(std::move(f), std::move(within));
    }
    return answer;
}

KCONTROL_DECL void object_daemons::stop(const std::string& name) {
    pending_.erase(name);
    if (set_.stop(name)) tell_to_stop(name, stop_reason::stopped);
    tell_emptied();
}

KCONTROL_DECL void object_daemons::stop_all(stop_reason why) {
    pending_.clear();
    for (const std::string& name : set_.stop_all()) tell_to_stop(name, why);
    tell_emptied();
}

// What hears it is a callback of the program's at worst, which may do anything.
inline void object_daemons::tell_to_stop(const std::string& name, stop_reason why) {
    const auto at = runs_.find(name);
    if (at == runs_.end()) return;
    const auto one = at->second;
    one->stop.stop(why);
}

// That may be the end of this object.
inline void object_daemons::tell_emptied() {
    if (!set_.empty()) return;
    const auto call = emptied_;
    call();
}

KCONTROL_DECL void object_daemons::begin(const std::string& name, std::shared_ptr<run> one) {
    runs_[name] = one;
    ++one->term.counts->alive;
    ++one->term.counts->started;
    const auto tasks = one->term.tasks;
    tasks->spawn_user_task(work(shared_from_this(), name, std::move(one)));
}

// Calls a daemon once; true if it failed. One that was stopped before it began is not called.
inline awaitable<bool> object_daemons::call(environment& env, std::shared_ptr<run> one, daemon_context ctx,
                                            duration quiet) {
    if (one->stop.stopped()) co_return false;
    const time_point begun = env.now();
    result<void> outcome;
    try {
        outcome = co_await one->f(std::move(ctx));
    } catch (...) {
        outcome = error_of_thrown("the daemon");
    }
    if (outcome || one->stop.stopped()) co_return false;
    ++one->term.counts->failures;
    const time_point now = env.now();
    if (now - begun >= quiet) static_cast<void>(one->journal.recovered(now));
    const auto entry = one->journal.failed(outcome.error().code(), now);
    if (entry) one->term.log.error("daemon failed", failure_fields("error", outcome.error().what(), *entry));
    co_return true;
}

inline awaitable<void> object_daemons::work(std::shared_ptr<object_daemons> self, std::string name,
                                            std::shared_ptr<run> one) {
    environment& env = self->env_;
    daemon_step next(daemon_step::kind::run);
    while (next.what == daemon_step::kind::run && !next.newly) {
        daemon_context ctx(env, one->stop.token(), one->term.log, self->set_.failures(name), self->reconcile_);
        const bool failed = co_await call(env, one, std::move(ctx), self->quiet_);
        next = self->set_.returned(name, failed, env.now(), random_unit(env));
        if (next.what != daemon_step::kind::wait) continue;
        const wake why = co_await sleep_until(env, next.until, one->stop.token().token());
        next = why == wake::stopped ? self->set_.woken(name) : self->set_.due(name);
    }
    --one->term.counts->alive;
    self->runs_.erase(name);
    if (next.newly) {
        const auto follows = self->pending_.extract(name);
        self->begin(name, follows.mapped());
    }
    self->tell_emptied();
}

}  // namespace kcontrol::detail
