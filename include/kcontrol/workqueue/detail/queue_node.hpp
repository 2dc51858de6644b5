// What a work queue knows of one key, and the lists that such nodes are in.
#pragma once

#include <kcontrol/runtime/time.hpp>
#include <kcontrol/workqueue/cause.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace kcontrol::inline v0_1::detail {

struct queue_node;
struct fair_lane;
struct ready_level;

/// The two neighbours of a node in a list.
struct node_links {
    queue_node* before = nullptr;
    queue_node* after = nullptr;
};

struct queue_node {
    static constexpr std::size_t not_delayed = std::numeric_limits<std::size_t>::max();

    bool is_delayed() const noexcept { return heap_at != not_delayed; }
    /// Whether nothing is to be remembered of it.
    bool is_idle() const noexcept { return !ready && !processing && !is_delayed() && failures == 0; }

    std::size_t hash = 0;  // of its key
    node_links order;      // among those that became ready in its level, or among those in processing: never both
    node_links in_lane;
    ready_level* level = nullptr;  // where it waits to be handed out; null if it does not
    fair_lane* lane = nullptr;
    std::size_t heap_at = not_delayed;
    time_point ready_since{};
    time_point taken_at{};
    time_point retry_at{};  // when its last failure lets it come again
    std::uint64_t failures = 0;
    int priority = 0;        // as it is queued
    int taken_priority = 0;  // as it is processed
    bool ready = false;      // in its level, or, while in processing, waiting for done() to go there
    bool processing = false;
    bool early = false;  // it was handed out before retry_at, because something else added it
    cause_set causes;
};

/// A list through the nodes themselves; `Links` says through which of their links.
template <node_links queue_node::*Links>
class node_list {
public:
    bool empty() const noexcept { return first_ == nullptr; }
    queue_node* front() const noexcept { return first_; }
    static queue_node* next(const queue_node& n) noexcept { return (n.*Links).after; }

    void push_back(queue_node& n) noexcept {
        (n.*Links) = node_links{last_, nullptr};
        (last_ ? (last_->*Links).after : first_) = &n;
        last_ = &n;
    }
    void erase(queue_node& n) noexcept {
        const node_links links = n.*Links;
        (links.before ? (links.before->*Links).after : first_) = links.after;
        (links.after ? (links.after->*Links).before : last_) = links.before;
        (n.*Links) = node_links{};
    }
    void clear() noexcept { first_ = last_ = nullptr; }

private:
    queue_node* first_ = nullptr;
    queue_node* last_ = nullptr;
};

}  // namespace kcontrol::detail
