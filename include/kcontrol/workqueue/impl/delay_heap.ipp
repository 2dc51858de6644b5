#pragma once

#include <kcontrol/workqueue/detail/delay_heap.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL bool delay_heap::empty() const noexcept { return entries_.empty(); }
KCONTROL_DECL std::size_t delay_heap::size() const noexcept { return entries_.size(); }
KCONTROL_DECL time_point delay_heap::first_time() const noexcept { return entries_.front().when; }
KCONTROL_DECL queue_node& delay_heap::first() const noexcept { return *entries_.front().node; }
KCONTROL_DECL time_point delay_heap::time_of(const queue_node& n) const noexcept { return entries_[n.heap_at].when; }

KCONTROL_DECL void delay_heap::push(queue_node& n, time_point when) {
    const entry added{when, ++pushed_, &n};
    entries_.push_back(added);
    rise(entries_.size() - 1, added);
}

KCONTROL_DECL void delay_heap::erase(queue_node& n) noexcept {
    const std::size_t at = n.heap_at;
    n.heap_at = queue_node::not_delayed;
    const entry last = entries_.back();
    entries_.pop_back();
    if (at == entries_.size()) return;
    if (at > 0 && last.before(entries_[(at - 1) / 4])) {
        rise(at, last);
    } else {
        sink(at, last);
    }
}

KCONTROL_DECL void delay_heap::clear() noexcept {
    for (const entry& e : entries_) e.node->heap_at = queue_node::not_delayed;
    entries_.clear();
}

inline void delay_heap::place(std::size_t at, const entry& e) noexcept {
    entries_[at] = e;
    e.node->heap_at = at;
}

inline void delay_heap::rise(std::size_t at, const entry& e) noexcept {
    while (at > 0) {
        const std::size_t parent = (at - 1) / 4;
        if (!e.before(entries_[parent])) break;
        place(at, entries_[parent]);
        at = parent;
    }
    place(at, e);
}

inline void delay_heap::sink(std::size_t at, const entry& e) noexcept {
    for (;;) {
        const std::size_t first_child = at * 4 + 1;
        if (first_child >= entries_.size()) break;
        const std::size_t end = std::min(first_child + 4, entries_.size());
        std::size_t least = first_child;
        for (std::size_t child = first_child + 1; child < end; ++child) {
            if (entries_[child].before(entries_[least])) least = child;
        }
        if (!entries_[least].before(e)) break;
        place(at, entries_[least]);
        at = least;
    }
    place(at, e);
}

}  // namespace kcontrol::detail
