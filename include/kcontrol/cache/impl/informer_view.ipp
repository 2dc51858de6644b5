#pragma once

#include <kcontrol/cache/detail/change_delivery.hpp>
#include <kcontrol/cache/detail/handler_list.hpp>
#include <kcontrol/cache/detail/shared_watch.hpp>
#include <kcontrol/cache/detail/transformer.hpp>
#include <kcontrol/cache/detail/write_tracker.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/codec/encode.hpp>
#include <kcontrol/codec/object_bytes.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <algorithm>
#include <atomic>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace kcontrol::inline v0_1 {
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

// What callbacks are notified of when it differs.
inline auto notified_part(const informer_status& s) {
    return std::tie(s.state, s.reason, s.synced, s.generation, s.invalid, s.server_changes, s.rollbacks);
}

}  // namespace detail

// The view of a watch that one informer is: parts, and what each of them gets from the others. It lives as long as its
// work; handle says when that ends.
struct any_informer::impl final : detail::watch_view, std::enable_shared_from_this<impl> {
    impl(std::shared_ptr<detail::shared_watch> w, const resource_info& i) : watch(std::move(w)), info(i) {}

    // --- the parts

    const std::shared_ptr<detail::shared_watch> watch;  // fills this view, and others of the same kind
    const resource_info& info;                          // as what this one reads objects
    environment& env = watch->env();
    guarded_calls calls{env, watch->log()};  // of all functions of the program that have no queue
    const detail::transformer transform{watch->options().transform(), info, calls};
    const detail::handler_lane::error_count lane_errors = std::make_shared<std::atomic<std::uint64_t>>(0);
    detail::handler_list handlers{calls};
    detail::change_delivery delivery{handlers};  // of what the store has taken over
    task_group tasks{env, watch->get_executor(), watch->log()};
    store content{[this](const any_object& object) { return object_bytes(object, info); }};
    std::atomic<bool> thin{false};          // only metadata is kept
    detail::write_tracker writes{content};  // that the store may not show yet

    std::unique_ptr<scope> lifetime;  // from start() to stop(); null before the first start()
    std::uint64_t generation = 0;
    bool listed_once = false;
    informer_status published;
    async_event caught_up;  // a wait of `writes` is over
    async_event content_changed;
    async_event changed;     // the status may differ
    async_event subscribed;  // the set of resync periods differs

    // --- what the watch fills

    const resource_info& reads() const noexcept override { return info; }
    bool wants() const noexcept override { return lifetime && !lifetime->stopped(); }
    void begin_generation() override { ++generation; }
    any_object held(const any_object& listed) const override { return content.get_same(listed.meta()); }
    std::shared_ptr<const detail::handler_lane> full_lane() const override { return handlers.full(); }

    void replace(listed_objects all) override {
        delivery.run();
        const bool first = !listed_once;
        const std::string before = first ? std::string() : watch->source().fsm().resource_version();
        transform.apply_to(all, content);
        store_content next;
        next.objects = std::move(all.objects);
        next.invalid = std::move(all.invalid);
        if (all.by_content) {
            next.same = [this](const any_object& a, const any_object& b) {
                return info.encode(a).value() == info.encode(b).value();
            };
        }
        std::unordered_map<const void*, any_object> whole;  // by what is stored of them
        if (thin) {
            for (any_object& one : next.objects) {
                if (content.get_same(one.meta()) == one) continue;
                any_object stored = metadata_of(one);
                whole.emplace(stored.address(), std::exchange(one, stored));
            }
        }
        store_change change = content.replace(std::move(next), first);
        for (any_event& event : change.events) {
            if (const auto found = whole.find(event.new_object.address()); found != whole.end()) {
                event.new_object = found->second;
            }
        }
        listed_once = true;
        deliver(std::move(change), first);
        keep_budget();
        changed.notify_all();
        deliver(writes.listed(before, all.version, all.by_content));
        if (writes.take_ended()) caught_up.notify_all();
    }
    void take(any_object object, bool deleted) override {
        delivery.run();
        writes.arrived(object.meta());
        const any_object sent = object;
        if (auto why = transform.apply(object)) {
            take_invalid(invalid_object(object.meta(), std::move(*why)), deleted);
        } else {
            keep(std::move(object), deleted);
        }
        writes.applied(sent.meta(), deleted);
        if (writes.take_ended()) caught_up.notify_all();
    }
    // Handlers get the whole object of an event, whatever is stored of it.
    void keep(any_object object, bool deleted) {
        if (deleted) return deliver(content.remove(std::move(object)));
        const any_object stored = thin ? metadata_of(object) : object;
        store_change change = content.apply(stored);
        for (any_event& event : change.events) {
            if (event.new_object == stored) event.new_object = object;
        }
        deliver(std::move(change));
        keep_budget();
    }
    // The same object with nothing but its metadata, as the type that this view reads.
    any_object metadata_of(const any_object& object) const {
        const std::string metadata = detail::encode_text(describe<object_meta>(), &object.meta());
        auto made = info.decode_text("{\"metadata\":" + metadata + "}");
        return made ? std::move(*made) : object;  // a type that does not do without the rest
    }
    void keep_budget() {
        const std::uint64_t budget = watch->options().memory_budget();
        if (thin || budget == 0 || content.bytes() <= budget) return;
        thin = true;
        watch->log().error("the objects take more memory than they may: only their metadata is kept from now on",
                           {{"bytes", std::to_string(content.bytes())},
                            {"memory_budget", std::to_string(budget)},
                            {"objects", std::to_string(content.size())}});
        content.exchange([this](const any_object& one) { return metadata_of(one); });
        changed.notify_all();
    }
    void take_invalid(invalid_object object, bool deleted) override {
        delivery.run();
        if (!deleted) writes.arrived(object.metadata);
        deliver(deleted ? content.remove_invalid(object) : content.mark_invalid(std::move(object)));
    }

    // An object of which the program knows otherwise than by the watch.
    void expect(any_object written) {
        if (!wants() || content.get(written.key()) || transform.apply(written)) return;
        store_change missed = writes.expect(std::move(written), filled());
        if (missed.events.empty()) return;
        delivery.run();
        deliver(std::move(missed));
    }

    // Up to which version the watch has filled this view; empty if nothing is known of that.
    std::string_view filled() const {
        return watch->has_filled(*this) ? watch->source().fsm().resource_version() : std::string_view();
    }

    // --- what handlers get. Where there is no memory, delivering throws std::bad_alloc; the watch, once it has
    // recovered, brings the next change, before which the rest is delivered.

    void deliver(store_change change, bool first_list = false) {
        for (auto& event : change.events) event.generation = generation;
        const bool has_events = !change.events.empty();
        try {
            for (const auto& object : change.invalid) watch->log_invalid(*object);
        } catch (const std::bad_alloc&) {
            // The log says less then; handlers and the status report it.
        }
        delivery.add(std::move(change), first_list);
        if (has_events) content_changed.notify_all();
        delivery.run();
    }

    // All objects to one handler: those that it finds when it subscribes, or those of a resync.
    void deliver_all(const detail::handler_entry& entry, bool resync, const std::stop_token& stop = {}) {
        for (auto& object : content.list()) {
            if (stop.stop_requested()) return;
            any_event event(resync ? event_type::updated : event_type::added, {}, std::move(object));
            if (resync) event.old_object = event.new_object;
            event.initial = !resync;
            event.resync = resync;
            event.generation = generation;
            handlers.call(entry, event);
        }
    }

    std::shared_ptr<detail::handler_lane> make_lane(const std::shared_ptr<detail::handler_progress>& progress,
                                                    event_consumer handler, const handler_options& how) {
        const auto on_news = [weak = std::weak_ptr(progress), weak_self = weak_from_this()] {
            if (const auto known = weak.lock()) {
                if (!known->ended) known->synced = known->lane->has_synced();
                known->changed.notify_all();
            }
            if (const auto self = weak_self.lock()) self->watch->go_on();
        };
        return std::make_shared<detail::handler_lane>(env, watch->get_executor(), watch->log(), std::move(handler), how,
                                                      lane_errors, on_news);
    }

    // --- the status

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
        out.bytes = content.bytes() + watch->source().pool_bytes();
        out.metadata_only = thin;
        if (thin) {
            out.reason += (out.reason.empty() ? "" : "; ") +
                          ("it keeps metadata alone: its objects took more than the memory budget of " +
                           std::to_string(watch->options().memory_budget()) + " bytes");
        }
        out.invalid = content.invalid_count();
        out.server_changes = fsm.server_changes();
        out.rollbacks = fsm.rollbacks();
        out.handler_errors = calls.thrown() + *lane_errors;
        out.last_event = watch->last_event();
        return out;
    }

    const informer_status* refresh() override {
        writes.filled(filled());
        if (writes.take_ended()) caught_up.notify_all();
        auto now = current();
        if (detail::notified_part(now) == detail::notified_part(published)) return nullptr;
        published = std::move(now);
        published.handlers = handlers.lags();
        return &published;
    }
    void notify() override {
        changed.notify_all();
        handlers.deliver(published);
    }

    // --- start and stop

    void start(std::stop_token parent) {
        if (wants()) return;
        ++generation;
        lifetime = std::make_unique<scope>(std::move(parent));
        tasks.spawn(attend(shared_from_this(), lifetime->token()));
        handlers.for_each_lane([](detail::handler_lane& lane) { lane.resume(); });
        watch->join(shared_from_this());
    }
    void leave() {
        if (lifetime) lifetime->stop();
        left();
    }
    // It has been stopped, unless it has been started again.
    void left() {
        if (!wants()) handlers.for_each_lane([](detail::handler_lane& lane) { lane.pause(); });
        watch->left();
    }
    void report_stopped() {
        if (!wants() && refresh()) notify();
    }
    void retire() {
        handlers.end_all();
        leave();
    }

    // --- coroutines, which outlive the informer that they are awaited of

    static awaitable<void> ask(std::shared_ptr<const impl> self, namespaced_name key, std::stop_token stop,
                               std::shared_ptr<std::optional<result<any_object>>> out);
    static awaitable<result<any_object>> fetch(std::shared_ptr<const impl> self, namespaced_name key,
                                               std::stop_token stop);
    static awaitable<void> attend(std::shared_ptr<impl> self, std::stop_token stop);
    static awaitable<bool> stop(std::shared_ptr<impl> self, std::optional<time_point> deadline);
    static awaitable<bool> wait_synced(std::shared_ptr<impl> self, std::stop_token stop,
                                       std::optional<time_point> deadline);
    static awaitable<result<void>> at_least(std::shared_ptr<impl> self, namespaced_name key, std::string version,
                                            std::stop_token stop, std::optional<time_point> deadline);
    static awaitable<result<void>> deletion_seen(std::shared_ptr<impl> self, namespaced_name key, std::string uid,
                                                 bool marked, std::stop_token stop, std::optional<time_point> deadline);

    // Of an object that was marked for deletion before, the mark is no news: its end is.
    bool knows_of_deletion(const namespaced_name& key, std::string_view uid, bool marked) const {
        const any_object present = content.get(key);
        if (!present || present.meta().uid != uid) return true;
        return !marked && present.meta().deletion_timestamp.present();
    }
    error wait_error(wake reason, const std::string& unobserved, const std::string& more = {}) const {
        const std::string what = "the informer of " + info.gvk.kind + " has not seen " + unobserved + " yet";
        if (reason == wake::stopped) return error(errc::stopped, what + ", and the wait was stopped");
        return error(errc::timeout, what + "; it is " + std::string(to_string(current().state)) + more);
    }
};

// Calls handlers that resync, until the informer stops, however that happens.
inline awaitable<void> any_informer::impl::attend(std::shared_ptr<impl> self, std::stop_token stop) {
    while (!stop.stop_requested()) {
        std::optional<time_point> next;
        self->handlers.for_each([&](detail::handler_entry& entry) {
            if (entry.resync.take_due(self->env.now()) && !entry.has_full_queue()) {
                self->deliver_all(entry, true, stop);
            }
            if (const auto& own = entry.resync.next()) next = next ? std::min(*next, *own) : *own;
        });
        co_await self->subscribed.wait(self->env, stop, next);
    }
    self->left();
    self->report_stopped();
}

inline awaitable<bool> any_informer::impl::stop(std::shared_ptr<impl> self, std::optional<time_point> deadline) {
    self->leave();
    const bool ended = co_await self->watch->drained(deadline);
    self->report_stopped();
    co_return ended;
}

inline awaitable<bool> any_informer::impl::wait_synced(std::shared_ptr<impl> self, std::stop_token stop,
                                                       std::optional<time_point> deadline) {
    while (!self->synced()) {
        const wake reason = co_await self->changed.wait(self->env, stop, deadline);
        if (reason != wake::notified) co_return self->synced();
    }
    co_return true;
}

inline awaitable<result<void>> any_informer::impl::at_least(std::shared_ptr<impl> self, namespaced_name key,
                                                            std::string version, std::stop_token stop,
                                                            std::optional<time_point> deadline) {
    const auto ticket = self->writes.wait_for(key, version, self->filled());
    while (!self->writes.is_over(ticket)) {
        const wake reason = co_await self->caught_up.wait(self->env, stop, deadline);
        if (reason == wake::notified || self->writes.is_over(ticket)) continue;
        self->writes.cancel(ticket);
        co_return self->wait_error(reason, "version " + version + " of " + to_string(key),
                                   ", at version \"" + std::string(self->filled()) + "\"");
    }
    co_return result<void>();
}

inline awaitable<result<void>> any_informer::impl::deletion_seen(std::shared_ptr<impl> self, namespaced_name key,
                                                                 std::string uid, bool marked, std::stop_token stop,
                                                                 std::optional<time_point> deadline) {
    while (!self->knows_of_deletion(key, uid, marked)) {
        const wake reason = co_await self->content_changed.wait(self->env, stop, deadline);
        if (reason == wake::notified || self->knows_of_deletion(key, uid, marked)) continue;
        co_return self->wait_error(reason, "the deletion of " + to_string(key));
    }
    co_return result<void>();
}

}  // namespace kcontrol
