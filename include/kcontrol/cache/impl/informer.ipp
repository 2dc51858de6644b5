#pragma once

#include <kcontrol/cache/detail/handler_list.hpp>
#include <kcontrol/cache/detail/state_journal.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/watch/reflector.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol {

KCONTROL_DECL informer_options::informer_options() = default;
KCONTROL_DECL informer_options::informer_options(const informer_options&) = default;
KCONTROL_DECL informer_options::informer_options(informer_options&&) noexcept = default;
KCONTROL_DECL informer_options& informer_options::operator=(const informer_options&) = default;
KCONTROL_DECL informer_options& informer_options::operator=(informer_options&&) noexcept = default;
KCONTROL_DECL informer_options::~informer_options() = default;
namespace detail {

inline informer_state informer_state_from(reflector_state state) {
    switch (state) {
    case reflector_state::idle: return informer_state::idle;
    case reflector_state::listing: return informer_state::listing;
    case reflector_state::live: return informer_state::live;
    case reflector_state::not_installed: return informer_state::not_installed;
    case reflector_state::forbidden: return informer_state::forbidden;
    case reflector_state::failed: return informer_state::failed;
    }
    return informer_state::failed;
}

}  // namespace detail

KCONTROL_DECL std::string_view to_string(informer_state state) noexcept {
    switch (state) {
    case informer_state::idle: return "idle";
    case informer_state::listing: return "listing";
    case informer_state::live: return "live";
    case informer_state::paused: return "paused";
    case informer_state::not_installed: return "not-installed";
    case informer_state::forbidden: return "forbidden";
    case informer_state::failed: return "failed";
    }
    return "unknown";
}

struct any_informer::impl final : reflector_sink, std::enable_shared_from_this<impl> {
    impl(environment& e, executor x, client c, const resource_info& i, informer_options o)
        : env(e),
          ex(std::move(x)),
          cl(std::move(c)),
          info(i),
          options(std::move(o)),
          log(options.log().with("kind", info.gvk.kind)),
          source(env, ex, info, options.reflector(), *this),
          handlers(log),
          tasks(env, ex, log) {}

    // --- reflector_sink
    void replace(listed_objects all) override {
        record_contact();
        const bool first = !std::exchange(listed_once, true);
        store_content next;
        next.objects = std::move(all.objects);
        next.invalid = std::move(all.invalid);
        if (all.by_content) {
            next.same = [this](const any_object& a, const any_object& b) {
                return info.encode(a, info) == info.encode(b, info);
            };
        }
        deliver(content.replace(std::move(next), first));
        changed.notify_all();
    }
    void apply(any_object object) override {
        record_contact();
        deliver(content.apply(std::move(object)));
    }
    void remove(any_object last) override {
        record_contact();
        deliver(content.remove(std::move(last)));
    }
    void mark_invalid(invalid_object object) override {
        record_contact();
        deliver(content.mark_invalid(std::move(object)));
    }
    void remove_invalid(const invalid_object& last) override {
        record_contact();
        deliver(content.remove_invalid(last));
    }
    void stepped() override {
        if (source.fsm().state() == reflector_state::live) record_contact();
        const auto now = current();
        if (now.state == published.state && now.reason == published.reason && now.synced == published.synced &&
            now.generation == published.generation && now.invalid == published.invalid &&
            now.server_changes == published.server_changes && now.rollbacks == published.rollbacks) {
            return;
        }
        if (now.server_changes > published.server_changes || now.rollbacks > published.rollbacks) {
            log.warning("everything is listed anew and compared by content", {{"reason", now.reason}});
        }
        if (const auto entry = journal.take(now, env.now())) write(*entry, now);
        published = now;
        changed.notify_all();
        for (const auto& callback : std::vector(status_callbacks)) callback(now);
    }

    void write(const detail::journal_entry& entry, const informer_status& now) const {
        const std::string state(to_string(entry.state));
        if (entry.trouble) {
            std::vector<log_field> fields{{"reason", now.reason}};
            if (entry.times > 1) fields.push_back({"times", std::to_string(entry.times)});
            log.warning("the informer is " + state, std::move(fields));
            return;
        }
        std::vector<log_field> fields{{"objects", std::to_string(now.objects)}};
        if (entry.lasted > duration::zero()) {
            const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(entry.lasted);
            fields.push_back({"after_seconds", std::to_string(seconds.count())});
        }
        log.info("the informer is " + state, std::move(fields));
    }

    void record_contact() { last_event = env.wall_now(); }

    void deliver(store_change change) {
        for (auto& event : change.events) event.generation = lifetime->generation();
        for (const auto& object : change.invalid) {
            log.warning("an object can't be decoded; what was known of it stays",
                        {{"object", object->describe()},
                         {"version", object->metadata.resource_version},
                         {"error", object->why.what()}});
        }
        handlers.deliver(change.events);
        handlers.deliver(change.invalid);
    }

    informer_status current() const {
        informer_status out;
        const auto& fsm = source.fsm();
        if (!lifetime) {
            out.state = informer_state::idle;
        } else if (!running()) {
            out.state = informer_state::paused;
        } else if (begun != lifetime->generation()) {
            out.state = informer_state::listing;  // the reflector's state is that of the generation before
        } else {
            out.state = detail::informer_state_from(fsm.state());
            out.reason = fsm.reason();
            out.failure = fsm.failure();
        }
        out.synced = fsm.synced();
        out.generation = lifetime ? lifetime->generation() : 0;
        out.lists = source.lists();
        out.watches = source.watches();
        out.objects = content.size();
        out.invalid = content.invalid_count();
        out.server_changes = fsm.server_changes();
        out.rollbacks = fsm.rollbacks();
        out.last_event = last_event;
        return out;
    }

    bool running() const { return lifetime && !lifetime->stopped(); }

    void launch() {
        const auto token = lifetime->token();
        tasks.spawn(run(shared_from_this(), cl, token));
        tasks.spawn(resync(shared_from_this(), token));
    }

    // One run of the reflector at a time: the next generation waits until the last one has returned.
    static awaitable<void> run(std::shared_ptr<impl> self, client with, std::stop_token stop) {
        while (self->reflecting) {
            co_await self->idle.wait(self->env, stop);
            if (stop.stop_requested()) co_return;
        }
        self->reflecting = true;
        self->begun = self->lifetime->generation();
        co_await self->source.run(std::move(with), stop);
        self->reflecting = false;
        self->idle.notify_all();
        if (self->lifetime->stopped()) self->stepped();
    }

    static awaitable<void> resync(std::shared_ptr<impl> self, std::stop_token stop) {
        while (!stop.stop_requested()) {
            std::optional<time_point> next;
            for (const auto& weak : self->handlers.present()) {
                const auto entry = weak.lock();
                if (!entry || entry->resync_period <= duration::zero()) continue;
                if (entry->next_resync <= self->env.now()) {
                    entry->next_resync = self->env.now() + entry->resync_period;
                    self->redeliver(*entry);
                }
                next = next ? std::min(*next, entry->next_resync) : entry->next_resync;
            }
            co_await self->subscribed.wait(self->env, stop, next);
        }
    }

    void redeliver(const detail::handler_entry& entry) {
        for (auto& object : content.list()) {
            any_event event(event_type::updated, object, object);
            event.resync = true;
            event.generation = lifetime->generation();
            handlers.call(entry, event);
        }
    }

    environment& env;
    executor ex;
    client cl;
    const resource_info& info;
    informer_options options;
    logger log;
    detail::state_journal journal;
    reflector source;
    detail::handler_list handlers;
    task_group tasks;
    store content;
    std::unique_ptr<scope> lifetime;  // null before the first start()
    bool reflecting = false;
    std::uint64_t begun = 0;  // the generation whose run of the reflector has begun
    bool listed_once = false;
    std::optional<wall_time> last_event;
    informer_status published;
    std::vector<std::function<void(const informer_status&)>> status_callbacks;
    async_event idle;        // a reflector run returned
    async_event changed;     // the status may differ
    async_event subscribed;  // the set of resync periods differs
};

KCONTROL_DECL any_informer::any_informer(environment& env, executor ex, client cl, const resource_info& info,
                                         informer_options options)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(cl), info, std::move(options))) {}

KCONTROL_DECL any_informer::~any_informer() {
    impl_->status_callbacks.clear();
    if (impl_->lifetime) impl_->lifetime->stop();
}

KCONTROL_DECL void any_informer::start(std::stop_token parent) {
    if (impl_->running()) return;
    const std::uint64_t number = impl_->lifetime ? impl_->lifetime->generation() + 1 : 1;
    impl_->lifetime = std::make_unique<scope>(std::move(parent), number);
    impl_->launch();
}

KCONTROL_DECL awaitable<void> any_informer::stop() {
    const auto self = impl_;
    if (self->lifetime) self->lifetime->stop();
    co_await self->tasks.join();
    self->stepped();
}

KCONTROL_DECL void any_informer::rebuild(client next, resume_mode mode) {
    impl_->cl = std::move(next);
    if (mode == resume_mode::relist) impl_->source.forget_version();
    if (!impl_->running()) return;
    impl_->lifetime->rebuild();
    impl_->launch();
}

KCONTROL_DECL subscription any_informer::subscribe(any_event_handler handler, duration resync_period) {
    auto entry = std::make_shared<detail::handler_entry>();
    entry->handler = std::move(handler);
    entry->resync_period = resync_period;
    entry->next_resync = impl_->env.now() + resync_period;
    for (auto& object : impl_->content.list()) {
        any_event event(event_type::added, {}, std::move(object));
        event.initial = true;
        event.generation = impl_->lifetime ? impl_->lifetime->generation() : 0;
        impl_->handlers.call(*entry, event);
    }
    impl_->handlers.add(entry);
    impl_->subscribed.notify_all();
    return subscription(std::move(entry));
}

KCONTROL_DECL subscription any_informer::on_invalid(invalid_handler handler) {
    const auto entry = std::make_shared<detail::invalid_entry>();
    entry->handler = std::move(handler);
    for (const auto& object : impl_->content.invalid()) impl_->handlers.call(*entry, *object);
    impl_->handlers.add(entry);
    return subscription(entry);
}

KCONTROL_DECL void any_informer::on_status_change(std::function<void(const informer_status&)> callback) {
    impl_->status_callbacks.push_back(std::move(callback));
}

KCONTROL_DECL informer_status any_informer::status() const { return impl_->current(); }

KCONTROL_DECL awaitable<bool> any_informer::wait_synced(std::stop_token stop, std::optional<time_point> deadline) {
    const auto self = impl_;
    while (!self->source.fsm().synced()) {
        const wake reason = co_await self->changed.wait(self->env, stop, deadline);
        if (reason != wake::notified) co_return self->source.fsm().synced();
    }
    co_return true;
}

KCONTROL_DECL const store& any_informer::objects() const noexcept { return impl_->content; }

KCONTROL_DECL const resource_info& any_informer::info() const noexcept { return impl_->info; }

}  // namespace kcontrol
