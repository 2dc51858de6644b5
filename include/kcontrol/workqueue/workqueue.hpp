// The work queue of a controller as a plain state machine: no clock, no waiting, no randomness inside.
#pragma once

#include <kcontrol/runtime/time.hpp>
#include <kcontrol/workqueue/rate_limit.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace kcontrol {

/// What a work queue has counted since it was made.
struct workqueue_counters {
    std::uint64_t adds = 0;     ///< keys that became ready (an add of a ready key does not count)
    std::uint64_t retries = 0;  ///< calls of add_rate_limited
};

/// Keys that need work, first in, first out.
///
/// - A key is in the queue at most once: adding a ready key changes nothing.
/// - A key is never handed out twice at a time. One that is added while it is processed is handed out once more after
///   done(); one that was not is not.
/// - A key is ready or delayed, not both. Of two delays the earlier counts; a ready key stays ready; adding a delayed
///   key makes it ready now.
///
/// These are the rules of client-go's work queue, but for the last line, where client-go would hand the key out again
/// when the delay ends; it is controller-runtime's priority queue that merges the two, as here.
///
/// Each operation costs one hash look-up, and O(log delayed) where a delay is involved. The order of keys depends on
/// the order of calls only.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
template <class Key, class Hash = std::hash<Key>>
class workqueue {
public:
    explicit workqueue(backoff_policy rate_limit = default_rate_limit()) : rate_limit_(rate_limit) {}
    workqueue(const workqueue&) = delete;
    workqueue& operator=(const workqueue&) = delete;

    /// The key needs work. Ignored after a shut-down.
    void add(const Key& key, time_point now) {
        if (shutting_down_) return;
        make_ready(node_of(key), now);
    }

    /// The key needs work at `when`; get() hands it out from then on. Ignored after a shut-down.
    void add_after(const Key& key, time_point when) {
        if (shutting_down_) return;
        node& n = node_of(key);
        if (n.second.ready) return;
        if (n.second.delayed) {
            if (n.second.delay.first <= when) return;
            end_delay(n);
        }
        n.second.delayed = true;
        n.second.delay = {when, ++sequence_};
        delayed_.emplace(n.second.delay, &n);
    }

    /// The key failed: counts the failure and adds the key after its backoff. `unit` is a random number in [0, 1).
    /// Returns the delay chosen.
    duration add_rate_limited(const Key& key, time_point now, double unit) {
        if (shutting_down_) return duration::zero();
        ++counters_.retries;
        const duration delay = rate_limit_delay(rate_limit_, node_of(key).second.failures++, unit);
        add_after(key, now + delay);
        return delay;
    }

    /// The next key to work on, if one is ready at `now`. Call done() when the work has ended.
    std::optional<Key> get(time_point now) {
        while (!delayed_.empty() && delayed_.begin()->first.first <= now) {
            node& due = *delayed_.begin()->second;
            make_ready(due, due.second.delay.first);
        }
        if (ready_.empty()) return std::nullopt;
        node& first = *ready_.front();
        ready_.pop_front();
        first.second.ready = false;
        first.second.processing = true;
        ++processing_;
        last_wait_ = now - first.second.ready_since;
        return first.first;
    }

    /// The work on a key that get() returned has ended. Without a get() before it does nothing.
    void done(const Key& key) {
        const auto found = entries_.find(key);
        if (found == entries_.end() || !found->second.processing) return;
        found->second.processing = false;
        --processing_;
        if (found->second.ready) ready_.push_back(&*found);
        drop_if_idle(found);
    }

    /// The key's failures are over: its next backoff starts from the beginning.
    void forget(const Key& key) {
        const auto found = entries_.find(key);
        if (found == entries_.end()) return;
        found->second.failures = 0;
        drop_if_idle(found);
    }

    /// Failures of the key since the last forget().
    std::uint64_t num_requeues(const Key& key) const {
        const auto found = entries_.find(key);
        return found == entries_.end() ? 0 : found->second.failures;
    }

    /// When the first delayed key becomes ready; nothing if none is delayed.
    std::optional<time_point> next_deadline() const {
        if (delayed_.empty()) return std::nullopt;
        return delayed_.begin()->first.first;
    }

    /// Keys that wait to be handed out: neither delayed ones nor those in processing.
    std::size_t size() const noexcept { return ready_.size(); }
    std::size_t delayed() const noexcept { return delayed_.size(); }
    std::size_t processing() const noexcept { return processing_; }

    /// Keys that cost memory: ready, delayed, in processing, or with failures to remember.
    std::size_t tracked() const noexcept { return entries_.size(); }

    /// How long the key that get() returned last had been ready before.
    duration last_wait() const noexcept { return last_wait_; }

    const workqueue_counters& counters() const noexcept { return counters_; }

    /// Ends it now: drops every key that is not in processing; nothing can be added or handed out any more.
    void shut_down() {
        shutting_down_ = true;
        drop_all();
    }

    /// Ends it after what is ready now: delayed keys are dropped, nothing can be added, ready keys (those added again
    /// while in processing included) are still handed out. A later shut_down() cuts that short.
    void shut_down_with_drain() {
        shutting_down_ = true;
        drop_delayed();
    }

    bool is_shutting_down() const noexcept { return shutting_down_; }

    /// Shut down, and nothing is ready or in processing any more.
    bool is_drained() const noexcept { return shutting_down_ && processing_ == 0 && ready_.empty(); }

    /// Opens an ended queue again, empty and without failures. Keys still in processing stay so, and are not handed out
    /// before their done().
    void restart() {
        drop_all();
        shutting_down_ = false;
    }

private:
    using moment = std::pair<time_point, std::uint64_t>;  // of equal times the one delayed first

    struct entry {
        bool ready = false;  // in ready_, or, while in processing, waiting for done() to go there
        bool processing = false;
        bool delayed = false;
        moment delay{};
        time_point ready_since{};
        std::uint64_t failures = 0;
    };
    // Nodes of an unordered_map stay where they are until they are erased. It is never iterated where the order of its
    // keys could be seen.
    using map = std::unordered_map<Key, entry, Hash>;
    using node = typename map::value_type;

    node& node_of(const Key& key) { return *entries_.try_emplace(key).first; }

    void make_ready(node& n, time_point since) {
        if (n.second.ready) return;
        end_delay(n);
        n.second.ready = true;
        n.second.ready_since = since;
        ++counters_.adds;
        if (!n.second.processing) ready_.push_back(&n);
    }

    void end_delay(node& n) {
        if (!n.second.delayed) return;
        delayed_.erase(n.second.delay);
        n.second.delayed = false;
    }

    void drop_if_idle(typename map::iterator it) {
        const entry& e = it->second;
        if (!e.ready && !e.processing && !e.delayed && e.failures == 0) entries_.erase(it);
    }

    void drop_delayed() {
        delayed_.clear();
        for (auto it = entries_.begin(); it != entries_.end();) {
            it->second.delayed = false;
            it = it->second.ready || it->second.processing ? std::next(it) : entries_.erase(it);
        }
    }

    void drop_all() {
        ready_.clear();
        for (auto& [key, e] : entries_) e.ready = false, e.failures = 0;
        drop_delayed();
    }

    backoff_policy rate_limit_;
    map entries_;
    std::deque<node*> ready_;
    std::map<moment, node*> delayed_;
    std::uint64_t sequence_ = 0;
    std::size_t processing_ = 0;
    duration last_wait_{};
    workqueue_counters counters_;
    bool shutting_down_ = false;
};

}  // namespace kcontrol
