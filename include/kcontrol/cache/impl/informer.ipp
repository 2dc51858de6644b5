#pragma once

#include <kcontrol/cache/detail/handler_list.hpp>
#include <kcontrol/cache/detail/informer_parts.hpp>
#include <kcontrol/cache/detail/shared_watch.hpp>
#include <kcontrol/cache/detail/unseen_writes.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/cache/version_waits.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

namespace kcontrol::inline v0_1 {

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

// What is wrong with what a transform returned; null if nothing is.
inline const char* fault_of_transformed(const any_object& read, const any_object& made) {
    if (!made) return "returned no object; return the one that it got, or a changed copy";
    const object_meta& a = read.meta();
    const object_meta& b = made.meta();
    const bool same =
        a.name == b.name && a.namespace_ == b.namespace_ && a.uid == b.uid && a.resource_version == b.resource_version;
    return same ? nullptr : "changed the object's name, namespace, uid or resourceVersion, which must stay";
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

// The view of a watch that one informer is. It lives as long as its work; handle says when that ends.
struct any_informer::impl final : detail::watch_view, std::enable_shared_from_this<impl> {
    impl(std::shared_ptr<detail::shared_watch> shared, const resource_info& i)
        : watch(std::move(shared)),
          env(watch->env()),
          info(i),
          calls(env, watch->log()),
          tasks(env, watch->get_executor(), watch->log()) {}

    // --- watch_view
    const resource_info& reads() const noexcept override { return info; }
    bool wants() const noexcept override { return lifetime && !lifetime->stopped(); }
    void begin_generation() override { ++generation; }
    void replace(listed_objects all) override {
        deliver_remaining();
        const bool first = !listed_once;
        if (watch->options().transform()) transform_all(all);
        store_content next;
        next.objects = std::move(all.objects);
        next.invalid = std::move(all.invalid);
        const bool history_reset = all.by_content;
        const std::string known = listed_once ? watch->source().fsm().resource_version() : std::string();
        if (history_reset) {
            next.same = [this](const any_object& a, const any_object& b) {
                return info.encode(a).value() == info.encode(b).value();
            };
        }
        store_change change = content.replace(std::move(next), first);
        listed_once = true;
        untold.first_list = first;
        deliver(std::move(change));
        changed.notify_all();
        const auto has = [this](const namespaced_name& key) { return static_cast<bool>(content.get(key)); };
        tell_missed(history_reset ? unseen.history_reset(has) : unseen.listed(known, all.version, has));
        if (awaited.size() == 0) return;
        const bool ended = history_reset ? awaited.history_reset() : awaited.listed([this](const namespaced_name& key) {
            const any_object present = content.get(key);
            return present ? present.meta().resource_version.str() : std::string();
        });
        if (ended) caught_up.notify_all();
    }
    any_object held(const any_object& listed) const override { return content.get_same(listed.meta()); }
    // What came and went while nobody looked, as a watch would have told it.
    void tell_missed(std::vector<any_object> missed) {
        if (missed.empty()) return;
        store_change change;
        for (any_object& one : missed) {
            change.events.emplace_back(event_type::added, any_object(), one);
            any_event gone(event_type::deleted, std::move(one), {});
            gone.final_state_unknown = true;
            change.events.push_back(std::move(gone));
        }
        deliver(std::move(change));
    }
    void expect(any_object stored) {
        if (!wants() || content.get(stored.key())) return;
        if (transform(stored) || !unseen.add(stored, passed())) return;
        deliver_remaining();
        std::vector<any_object> missed;
        missed.push_back(std::move(stored));
        tell_missed(std::move(missed));
    }
    void apply(any_object object) override {
        deliver_remaining();
        if (!unseen.empty()) unseen.observed(object.key());
        const auto waiting = awaited.size() > 0 ? object : any_object();
        if (auto why = transform(object)) {
            mark_invalid(invalid_object(object.meta(), std::move(*why)));
        } else {
            deliver(content.apply(std::move(object)));
        }
        if (waiting && awaited.observed(waiting.key(), waiting.meta().resource_version)) caught_up.notify_all();
    }
    void remove(any_object last) override {
        deliver_remaining();
        if (!unseen.empty()) unseen.observed(last.key());
        const auto waiting = awaited.size() > 0 ? last : any_object();
        if (auto why = transform(last)) {
            remove_invalid(invalid_object(last.meta(), std::move(*why)));
        } else {
            deliver(content.remove(std::move(last)));
        }
        if (waiting && awaited.deleted(waiting.key(), waiting.meta().resource_version)) caught_up.notify_all();
    }
    void mark_invalid(invalid_object object) override {
        deliver_remaining();
        if (!unseen.empty()) unseen.observed(object.key());
        deliver(content.mark_invalid(std::move(object)));
    }
    void remove_invalid(const invalid_object& last) override {
        deliver_remaining();
        deliver(content.remove_invalid(last));
    }

    // How far the watch has filled this view; empty if nothing can be said of that.
    std::string_view passed() const {
        return watch->has_filled(*this) ? std::string_view(watch->source().fsm().resource_version())
                                        : std::string_view();
    }

    bool refresh() override {
        if (!unseen.empty()) unseen.passed(passed());
        if (awaited.size() > 0 && awaited.passed(passed())) caught_up.notify_all();
        auto now = current();
        if (now.state == published.state && now.reason == published.reason && now.synced == published.synced &&
            now.generation == published.generation && now.invalid == published.invalid &&
            now.server_changes == published.server_changes && now.rollbacks == published.rollbacks) {
            return false;
        }
        published = std::move(now);
        published.handlers = handlers.lags();
        return true;
    }
    const informer_status& refreshed() const override { return published; }
    void notify() override {
        changed.notify_all();
        handlers.deliver(published, calls);
    }

    std::shared_ptr<const detail::handler_lane> full_lane() const override { return handlers.full(); }

    // Makes of an object what is to be stored, or says why there is nothing that can be.
    std::optional<error> transform(any_object& object) {
        const auto& f = watch->options().transform();
        if (!f) return std::nullopt;
        any_object made;
        const bool called = calls.call(
            "a transform of objects", [&] { made = f(object); }, [&] { return to_string(object.key()); });
        if (!called) return error(errc::callback_failed, calls.last_thrown());
        if (const char* const fault = detail::fault_of_transformed(object, made)) {
            return error(errc::callback_failed, "the transform of objects of kind " + info.gvk.kind + " " + fault);
        }
        object = std::move(made);
        return std::nullopt;
    }
    void transform_all(listed_objects& all) {
        std::vector<any_object> good;
        good.reserve(all.objects.size());
        for (auto& object : all.objects) {
            if (held(object) == object) {  // it was transformed when it came
                good.push_back(std::move(object));
            } else if (auto why = transform(object)) {
                all.invalid.emplace_back(object.meta(), std::move(*why));
            } else {
                good.push_back(std::move(object));
            }
        }
        all.objects = std::move(good);
    }

    // What the store has taken over and not everybody has been told of yet. The store holds it already, so the server
    // would not bring it again.
    struct untold_change {
        detail::delivery<any_event, detail::handler_entry> events;
        detail::handler_list::invalid_delivery invalid;
        bool first_list = false;  // and then each handler has all of the first list
    };

    void deliver(store_change change) {
        for (auto& event : change.events) event.generation = generation;
        const bool news = !change.events.empty();
        try {
            for (const auto& object : change.invalid) watch->log_invalid(*object);
        } catch (const std::bad_alloc&) {
            // The log says less then; handlers and the status tell of it.
        }
        untold.events = detail::delivery<any_event, detail::handler_entry>(std::move(change.events));
        untold.invalid = detail::handler_list::invalid_delivery(std::move(change.invalid));
        if (news) content_changed.notify_all();
        deliver_remaining();
    }

    // Where there is no memory it throws std::bad_alloc. Whoever brings the next change, which the watch does once it
    // has recovered, has the rest told first.
    void deliver_remaining() {
        if (untold.events.over() && untold.invalid.over() && !untold.first_list) return;
        // A handler may end or change anything meanwhile.
        untold_change now = std::exchange(untold, {});
        try {
            handlers.deliver(now.events, calls);
            handlers.deliver(now.invalid, calls);
            if (now.first_list) handlers.for_each([](detail::handler_entry& entry) { entry.mark_complete(); });
        } catch (const std::bad_alloc&) {
            untold = std::move(now);
            throw;
        }
    }

    bool synced() const { return listed_once && watch->source().fsm().synced(); }

    informer_status current() const {
        informer_status out;
        const auto& fsm = watch->source().fsm();
        if (!lifetime) {
            out.state = informer_state::idle;
        } else if (!wants()) {
            out.state = informer_state::paused;
        } else if (!watch->is_filling(*this)) {
            out.state = informer_state::listing;  // the reflector's state is not this generation's
        } else {
            out.state = detail::informer_state_from(fsm.state());
            out.reason = fsm.reason();
            out.failure = fsm.failure();
            if (const auto& waits = watch->waits_for(); !waits.empty()) {
                out.reason += (out.reason.empty() ? "" : "; ") + waits;
            }
        }
        out.synced = synced();
        out.generation = generation;
        out.lists = watch->source().lists();
        out.watches = watch->source().watches();
        out.not_streamed = fsm.stream_refusal();
        out.objects = content.size();
        out.list_bytes = watch->source().list_bytes();
        out.invalid = content.invalid_count();
        out.server_changes = fsm.server_changes();
        out.rollbacks = fsm.rollbacks();
        out.handler_errors = calls.thrown() + *lane_errors;
        out.last_event = watch->last_event();
        return out;
    }

    void start(std::stop_token parent) {
        if (wants()) return;
        ++generation;
        lifetime = std::make_unique<scope>(std::move(parent));
        tasks.spawn(attend(shared_from_this(), lifetime->token()));
        for_each_lane([](detail::handler_lane& lane) { lane.resume(); });
        watch->join(shared_from_this());
    }

    template <class Do>
    void for_each_lane(Do act) {
        handlers.for_each([&](const detail::handler_entry& entry) {
            if (entry.progress->lane) act(*entry.progress->lane);
        });
    }
    void pause_lanes() {
        if (!wants()) for_each_lane([](detail::handler_lane& lane) { lane.pause(); });
    }

    void leave() {
        if (lifetime) lifetime->stop();
        pause_lanes();
        watch->left();
    }

    // Redelivers what handlers asked to hear again, until the informer stops, however it is told to.
    static awaitable<void> attend(std::shared_ptr<impl> self, std::stop_token stop) {
        while (!stop.stop_requested()) {
            std::optional<time_point> next;
            for (const auto& weak : self->handlers.present()) {
                const auto entry = weak.lock();
                if (!entry || entry->resync_period <= duration::zero()) continue;
                if (entry->next_resync <= self->env.now()) {
                    entry->next_resync = self->env.now() + entry->resync_period;
                    self->redeliver(*entry, stop);
                }
                next = next ? std::min(*next, entry->next_resync) : entry->next_resync;
            }
            co_await self->subscribed.wait(self->env, stop, next);
        }
        self->watch->left();
        self->pause_lanes();
        if (!self->wants() && self->refresh()) self->notify();
    }

    // Both outlive the informer that they are awaited of.
    static awaitable<bool> stop(std::shared_ptr<impl> self, std::optional<time_point> deadline) {
        self->leave();
        const bool ended = co_await self->watch->drained(deadline);
        if (!self->wants() && self->refresh()) self->notify();
        co_return ended;
    }
    static awaitable<bool> wait_synced(std::shared_ptr<impl> self, std::stop_token stop,
                                       std::optional<time_point> deadline) {
        while (!self->synced()) {
            const wake reason = co_await self->changed.wait(self->env, stop, deadline);
            if (reason != wake::notified) co_return self->synced();
        }
        co_return true;
    }

    static awaitable<result<void>> at_least(std::shared_ptr<impl> self, namespaced_name key, std::string version,
                                            std::stop_token stop, std::optional<time_point> deadline) {
        const auto ticket = self->awaited.add(key, version);
        if (const any_object present = self->content.get(key)) {
            self->awaited.observed(key, present.meta().resource_version);
        }
        self->awaited.passed(self->passed());
        while (!self->awaited.is_over(ticket)) {
            const wake reason = co_await self->caught_up.wait(self->env, stop, deadline);
            if (reason == wake::notified || self->awaited.is_over(ticket)) continue;
            self->awaited.cancel(ticket);
            const std::string what = "the informer of " + self->info.gvk.kind + " has not seen version " + version +
                                     " of " + to_string(key) + " yet";
            if (reason == wake::stopped) co_return error(errc::stopped, what + ", and the wait was stopped");
            co_return error(errc::timeout, what + "; it is " + std::string(to_string(self->current().state)) +
                                               ", at version \"" + std::string(self->passed()) + "\"");
        }
        co_return result<void>();
    }

    bool knows_of_deletion(const namespaced_name& key, std::string_view uid) const {
        const any_object present = content.get(key);
        return !present || present.meta().uid != uid || present.meta().deletion_timestamp.present();
    }

    static awaitable<result<void>> deletion_seen(std::shared_ptr<impl> self, namespaced_name key, std::string uid,
                                                 std::stop_token stop, std::optional<time_point> deadline) {
        while (!self->knows_of_deletion(key, uid)) {
            const wake reason = co_await self->content_changed.wait(self->env, stop, deadline);
            if (reason == wake::notified || self->knows_of_deletion(key, uid)) continue;
            const std::string what =
                "the informer of " + self->info.gvk.kind + " has not seen the deletion of " + to_string(key) + " yet";
            if (reason == wake::stopped) co_return error(errc::stopped, what + ", and the wait was stopped");
            co_return error(errc::timeout, what + "; it is " + std::string(to_string(self->current().state)));
        }
        co_return result<void>();
    }

    static std::shared_ptr<detail::handler_lane> make_lane(const std::shared_ptr<impl>& self,
                                                           const std::shared_ptr<detail::handler_progress>& progress,
                                                           event_consumer handler, const handler_options& how) {
        const auto on_news = [weak = std::weak_ptr(progress), weak_self = std::weak_ptr(self)] {
            if (const auto known = weak.lock()) {
                if (!known->ended) known->synced = known->lane->has_synced();
                known->changed.notify_all();
            }
            if (const auto informer = weak_self.lock()) informer->watch->go_on();
        };
        return std::make_shared<detail::handler_lane>(self->env, self->watch->get_executor(), self->watch->log(),
                                                      std::move(handler), how, self->lane_errors, on_news);
    }

    void redeliver(const detail::handler_entry& entry, const std::stop_token& stop) {
        if (entry.has_full_queue()) return;
        for (auto& object : content.list()) {
            if (stop.stop_requested()) return;
            any_event event(event_type::updated, object, object);
            event.resync = true;
            event.generation = generation;
            handlers.call(entry, event, calls);
        }
    }

    std::shared_ptr<detail::shared_watch> watch;
    environment& env;
    const resource_info& info;
    guarded_calls calls;
    const detail::handler_lane::error_count lane_errors = std::make_shared<std::atomic<std::uint64_t>>(0);
    detail::handler_list handlers;
    untold_change untold;
    task_group tasks;
    store content;
    std::unique_ptr<scope> lifetime;  // from start() to stop(); null before the first start()
    std::uint64_t generation = 0;
    bool listed_once = false;
    informer_status published;
    detail::unseen_writes unseen;
    version_waits awaited;
    async_event caught_up;  // one of them is over
    async_event content_changed;
    async_event changed;     // the status may differ
    async_event subscribed;  // the set of resync periods differs
};

// What the informers that are handles of one share. The last one that goes stops it.
struct any_informer::handle {
    explicit handle(std::shared_ptr<any_informer::impl> i) : impl(std::move(i)) {}
    ~handle() {
        impl->handlers.end_all();
        impl->leave();
    }
    handle(const handle&) = delete;
    handle& operator=(const handle&) = delete;

    std::shared_ptr<any_informer::impl> impl;
};

KCONTROL_DECL any_informer::any_informer(environment& env, executor ex, client cl, const resource_info& info,
                                         informer_options options)
    : any_informer(std::make_shared<detail::shared_watch>(env, std::move(ex), std::move(cl), info, std::move(options)),
                   info) {}

KCONTROL_DECL any_informer::any_informer(std::shared_ptr<detail::shared_watch> watch, const resource_info& info)
    : impl_(std::make_shared<impl>(std::move(watch), info)), handle_(std::make_shared<handle>(impl_)) {}

KCONTROL_DECL any_informer::any_informer(const any_informer& first, const resource_info& view)
    : any_informer(first.impl_->watch, view) {}

KCONTROL_DECL any_informer::any_informer(const any_informer& same, another_handle)
    : impl_(same.impl_), handle_(same.handle_) {}

KCONTROL_DECL any_informer::~any_informer() = default;

KCONTROL_DECL void any_informer::start(std::stop_token parent) { impl_->start(std::move(parent)); }

KCONTROL_DECL awaitable<bool> any_informer::stop(std::optional<time_point> deadline) {
    return impl::stop(impl_, deadline);
}

KCONTROL_DECL void any_informer::rebuild(client next, resume_mode mode) {
    impl_->watch->rebuild(std::move(next), mode);
}

KCONTROL_DECL void any_informer::probe_now() { impl_->watch->probe_now(); }

KCONTROL_DECL bool any_informer::shares_watch_with(const any_informer& other) const noexcept {
    return impl_->watch == other.impl_->watch;
}

KCONTROL_DECL const std::string& any_informer::in_namespace() const noexcept {
    return impl_->watch->options().in_namespace();
}

KCONTROL_DECL void any_informer::retire() {
    impl_->handlers.end_all();
    impl_->leave();
}

KCONTROL_DECL subscription any_informer::subscribe(event_consumer handler, handler_options how) {
    const auto self = impl_;
    auto entry = std::make_shared<detail::handler_entry>();
    entry->progress->env = &self->env;
    entry->resync_period = how.resync_period();
    if (entry->resync_period <= duration::zero()) entry->resync_period = self->watch->options().resync_period();
    entry->next_resync = self->env.now() + entry->resync_period;
    if (how.run_on() || handler.coroutine()) {
        entry->progress->lane = impl::make_lane(self, entry->progress, std::move(handler), how);
    } else {
        entry->handler = handler.function();
    }
    for (auto& object : self->content.list()) {
        any_event event(event_type::added, {}, std::move(object));
        event.initial = true;
        event.generation = self->generation;
        self->handlers.call(*entry, event, self->calls);
    }
    if (self->listed_once) entry->mark_complete();
    self->handlers.add(entry);
    self->subscribed.notify_all();
    auto progress = entry->progress;
    return subscription(std::move(entry), std::move(progress));
}

KCONTROL_DECL subscription any_informer::on_invalid(invalid_handler handler) {
    const auto self = impl_;
    const auto entry = std::make_shared<detail::invalid_entry>();
    entry->handler = std::move(handler);
    for (const auto& object : self->content.invalid()) self->handlers.call(*entry, *object, self->calls);
    self->handlers.add(entry);
    return subscription(entry);
}

KCONTROL_DECL subscription any_informer::on_status_change(status_handler callback) {
    const auto entry = std::make_shared<detail::status_entry>();
    entry->handler = std::move(callback);
    impl_->handlers.add(entry);
    return subscription(entry);
}

KCONTROL_DECL informer_status any_informer::status() const {
    informer_status out = impl_->current();
    out.handlers = impl_->handlers.lags();
    return out;
}

KCONTROL_DECL bool any_informer::has_synced() const { return impl_->synced(); }

KCONTROL_DECL awaitable<bool> any_informer::wait_synced(std::stop_token stop, std::optional<time_point> deadline) {
    return impl::wait_synced(impl_, std::move(stop), deadline);
}

KCONTROL_DECL awaitable<result<void>> any_informer::at_least(const object_meta& written, std::stop_token stop,
                                                             std::optional<time_point> deadline) {
    return impl::at_least(impl_, key_of(written), written.resource_version.str(), std::move(stop), deadline);
}

KCONTROL_DECL awaitable<result<void>> any_informer::deletion_seen(const object_meta& last, std::stop_token stop,
                                                                  std::optional<time_point> deadline) {
    return impl::deletion_seen(impl_, key_of(last), last.uid.str(), std::move(stop), deadline);
}

KCONTROL_DECL void any_informer::expect(any_object stored) { impl_->expect(std::move(stored)); }

KCONTROL_DECL std::string any_informer::resource_version() const { return std::string(impl_->passed()); }

KCONTROL_DECL const store& any_informer::objects() const noexcept { return impl_->content; }

KCONTROL_DECL const resource_info& any_informer::info() const noexcept { return impl_->info; }

KCONTROL_DECL detail::informer_parts any_informer::parts() const {
    return {impl_, impl_->env, impl_->watch->get_executor(), impl_->calls, impl_->tasks, impl_->content};
}

KCONTROL_DECL result<store_index> any_informer::add_index(std::string name, index_rule rule) {
    if (!rule) return impl_->content.add_index(std::move(name), std::move(rule));
    std::string what = "the function of the index \"" + name + "\"";
    std::string label = rule.label();
    // The store asks it, which the informer owns as it owns the calls.
    index_rule guarded([what = std::move(what), rule = std::move(rule), &calls = impl_->calls](const any_object& object,
                                                                                               index_keys& to) {
        const bool returned = calls.call(
            what, [&] { rule(object, to); }, [&] { return to_string(object.key()); });
        if (!returned) to.clear();
    });
    guarded.label(std::move(label));
    return impl_->content.add_index(std::move(name), std::move(guarded));
}

}  // namespace kcontrol
