#pragma once

#include <kcontrol/cache/detail/event_queue.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL event_queue::event_queue(bool every_version, std::size_t bound)
    : every_version_(every_version), bound_(std::max<std::size_t>(bound, 1)) {}

KCONTROL_DECL void event_queue::push(any_event event, time_point now) {
    if (every_version_) {
        append(std::move(event), now);
        if (waiting_ >= bound_ && !std::exchange(full_, true)) ++times_full_;
        return;
    }
    const auto place = by_key_.find(event.object().key());
    place == by_key_.end() ? append(std::move(event), now) : merge(place, std::move(event));
}

// Built aside, so that nothing has changed where there is no memory.
KCONTROL_DECL void event_queue::append(any_event event, time_point now) {
    item_list one(1);
    item& made = one.front();
    if (!every_version_) by_key_.emplace(event.object().key(), one.begin());
    made.number = ++pushed_items_;
    made.since = now;
    (event.type == event_type::deleted ? made.gone : made.next) = std::move(event);
    items_.splice(items_.end(), one);
    ++waiting_;
}

// What waits about an object, and one more event of it. Of the sums, pushed = delivered + waiting + coalesced holds.
KCONTROL_DECL void event_queue::merge(item_map::iterator place, any_event event) {
    item& at = *place->second;
    const std::size_t before = (at.gone ? 1U : 0U) + (at.next ? 1U : 0U);
    event.type == event_type::deleted ? merge_deletion(at, std::move(event)) : merge_state(at, std::move(event));
    const std::size_t after = (at.gone ? 1U : 0U) + (at.next ? 1U : 0U);
    coalesced_ += before + 1 - after;
    waiting_ = waiting_ - before + after;
    if (after == 0) {
        items_.erase(place->second);
        by_key_.erase(place);
    }
}

KCONTROL_DECL void event_queue::merge_state(item& at, any_event event) {
    if (!at.next) {
        if (event.resync) return;
        event.type = event_type::added;
        event.old_object = {};
        at.next = std::move(event);
        return;
    }
    any_event& next = *at.next;
    if (event.resync) return;  // what waits is as new
    const bool another = next.new_object.meta().uid != event.new_object.meta().uid;
    if (another && next.type == event_type::updated) {
        at.gone.emplace(event_type::deleted, std::move(next.old_object), any_object());
        at.gone->final_state_unknown = true;
        at.gone->generation = event.generation;
        next.type = event_type::added;
        next.old_object = {};
    }
    next.new_object = std::move(event.new_object);
    next.resync = false;
    next.generation = event.generation;
}

KCONTROL_DECL void event_queue::merge_deletion(item& at, any_event event) {
    if (!at.next) return;  // it is known to be gone
    const bool told = at.next->type == event_type::updated;
    at.next.reset();
    if (told) at.gone = std::move(event);
}

KCONTROL_DECL std::optional<any_event> event_queue::pop() {
    if (items_.empty()) return std::nullopt;
    item& first = items_.front();
    telling_ = in_hand{first.number, first.since};
    --waiting_;
    if (full_ && waiting_ <= bound_ / 2) full_ = false;
    const bool last = !first.gone || !first.next;
    std::optional<any_event> out = std::exchange(first.gone ? first.gone : first.next, std::nullopt);
    if (last) {
        if (!every_version_) by_key_.erase(out->object().key());
        items_.pop_front();
    }
    return out;
}

KCONTROL_DECL void event_queue::told() {
    if (!telling_) return;
    telling_.reset();
    ++delivered_;
}

KCONTROL_DECL void event_queue::clear() {
    items_.clear();
    by_key_.clear();
    waiting_ = 0;
    full_ = false;
}

KCONTROL_DECL bool event_queue::synced() const {
    if (!last_of_first_) return false;
    if (telling_ && telling_->number <= *last_of_first_) return false;
    return items_.empty() || items_.front().number > *last_of_first_;
}

KCONTROL_DECL std::optional<time_point> event_queue::oldest() const {
    if (telling_) return telling_->since;
    if (items_.empty()) return std::nullopt;
    return items_.front().since;
}

}  // namespace kcontrol::detail
