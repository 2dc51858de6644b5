#pragma once

#include <kcontrol/record/event_recorder.hpp>
#include <kcontrol/record/impl/event_objects.hpp>
#include <kcontrol/runtime/failure_log.hpp>
#include <kcontrol/runtime/log_rate_limit.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

inline event_recorder_options with_instance(event_recorder_options options, const environment& env) {
    for (const char* variable : {"POD_NAME", "HOSTNAME"}) {
        if (options.instance().empty()) options.instance(env.variable(variable).value_or(""));
    }
    if (options.instance().empty()) options.instance(options.controller());
    return options;
}

// Whether the server's answer is that it will take no Events there any more, which nobody needs to be told.
inline bool is_namespace_ending(const error& why) {
    if (why.status() == nullptr) return false;
    const auto& causes = why.status()->causes;
    return std::any_of(causes.begin(), causes.end(),
                       [](const status_cause& cause) { return cause.reason == "NamespaceTerminating"; });
}

}  // namespace detail

struct event_recorder::impl : std::enable_shared_from_this<impl> {
    // From a start to the end of its work.
    struct turn {
        explicit turn(std::stop_token parent) : lifetime(std::move(parent)) {}
        scope lifetime;
        bool draining = false;
        bool ended = false;
    };

    impl(environment& e, executor x, client c, event_recorder_options o, logger l)
        : env(e),
          ex(x),
          cl(std::move(c)),
          options(detail::with_instance(std::move(o), e)),
          log(l),
          correlator(options.limits()),
          tasks(e, std::move(x), std::move(l)),
          full(std::chrono::minutes(1)) {}

    void record(object_reference about, event_note note) {
        std::unique_lock lock(mutex);
        ++stats.recorded;
        if (closed || queue.size() >= options.queue()) {
            ++stats.dropped;
            const auto due = closed ? std::nullopt : full.count(env.now());
            lock.unlock();
            if (due) {
                log.warning("Events are dropped: too many wait to be written", {{"dropped", std::to_string(*due)}});
            }
            return;
        }
        queue.push_back({std::move(about), std::move(note), env.now(), env.wall_now()});
        const bool first = queue.size() == 1;
        lock.unlock();
        // It waits only when there is nothing to do.
        if (first)
            asio::post(ex, [weak = weak_from_this()] {
                if (const auto self = weak.lock()) self->changed.notify_all();
            });
    }

    std::optional<detail::pending_event> take() {
        const std::lock_guard lock(mutex);
        if (queue.empty()) return std::nullopt;
        detail::pending_event out = std::move(queue.front());
        queue.pop_front();
        return out;
    }

    void count(std::uint64_t event_recorder_stats::*what, std::uint64_t n = 1) {
        const std::lock_guard lock(mutex);
        stats.*what += n;
    }

    static awaitable<void> run(std::shared_ptr<impl> self, std::shared_ptr<turn> mine, std::shared_ptr<turn> before) {
        const std::stop_token stop = mine->lifetime.token();
        // One after the other: what one of them writes, the next one has to know.
        while (before && !before->ended) co_await self->changed.wait(self->env, {});
        while (!stop.stop_requested()) {
            auto next = self->take();
            if (!next && mine->draining) break;
            if (next) {
                co_await self->deliver(*next, *mine);
            } else {
                co_await self->changed.wait(self->env, stop);
            }
        }
        mine->ended = true;
        self->changed.notify_all();
    }

    awaitable<void> deliver(const detail::pending_event& what, const turn& mine) {
        const std::stop_token stop = mine.lifetime.token();
        event_decision decision = correlator.take(what.about, what.note, what.at, what.wall);
        if (!decision.write) {
            count(&event_recorder_stats::spam);
            co_return;
        }
        std::string name = decision.name.empty() ? next_name(what) : decision.name;
        bool unsure = false;  // an answer to this name was lost
        for (std::uint32_t tries = 1;; ++tries) {
            const result<void> sent = co_await send(what, decision, name, stop);
            const bool known = !sent && unsure && sent.error().code() == api_errc::already_exists;
            if (sent || known) {
                count(decision.name.empty() ? &event_recorder_stats::created : &event_recorder_stats::repeated);
                correlator.stored(decision.key, std::move(name));
                const bool was_told = journal.reported();
                if (const auto entry = journal.recovered(env.now()); entry && was_told) {
                    std::vector<log_field> fields;
                    append_recovery_field(fields, *entry);
                    log.info("Events are written again", std::move(fields));
                }
                co_return;
            }
            const error& why = sent.error();
            // Another recorder's Event about the object, of the same moment.
            if (decision.name.empty() && why.code() == api_errc::already_exists && tries < options.tries()) {
                name = next_name(what);
                unsure = false;
                continue;
            }
            if (!decision.name.empty() && why.code() == condition::not_found) {
                correlator.forget(decision.key);  // it has expired
                decision.name.clear();
                name = next_name(what);
                continue;
            }
            const bool again = why.code() == condition::retryable || why == errc::unknown_outcome;
            tell(what, why);
            unsure = true;
            if (!again || tries >= options.tries() || mine.draining || stop.stop_requested()) {
                count(&event_recorder_stats::failed);
                co_return;
            }
            co_await pause(tries == 1, mine);
        }
    }

    awaitable<void> pause(bool first, const turn& mine) {
        const std::stop_token stop = mine.lifetime.token();
        const double share = first ? random_unit(env) : 1;
        const auto length = static_cast<duration::rep>(static_cast<double>(options.pause().count()) * share);
        const time_point until = env.now() + duration(length);
        while (!stop.stop_requested() && !mine.draining && env.now() < until) co_await changed.wait(env, stop, until);
    }

    awaitable<result<void>> send(const detail::pending_event& what, const event_decision& decision, std::string name,
                                 std::stop_token stop) {
        client to = cl;
        const write_options how = write_options().stop(std::move(stop));
        if (!decision.name.empty()) {
            const resource_info& info =
                options.core_v1() ? resource_of<api::core::v1::event>() : resource_of<api::events::v1::event>();
            const namespaced_name key(detail::event_namespace(what.about), std::move(name));
            const auto patched = co_await to.patch(info, key, "application/merge-patch+json",
                                                   detail::event_patch(what, decision, options.core_v1()), how);
            if (!patched) co_return patched.error();
        } else if (options.core_v1()) {
            const auto event = detail::make_core_event(what, decision, options, name);
            const auto created = co_await to.create(event, how);
            if (!created) co_return created.error();
        } else {
            const auto event = detail::make_event(what, decision, options, name);
            const auto created = co_await to.create(event, how);
            if (!created) co_return created.error();
        }
        co_return result<void>();
    }

    // Names hold the time; two notes of one moment are two Events.
    std::string next_name(const detail::pending_event& what) {
        const auto at = static_cast<std::uint64_t>(what.wall.time_since_epoch().count());
        last_name = std::max(last_name + 1, at);
        return detail::event_name(what.about, last_name);
    }

    void tell(const detail::pending_event& what, const error& why) {
        if (detail::is_namespace_ending(why) || why == errc::stopped) return;
        const auto entry = journal.failed(why.code(), env.now());
        if (!entry) return;
        auto fields = failure_fields("reason", why.what(), *entry);
        fields.push_back({"object", what.about.gvk.kind + " " + to_string(what.about.key)});
        log.warning("an Event can't be written", std::move(fields));
    }

    environment& env;
    executor ex;
    client cl;
    const event_recorder_options options;
    logger log;
    event_correlator correlator;
    task_group tasks;
    std::shared_ptr<turn> present;
    async_event changed;
    std::uint64_t last_name = 0;
    failure_log<error_code> journal;

    mutable std::mutex mutex;  // of what follows
    std::deque<detail::pending_event> queue;
    event_recorder_stats stats;
    log_rate_limit full;
    bool closed = false;
};

KCONTROL_DECL event_recorder::event_recorder(environment& env, executor ex, client cl, event_recorder_options options,
                                             logger log)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(cl), std::move(options), std::move(log))) {}

KCONTROL_DECL event_recorder::~event_recorder() {
    if (impl_->present) impl_->present->lifetime.stop();
}

KCONTROL_DECL void event_recorder::record(object_reference about, event_note note) {
    impl_->record(std::move(about), std::move(note));
}

KCONTROL_DECL void event_recorder::start(std::stop_token parent) {
    impl& self = *impl_;
    const auto before = self.present;
    if (before && !before->lifetime.stopped() && !before->draining) return;
    {
        const std::lock_guard lock(self.mutex);
        self.closed = false;
    }
    self.present = std::make_shared<impl::turn>(std::move(parent));
    self.tasks.spawn(impl::run(impl_, self.present, before));
}

KCONTROL_DECL void event_recorder::close() {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->closed = true;
    }
    if (impl_->present) impl_->present->draining = true;
    impl_->changed.notify_all();
}

KCONTROL_DECL awaitable<bool> event_recorder::stop(duration drain) {
    const auto self = impl_;
    close();
    const auto mine = self->present;
    bool ended = true;
    if (mine) {
        ended = co_await self->tasks.join_present(self->env.now() + drain);
        mine->lifetime.stop();
        if (!ended) co_await self->tasks.join_present();
        if (self->present != mine) co_return ended;  // it was started again meanwhile, and goes on with the rest
    }
    const std::lock_guard lock(self->mutex);
    const std::size_t left = self->queue.size();
    self->stats.dropped += left;
    self->queue.clear();
    co_return ended&& left == 0;
}

KCONTROL_DECL void event_recorder::rebuild(client next) { impl_->cl = std::move(next); }

KCONTROL_DECL event_recorder_stats event_recorder::stats() const {
    const std::lock_guard lock(impl_->mutex);
    event_recorder_stats out = impl_->stats;
    out.queued = impl_->queue.size();
    return out;
}

}  // namespace kcontrol
