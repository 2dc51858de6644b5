// The work queue of a controller as a plain state machine: no clock, no waiting, no randomness inside.
#pragma once

#include <kcontrol/workqueue/detail/node_table.hpp>
#include <kcontrol/workqueue/detail/queue_core.hpp>
#include <kcontrol/workqueue/workqueue_options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Keys that need work: the most urgent first, and of one priority first in, first out.
///
/// - A key is in the queue at most once: adding a ready key changes nothing, unless it is more urgent now.
/// - A key is never handed out twice at a time. One that is added while it is processed is handed out once more after
///   done(); one that was not is not.
/// - A key is ready or delayed, not both. Of two delays the earlier counts; a ready key stays ready; adding a delayed
///   key makes it ready now.
/// - Of two priorities the higher counts while the key is queued. A ready key that is raised goes to the end of its new
///   priority. What is added while the key is processed has a priority of its own.
/// - A key that is handed out before its retry is due, and fails again, keeps the time of that retry. Its failures are
///   not counted then.
/// - A key that has waited for the starvation limit is handed out, whatever its priority; see workqueue_options.
///
/// These are the rules of client-go's work queue and of controller-runtime's priority queue; docs/design/workqueue.md
/// says where the two differ.
///
/// Each operation costs a hash look-up at most, plus O(log delayed) where a delay is involved and O(priorities in use)
/// for get(). Adding a key that is queued takes no memory, unless its cause is a new one. The order of keys depends on
/// the order of calls only.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
template <class Key, class Hash = std::hash<Key>>
class workqueue final : private detail::queue_core {
    using node = detail::keyed_node<Key>;

public:
    /// A key that was handed out. It refers to the queue, and is used up by done().
    class item {
    public:
        item(item&& other) noexcept
            : node_(std::exchange(other.node_, nullptr)), causes_(std::move(other.causes_)), waited_(other.waited_) {}
        item& operator=(item&&) = delete;

        const Key& key() const noexcept { return *node_->key; }          ///< valid until done()
        int priority() const noexcept { return node_->taken_priority; }  ///< with which it was handed out
        /// What it was added for since it was handed out before.
        const cause_set& causes() const noexcept { return causes_; }
        /// How long it had been ready.
        duration waited() const noexcept { return waited_; }
        /// Failures of the key since the last forget().
        std::uint64_t failures() const noexcept { return node_->failures; }

    private:
        friend class workqueue;
        item(node& n, duration waited) : node_(&n), causes_(std::move(n.causes)), waited_(waited) { n.causes.clear(); }
        node* node_;
        cause_set causes_;
        duration waited_;
    };

    /// An empty one. It has a copy of the limiter, and so a state of its own.
    explicit workqueue(workqueue_options<Key> options = {})
        : queue_core(options.limiter(), options.starvation_limit(), options.priorities()),
          fair_by_(options.fair_by()) {}

    /// The key needs work. Ignored after a shut-down. `unit` is a random number in [0, 1), for rate-limited adds.
    /// Returns the delay chosen. Throws what the program's rate limiter throws; nothing has happened then.
    duration add(const Key& key, time_point now, const add_options& options = {}, const cause& why = {},
                 double unit = 0) {
        if (shutting_down_) return duration::zero();
        node& n = nodes_.find_or_make(key);
        try {
            return queue_core::add(n, now, options, why, unit);
        } catch (...) {
            drop_if_idle(n);
            throw;
        }
    }

    /// The key needs work at `when`; get() hands it out from then on. Ignored after a shut-down.
    void add_after(const Key& key, time_point when, int priority = 0, const cause& why = {}) {
        if (!shutting_down_) queue_core::add_at(nodes_.find_or_make(key), when, priority, why);
    }

    /// The key failed: counts the failure and adds the key after its backoff. `unit` is a random number in [0, 1).
    /// If the key is in processing, and was handed out before an earlier backoff had ended, it waits for the end of
    /// that one instead. Returns the delay chosen.
    duration add_rate_limited(const Key& key, time_point now, double unit, int priority = 0, const cause& why = {}) {
        return add(key, now, add_options().rate_limited().priority(priority), why, unit);
    }

    /// The next key to work on, if one that may be handed out is ready at `now`. Call done() when the work has ended.
    std::optional<item> get(time_point now, admission let = {}) {
        detail::queue_node* const next = queue_core::take(now, let);
        if (!next) return std::nullopt;
        return item(static_cast<node&>(*next), now - next->ready_since);
    }

    /// The work has ended.
    void done(item&& ended) {
        if (node* const n = std::exchange(ended.node_, nullptr)) finish(*n);
    }
    /// The same by key. Without a get() before it does nothing.
    void done(const Key& key) {
        if (node* const n = nodes_.find(key); n && n->processing) finish(*n);
    }

    /// The key's failures are over: its next backoff starts from the beginning.
    void forget(const Key& key) {
        node* const n = nodes_.find(key);
        if (!n) return;
        n->failures = 0;
        drop_if_idle(*n);
    }

    /// Failures of the key since the last forget().
    std::uint64_t num_requeues(const Key& key) const {
        const node* const n = nodes_.find(key);
        return n ? n->failures : 0;
    }

    /// When there is more to hand out, though nothing is added: the end of the first delay, or when a key that may not
    /// be handed out now has waited for the starvation limit. Nothing if there is no such time.
    std::optional<time_point> next_deadline(admission let = {}) const { return queue_core::next_deadline(let); }

    /// Keys that wait to be handed out: neither delayed ones nor those in processing.
    std::size_t size() const noexcept { return levels().size(); }
    /// Keys that wait for a time. One whose time has come is among them until the next get().
    std::size_t delayed() const noexcept { return queue_core::delayed(); }
    std::size_t processing() const noexcept { return queue_core::processing(); }  ///< handed out, and not done() yet

    /// Keys that cost memory: ready, delayed, in processing, or with failures to remember.
    std::size_t tracked() const noexcept { return nodes_.size(); }

    /// Since it was made; restart() leaves them as they are.
    const workqueue_counters& counters() const noexcept { return queue_core::counters(); }
    /// Of each priority that there was, and of 0, the highest first. From the 26th on they are counted together; that
    /// is the last.
    std::vector<priority_counters> counters_by_priority() const { return levels().counters(); }
    /// What is in processing, in the order in which it was handed out.
    std::vector<unfinished_work> unfinished(time_point now) const { return queue_core::unfinished(now); }

    /// Ends it now: drops every key that is not in processing; nothing can be added or handed out any more.
    void shut_down() {
        shutting_down_ = true;
        drop_all();
    }

    /// Ends it after what is ready now: delayed keys are dropped, nothing can be added, ready keys (those added again
    /// while in processing included) are still handed out. A later shut_down() cuts that short.
    void shut_down_with_drain() {
        shutting_down_ = true;
        queue_core::drop_delayed();
        nodes_.erase_if([](node& n) {
            if (!n.ready && !n.processing) n.failures = 0;
            return n.is_idle();
        });
    }

    bool is_shutting_down() const noexcept { return shutting_down_; }  ///< from either shut-down to restart()

    /// Shut down, and nothing is ready or in processing any more.
    bool is_drained() const noexcept { return shutting_down_ && processing() == 0 && size() == 0; }

    /// Opens an ended queue again, empty and without failures. Keys still in processing stay so, and are not handed out
    /// before their done().
    void restart() {
        drop_all();
        shutting_down_ = false;
    }

private:
    const std::string_view* lane_of(const detail::queue_node& n) override {
        if (!fair_by_) return nullptr;
        lane_ = {};
        try {
            lane_ = fair_by_(*static_cast<const node&>(n).key);
        } catch (...) {  // a function of the program: the key gets its turn all the same
        }
        return &lane_;
    }

    void finish(node& n) {
        queue_core::finish(n);
        drop_if_idle(n);
    }

    void drop_if_idle(node& n) {
        if (n.is_idle()) nodes_.erase(n);
    }

    void drop_all() {
        queue_core::drop_queued();
        nodes_.erase_if([](node& n) {
            n.ready = false;
            n.failures = 0;
            n.causes.clear();
            return n.is_idle();
        });
        nodes_.free_spare();
    }

    detail::node_table<Key, Hash> nodes_;
    typename workqueue_options<Key>::fairness_key fair_by_;
    std::string_view lane_;
    bool shutting_down_ = false;
};

}  // namespace kcontrol
