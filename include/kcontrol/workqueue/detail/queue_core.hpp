// The rules of a work queue, over nodes: what does not depend on the type of the keys.
#pragma once

#include <kcontrol/workqueue/add_options.hpp>
#include <kcontrol/workqueue/admission.hpp>
#include <kcontrol/workqueue/counters.hpp>
#include <kcontrol/workqueue/detail/delay_heap.hpp>
#include <kcontrol/workqueue/detail/queue_node.hpp>
#include <kcontrol/workqueue/detail/ready_levels.hpp>
#include <kcontrol/workqueue/rate_limiter.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::detail {

class queue_core {
public:
    // What is not inline here is compiled once, not in every user's file.
    KCONTROL_DECL queue_core(rate_limiter limiter, duration starvation_limit, bool priorities);
    queue_core(const queue_core&) = delete;
    queue_core& operator=(const queue_core&) = delete;

    /// Returns the delay chosen.
    KCONTROL_DECL duration add(queue_node& n, time_point now, const add_options& options, const cause& why,
                               double unit);
    KCONTROL_DECL void add_at(queue_node& n, time_point when, int priority, const cause& why);
    /// The node whose turn it is, now in processing; null if there is none.
    KCONTROL_DECL queue_node* take(time_point now, admission let);
    /// The node is in processing.
    KCONTROL_DECL void finish(queue_node& n);

    KCONTROL_DECL std::optional<time_point> next_deadline(admission let) const;
    KCONTROL_DECL std::vector<unfinished_work> unfinished(time_point now) const;

    /// The caller frees the nodes that are idle then.
    KCONTROL_DECL void drop_delayed();
    /// The caller resets what a node says of itself (ready, failures, causes), too.
    KCONTROL_DECL void drop_queued();

    const ready_levels& levels() const noexcept { return levels_; }
    KCONTROL_DECL std::size_t delayed() const noexcept;
    std::size_t processing() const noexcept { return processing_count_; }
    const workqueue_counters& counters() const noexcept { return counters_; }

protected:
    KCONTROL_DECL ~queue_core();

private:
    /// The fairness key; null without fairness. Valid until the next call.
    virtual const std::string_view* lane_of(const queue_node& n) = 0;

    duration backoff(queue_node& n, time_point now, double unit);
    void enqueue(queue_node& n, int priority, const cause& why);
    void delay(queue_node& n, time_point when);
    void make_ready(queue_node& n, time_point since);

    rate_limiter limiter_;
    ready_levels levels_;
    delay_heap delays_;
    node_list<&queue_node::order> processing_;  // in the order in which they were taken
    std::size_t processing_count_ = 0;
    workqueue_counters counters_;
    bool priorities_;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/workqueue/impl/queue_core.ipp>
#endif
