// The run of a leader_elector: asks what its machine says, and tells what it decides.
#pragma once

#include <kcontrol/client/retry_after.hpp>
#include <kcontrol/leader/detail/written_lease.hpp>
#include <kcontrol/leader/impl/leader_impl.hpp>

#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {

inline awaitable<void> leader_elector::impl::run(std::shared_ptr<impl> self, std::shared_ptr<turn> mine,
                                                 std::shared_ptr<turn> before) {
    while (before && !before->ended) co_await self->finished.wait(self->env, {});
    const std::stop_token stop = mine->lifetime.token();
    if (!stop.stop_requested()) self->tasks.spawn(watch(self, mine));
    if (self->work.awaited() != 0) {
        mine->machine.work_goes_on();
        self->tasks.spawn(await_return(self, mine));
    }
    for (;;) {
        if (stop.stop_requested()) self->approach_end(*mine);
        const detail::lease_step step = mine->machine.next(self->env.boot_now(), self->env.wall_now());
        self->publish(*mine);
        self->tell(mine);
        if (step.finished) break;
        if (step.request != detail::lease_request::none) {
            co_await ask(self, mine, step);
            continue;
        }
        // Timers do not count suspension, and are late after it; the fence does not need them.
        time_point until = self->env.now() + (step.until - self->env.boot_now());
        if (mine->drain_until && !mine->closing) until = std::min(until, *mine->drain_until);
        const std::stop_token ending = stop.stop_requested() ? std::stop_token() : stop;
        co_await self->changed.wait(self->env, ending, until);
    }
    self->slow_paths += mine->machine.slow_paths();
    mine->watching.stop();
    mine->ended = true;
    self->finished.notify_all();
}

// It leads on until its work has returned: the Lease is given up after that, or not at all.
inline void leader_elector::impl::approach_end(turn& mine) {
    if (mine.closing) return;
    if (!mine.drain_until) mine.drain_until = env.now() + drain;
    if (mine.term) mine.term->stop();
    const bool returned = work.awaited() == 0;
    if (!returned && env.now() < *mine.drain_until) return;
    mine.closing = true;
    mine.returned = returned;
    if (!returned) log.warning("the work of the leader has not returned in time: the Lease is not given up");
    mine.machine.stop(returned && options.release_on_stop(), env.boot_now() + options.renew_deadline());
}

inline awaitable<void> leader_elector::impl::ask(std::shared_ptr<impl> self, std::shared_ptr<turn> mine,
                                                 detail::lease_step step) {
    // A write is waited for, as far as that is bounded: what became of it counts at a stop.
    const bool may_end = step.request == detail::lease_request::get && !mine->machine.leading() && !mine->closing;
    const std::stop_token stop = may_end ? mine->lifetime.token() : std::stop_token();
    const auto answer = co_await self->send(std::move(step), stop);
    mine->machine.answered(answer, self->env.boot_now(), random_unit(self->env));
    self->publish(*mine);
    self->tell_answer(answer);
    self->tell(mine);
}

inline awaitable<result<detail::coordination_lease>> leader_elector::impl::send(detail::lease_step step,
                                                                                std::stop_token stop) {
    using detail::coordination_lease;
    client to = cl.live();  // who leads is decided by the newest
    const duration time = std::max<duration>(step.until - env.boot_now(), duration::zero());
    if (step.request == detail::lease_request::get) {
        const auto how = get_options().deadline(time).stop(std::move(stop));
        auto got = co_await to.get<coordination_lease>(options.lease(), how);
        co_return got;
    }
    const auto how = write_options().deadline(time).stop(std::move(stop));
    const detail::written_lease lease = detail::written(step.object);
    if (step.request == detail::lease_request::create) {
        auto created = co_await to.create(lease, how);
        co_return detail::read_back(std::move(created));
    }
    auto updated = co_await to.update(lease, how);
    co_return detail::read_back(std::move(updated));
}

inline void leader_elector::impl::publish(const turn& mine) {
    const bool shut = gone || !mine.machine.leading();
    if (!shut) fence.begin(mine.machine.token());
    fence.set(shut ? time_point() : mine.machine.fence());
}

inline void leader_elector::impl::tell(const std::shared_ptr<turn>& mine) {
    for (const detail::lease_notice& notice : mine->machine.take_notices()) {
        if (notice.event == detail::lease_event::started) {
            tell_started(mine);
        } else if (notice.event == detail::lease_event::stopped) {
            tell_stopped(*mine, notice.text);
        } else if (notice.event == detail::lease_event::token_went_back) {
            log.warning("token_went_back: the server's store was restored to an older state",
                        {{"versions", notice.text},
                         {"leads", options.refuse_token_reset() ? "no: it gives the Lease up" : "yes"}});
        } else {
            const std::string who = escape_control(notice.text);
            if (notice.text.empty()) {
                log.info("nobody leads");
            } else if (notice.text != options.identity()) {
                log.info("another one leads", {{"leader", who}});
            }
            const auto& call = callbacks.on_new_leader();
            if (call && !gone) calls->call("on_new_leader", [&] { call(notice.text); });
        }
    }
}

inline void leader_elector::impl::tell_started(const std::shared_ptr<turn>& mine) {
    ++terms;
    log.info("leading", {{"transitions", std::to_string(mine->machine.transitions())}});
    mine->term.emplace(std::stop_token());
    if (!gone && callbacks.on_started_leading())
        work.spawn_user_task(work_of(shared_from_this(), mine, mine->term->token()));
    tasks.spawn(await_return(shared_from_this(), mine));
}

inline void leader_elector::impl::tell_stopped(turn& mine, const std::string& why) {
    if (mine.term) mine.term->stop();
    if (mine.closing) {
        log.info("no longer leading", {{"reason", escape_control(why)}});
    } else {
        log.warning("no longer leading", {{"reason", escape_control(why)}});
    }
    if (callbacks.on_stopped_leading() && !gone) calls->call("on_stopped_leading", callbacks.on_stopped_leading());
}

inline awaitable<void> leader_elector::impl::work_of(std::shared_ptr<impl> self, std::shared_ptr<turn> mine,
                                                     std::stop_token stop) {
    if (self->gone) co_return;
    try {
        co_await self->callbacks.on_started_leading()(std::move(stop));
    } catch (...) {
        self->calls->caught("on_started_leading", [] { return std::string(); });
    }
    static_cast<void>(mine);
}

inline awaitable<void> leader_elector::impl::await_return(std::shared_ptr<impl> self, std::shared_ptr<turn> mine) {
    co_await self->work.join_present();
    mine->machine.work_returned();
    self->changed.notify_all();
}

inline void leader_elector::impl::tell_answer(const result<detail::coordination_lease>& answer) {
    // That there is none says nothing about whether it can be written.
    if (!answer && answer.error() == condition::not_found) return;
    const bool ordinary = answer || answer.error() == condition::conflict || answer.error() == api_errc::already_exists;
    if (ordinary) {
        const bool was_told = answers.reported();
        const auto entry = answers.recovered(env.now());
        if (!entry || !was_told) return;
        std::vector<log_field> fields;
        append_recovery_field(fields, *entry);
        log.info("the Lease can be read and written again", std::move(fields));
    } else if (answer.error() != errc::stopped) {
        const auto entry = answers.failed(answer.error().code(), env.now());
        if (!entry) return;
        auto fields = failure_fields("reason", answer.error().what(), *entry);
        if (answer.error() == api_errc::forbidden) {
            fields.push_back({"rule",
                              "{apiGroups: [\"coordination.k8s.io\"], resources: [\"leases\"], verbs: [\"get\", "
                              "\"create\", \"update\", \"watch\"]}"});
        }
        log.warning("the Lease can't be read or written", std::move(fields));
    }
}

inline awaitable<void> leader_elector::impl::watch(std::shared_ptr<impl> self, std::shared_ptr<turn> mine) {
    backoff_policy pace;
    pace.initial(self->options.retry_period()).cap(std::max<duration>(std::chrono::minutes(1), pace.initial()));
    backoff pauses(pace);
    while (!mine->ended && !self->gone) {
        if (mine->watching.stopped()) mine->watching.rebuild();  // there is another client
        const std::stop_token stop = mine->watching.token();
        const time_point begun = self->env.now();
        const error why = co_await self->follow(*mine, stop);
        mine->machine.watching(false);
        self->changed.notify_all();
        if (mine->lifetime.stopped()) break;
        if (stop.stop_requested()) continue;
        const bool served = self->env.now() - begun >= self->options.retry_period();
        if (served) pauses.reset();
        if (served && why == errc::timeout) continue;
        if (!served) self->tell_unwatched(why);
        // The client repeats no watch by itself: what the server asks to wait is waited for here.
        const duration pause = std::max(pauses.next(self->env.now(), random_unit(self->env)), retry_after_of(why));
        co_await sleep_for(self->env, pause, stop);
    }
}

inline void leader_elector::impl::tell_unwatched(const error& why) {
    const auto entry = watches.failed(why.code(), env.now());
    if (!entry) return;
    log.info("the Lease can't be watched: it is asked for every retry period",
             failure_fields("reason", why.what(), *entry));
}

// One watch, from its beginning to its end. It begins with the Lease as it is.
inline awaitable<error> leader_elector::impl::follow(turn& mine, std::stop_token stop) {
    client by = cl;
    watch_options how;
    how.in_namespace(options.lease().namespace_).field_selector("metadata.name=" + options.lease().name);
    // A leader gives a sign every retry period; where nobody does for so long, the connection may be dead.
    how.bookmarks(false).idle(options.lease_duration()).deadline(options.lease_duration()).stop(stop);
    auto opened = co_await by.watch(resource_of<detail::coordination_lease>(), how);
    if (!opened) co_return opened.error();
    mine.machine.watching(true);
    const bool was_told = watches.reported();
    if (watches.recovered(env.now()) && was_told) log.info("the Lease is watched again");
    for (;;) {
        const auto event = co_await (*opened)->next(stop);
        if (!event) co_return event.error();
        if (event->type == watch_event_type::error) co_return event->failure;
        if (event->type == watch_event_type::end) co_return error(errc::timeout, "the watch has ended");
        see(mine, *event);
    }
}

inline void leader_elector::impl::see(turn& mine, const watch_event& event) {
    if (event.type == watch_event_type::deleted) {
        mine.machine.vanished(env.boot_now());
    } else if (event.object) {
        mine.machine.observed(*event.object.as<detail::coordination_lease>(), env.boot_now());
    } else {
        return;  // one that does not decode: asking for it says why
    }
    changed.notify_all();
}

}  // namespace kcontrol
