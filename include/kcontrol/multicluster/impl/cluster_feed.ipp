#pragma once

#include <kcontrol/multicluster/detail/cluster_feed.hpp>
#include <kcontrol/multicluster/engaged_cluster.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::detail {

// One handler, and which objects it is behind on.
class cluster_feed::listener : public std::enable_shared_from_this<listener> {
public:
    listener(std::weak_ptr<cluster_feed> f, environment& env, executor x, any_event_handler h, const logger& log)
        : feed(std::move(f)), ex(std::move(x)), handler(std::move(h)), calls(env, log) {}

    void tell(const any_event& event) {
        calls.call(
            "an event handler", [&] { handler(event); }, [&] { return to_string(event.object().key()); });
    }
    void tell_change(const any_object& before, const any_object& now) {
        if (before && now && before.meta().uid == now.meta().uid) {
            return tell(any_event(event_type::updated, before, now));
        }
        if (before) tell(any_event(event_type::deleted, before, {}));
        if (now) tell(any_event(event_type::added, {}, now));
    }
    // With the feed's lock held.
    void schedule() {
        if (std::exchange(scheduled, true)) return;
        boost::asio::post(ex, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->drain();
        });
    }
    // Some at a time: others work on the executor, too.
    void drain() {
        static constexpr int at_a_time = 64;
        for (int i = 0; i < at_a_time; ++i) {
            const auto from = feed.lock();
            if (!from) return;
            any_object before, now;
            {
                const std::lock_guard lock(from->mutex_);
                if (behind.empty()) {
                    scheduled = false;
                    return;
                }
                auto first = behind.extract(behind.begin());
                before = std::move(first.mapped());
                const auto found = from->objects_.find(first.key());
                if (found != from->objects_.end()) now = found->second.object;
            }
            if (before != now) tell_change(before, now);
        }
        const auto from = feed.lock();
        if (!from) return;
        const std::lock_guard lock(from->mutex_);
        scheduled = false;
        if (!behind.empty()) schedule();
    }

    const std::weak_ptr<cluster_feed> feed;
    const executor ex;
    const any_event_handler handler;
    guarded_calls calls;                           // of the executor
    std::map<namespaced_name, any_object> behind;  // and what was told last; guarded by the feed's mutex
    bool scheduled = false;                        // likewise
};

class cluster_feed::feed_view final : public cached_source, public std::enable_shared_from_this<feed_view> {
public:
    feed_view(std::shared_ptr<cluster_feed> of, executor x) : feed(std::move(of)), ex(std::move(x)) {}

    subscription subscribe(any_event_handler handler) override {
        auto added = std::make_shared<listener>(feed, feed->env_, ex, std::move(handler), feed->log_);
        std::vector<any_object> present;
        {
            const std::lock_guard lock(feed->mutex_);
            for (const auto& [key, one] : feed->objects_) present.push_back(one.object);
            std::erase_if(feed->listeners_, [](const auto& weak) { return weak.expired(); });
            feed->listeners_.push_back(added);
        }
        for (const any_object& one : present) {
            any_event event(event_type::added, {}, one);
            event.initial = true;
            added->tell(event);
        }
        return subscription(added);
    }
    awaitable<bool> wait_synced(std::stop_token stop, std::optional<time_point> deadline) override {
        return wait(shared_from_this(), std::move(stop), deadline);
    }
    std::string describe() const override { return feed->describe(); }
    std::string kind() const override { return feed->kind(); }
    any_object get(const namespaced_name& key) const override { return feed->get(key); }

    static awaitable<bool> wait(std::shared_ptr<feed_view> self, std::stop_token stop,
                                std::optional<time_point> deadline) {
        while (!self->synced()) {
            const wake why = co_await self->changed.wait(self->feed->env_, stop, deadline);
            if (why != wake::notified) co_return false;
        }
        co_return true;
    }
    bool synced() const {
        const std::lock_guard lock(feed->mutex_);
        return feed->synced_;
    }
    void notify() {
        boost::asio::post(ex, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->changed.notify_all();
        });
    }

    const std::shared_ptr<cluster_feed> feed;
    const executor ex;
    async_event changed;
};

KCONTROL_DECL cluster_feed::cluster_feed(environment& env, std::string cluster, const resource_info& kind,
                                         std::optional<kind_options> how, logger log)
    : env_(env), cluster_(std::move(cluster)), kind_(kind), how_(std::move(how)), log_(std::move(log)) {}

KCONTROL_DECL cluster_feed::~cluster_feed() { detach(); }

KCONTROL_DECL void cluster_feed::detach() {
    const std::lock_guard lock(mutex_);
    ++term_;
    if (!attached_) return;
    boost::asio::post(*strand_, [ended = std::move(attached_)] {
        ended->hold.reset();
        ended->stop.request_stop();
    });
    attached_.reset();
}

KCONTROL_DECL result<void> cluster_feed::attach(engaged_cluster& of) {
    detach();
    const auto made = std::make_shared<attachment>();
    if (how_) {
        auto source = of.source_with(kind_, *how_);
        if (!source) return source.error();
        made->source = std::move(*source);
    } else {
        made->source = of.source_of(kind_);
    }
    std::uint64_t term = 0;
    {
        const std::lock_guard lock(mutex_);
        term = term_;
        strand_ = of.get_executor();
        attached_ = made;
    }
    made->hold = made->source->subscribe([weak = weak_from_this(), term](const any_event& event) {
        if (const auto self = weak.lock()) self->take(term, event);
    });
    boost::asio::co_spawn(of.get_executor(), watch_sync(weak_from_this(), made->source, term, made->stop.get_token()),
                          boost::asio::detached);
    return {};
}

KCONTROL_DECL awaitable<void> cluster_feed::watch_sync(std::weak_ptr<cluster_feed> feed,
                                                       std::shared_ptr<cached_source> source, std::uint64_t term,
                                                       std::stop_token stop) {
    const bool synced = co_await source->wait_synced(std::move(stop), std::nullopt);
    const auto self = feed.lock();
    if (synced && self) self->finish_list(term);
}

KCONTROL_DECL void cluster_feed::take(std::uint64_t of_term, const any_event& event) {
    const namespaced_name key = event.object().key();
    const std::lock_guard lock(mutex_);
    if (of_term != term_) return;
    const auto known = objects_.find(key);
    const any_object before = known == objects_.end() ? any_object() : known->second.object;
    if (event.type == event_type::deleted) {
        if (known != objects_.end()) objects_.erase(known);
    } else {
        objects_[key] = {event.new_object, of_term};
        const bool same = before && before.meta().uid == event.new_object.meta().uid &&
                          before.meta().resource_version == event.new_object.meta().resource_version;
        if (same) return;
    }
    mark(key, before);
}

// What was known of an earlier time, and is there no more.
KCONTROL_DECL void cluster_feed::finish_list(std::uint64_t of_term) {
    const std::lock_guard lock(mutex_);
    if (of_term != term_) return;
    for (auto it = objects_.begin(); it != objects_.end();) {
        if (it->second.term == of_term) {
            ++it;
            continue;
        }
        const namespaced_name key = it->first;
        const any_object before = std::move(it->second.object);
        it = objects_.erase(it);
        mark(key, before);
    }
    synced_ = true;
    for (const auto& weak : views_) {
        if (const auto one = weak.lock()) one->notify();
    }
}

// With the lock held.
KCONTROL_DECL void cluster_feed::mark(const namespaced_name& key, const any_object& before) {
    for (const auto& weak : listeners_) {
        const auto one = weak.lock();
        if (!one) continue;
        one->behind.try_emplace(key, before);
        one->schedule();
    }
}

KCONTROL_DECL any_object cluster_feed::get(const namespaced_name& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(key);
    return found == objects_.end() ? any_object() : found->second.object;
}

KCONTROL_DECL std::string cluster_feed::describe() const {
    const std::string what = kind() + " of the cluster " + cluster_;
    const std::lock_guard lock(mutex_);
    if (synced_) return what;
    return what + (attached_ ? ", which is not listed yet" : ", which has not engaged");
}

KCONTROL_DECL std::shared_ptr<cached_source> cluster_feed::view(executor ex) {
    auto made = std::make_shared<feed_view>(shared_from_this(), std::move(ex));
    const std::lock_guard lock(mutex_);
    std::erase_if(views_, [](const auto& weak) { return weak.expired(); });
    views_.push_back(made);
    return made;
}

}  // namespace kcontrol::detail
