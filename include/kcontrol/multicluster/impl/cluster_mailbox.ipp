#pragma once

#include <kcontrol/cluster/generic_event.hpp>
#include <kcontrol/multicluster/detail/cluster_mailbox.hpp>
#include <kcontrol/runtime/make_ready.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL bool cluster_mailbox::put(const request& req, const add_options& how, const std::string& from) {
    const std::lock_guard lock(mutex_);
    const auto same = waiting_.find(req);
    if (same != waiting_.end()) {
        letter& there = same->second;
        const int priority = std::max(how.priority().value_or(0), there.how.priority().value_or(0));
        const duration after = std::min(std::max(how.after(), duration::zero()), there.how.after());
        there.how = add_options().priority(priority).after(after);
        return true;
    }
    if (waiting_.size() >= max_waiting) return false;
    waiting_.emplace(req, letter{how, from});
    schedule();
    return true;
}

KCONTROL_DECL void cluster_mailbox::attend(executor ex) {
    const std::lock_guard lock(mutex_);
    ex_ = std::move(ex);
    handler_.reset();
    ++epoch_;
    scheduled_ = false;
}

KCONTROL_DECL std::size_t cluster_mailbox::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
}

KCONTROL_DECL event_handler<request> cluster_mailbox::handler() {
    return [self = shared_from_this()](const any_event&, request_sink<request>& sink) {
        if (self->handed_over_) sink.add(self->handed_over_.key(), self->handed_over_.mapped().how);
    };
}

KCONTROL_DECL subscription cluster_mailbox::subscribe(any_event_handler handler) {
    auto kept = std::make_shared<any_event_handler>(std::move(handler));
    const std::lock_guard lock(mutex_);
    for (auto& [req, one] : given_) one.how = add_options().priority(low_priority);
    waiting_.merge(given_);
    given_.clear();
    handler_ = kept;
    schedule();
    return subscription(std::move(kept));
}

KCONTROL_DECL awaitable<bool> cluster_mailbox::wait_synced(std::stop_token, std::optional<time_point>) {
    return make_ready(true);
}

KCONTROL_DECL std::string cluster_mailbox::describe() const {
    return "requests of other clusters, of which " + std::to_string(waiting()) + " wait";
}

// With the lock held.
KCONTROL_DECL void cluster_mailbox::schedule() {
    if (scheduled_ || waiting_.empty() || !ex_ || handler_.expired()) return;
    scheduled_ = true;
    boost::asio::post(*ex_, [weak = weak_from_this(), epoch = epoch_] {
        if (const auto self = weak.lock()) self->drain(epoch);
    });
}

// Some at a time: others work on the executor, too.
KCONTROL_DECL void cluster_mailbox::drain(std::uint64_t of_epoch) {
    static constexpr int at_a_time = 64;
    for (int i = 0; i < at_a_time; ++i) {
        std::shared_ptr<any_event_handler> handler;
        {
            const std::lock_guard lock(mutex_);
            if (of_epoch != epoch_) return;
            handler = handler_.lock();
            if (waiting_.empty() || !handler) {
                scheduled_ = false;
                return;
            }
            handed_over_ = waiting_.extract(waiting_.begin());
        }
        try {
            (*handler)(generic_event(namespaced_name({}, handed_over_.mapped().from)));
            const std::lock_guard lock(mutex_);
            if (given_.size() >= max_waiting) given_.erase(given_.begin());
            given_.insert(std::move(handed_over_));
            handed_over_ = {};
        } catch (const std::bad_alloc&) {  // all that gets out of a controller's handler
            const std::lock_guard lock(mutex_);
            waiting_.insert(std::move(handed_over_));
            scheduled_ = false;  // the next one that is put has all handed over
            return;
        }
    }
    const std::lock_guard lock(mutex_);
    if (of_epoch != epoch_) return;
    scheduled_ = false;
    schedule();
}

}  // namespace kcontrol::detail
