#pragma once

#include <kcontrol/transport/impl/connection_ledger.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

inline connection_ledger::order& connection_ledger::list_of(place at) noexcept {
    switch (at) {
    case place::strangers: return strangers_;
    case place::guests: return guests_;
    case place::working: break;
    }
    return working_;
}

inline void connection_ledger::move(order::iterator one, place to) {
    order& into = list_of(to);
    into.splice(into.end(), list_of(one->at), one);
    one->at = to;
}

inline connection_ledger::order::iterator* connection_ledger::find(id one) {
    const auto found = entries_.find(one);
    return found == entries_.end() ? nullptr : &found->second;
}

// Strangers first while they are many: a flood of them must not drive out those who are known. And those who are known
// once strangers are few, or a handful of newcomers would drive out each other. But none that has only just begun to
// wait where one of the others has not.
inline const connection_ledger::entry* connection_ledger::longest_waiting(time_point now) const {
    const entry* first = strangers_.empty() ? nullptr : &strangers_.front();
    const entry* second = guests_.empty() ? nullptr : &guests_.front();
    if (strangers_.size() * 2 <= most_) std::swap(first, second);
    if (first == nullptr) return second;
    const bool hasty = second != nullptr && now - first->since < fair_stay && second->since < first->since;
    return hasty ? second : first;
}

inline const connection_ledger::entry* connection_ledger::longest_waiting_of(const std::string& address) const {
    const entry* out = nullptr;
    for (const order* list : {&strangers_, &guests_}) {
        const auto found =
            std::find_if(list->begin(), list->end(), [&](const entry& e) { return e.address == address; });
        if (found != list->end() && (out == nullptr || found->since < out->since)) out = &*found;
    }
    return out;
}

// Of those that have waited since `latest` or longer, and hold more than that.
inline const connection_ledger::entry* connection_ledger::longest_waiting_holder(id but_not, std::size_t of_more_than,
                                                                                 time_point latest) const {
    const entry* out = nullptr;
    for (const order* list : {&strangers_, &guests_}) {
        for (const entry& e : *list) {
            if (e.since > latest || (out != nullptr && e.since >= out->since)) break;
            if (e.bytes <= of_more_than || e.name == but_not) continue;
            out = &e;
            break;
        }
    }
    return out;
}

inline void connection_ledger::make_room_for(id one, std::size_t of_more_than, time_point latest,
                                             std::vector<id>& made_room) {
    while (bytes_ > most_bytes_) {
        const entry* first = longest_waiting_holder(one, of_more_than, latest);
        if (first == nullptr) return;
        made_room.push_back(shed(*first, shed_reason::bytes));
    }
}

inline connection_ledger::id connection_ledger::shed(const entry& one, shed_reason why) {
    const id name = one.name;
    ++stats_.shed[static_cast<std::size_t>(why)];
    leave(name);
    return name;
}

KCONTROL_DECL connection_ledger::admission connection_ledger::enter(std::string address, time_point now) {
    admission out;
    const auto make_room = [&](const entry* first, shed_reason why) {
        out.why = why;
        if (first == nullptr) return was_refused(why), false;
        out.made_room.push_back(shed(*first, why));
        return true;
    };
    if (most_per_address_ != 0) {
        const auto of_address = per_address_.find(address);
        const bool full = of_address != per_address_.end() && of_address->second >= most_per_address_;
        if (full && !make_room(longest_waiting_of(address), shed_reason::address)) return out;
    }
    if (entries_.size() >= most_ && !make_room(longest_waiting(now), shed_reason::connections)) return out;
    if (most_per_address_ != 0) ++per_address_[address];
    const auto added = strangers_.emplace(strangers_.end());
    added->name = out.name = ++last_;
    added->address = std::move(address);
    added->since = now;
    entries_.emplace(added->name, added);
    ++stats_.accepted;
    return out;
}

KCONTROL_DECL void connection_ledger::waits(id one, time_point now) {
    auto* const found = find(one);
    if (found == nullptr) return;
    (*found)->since = now;
    move(*found, (*found)->known ? place::guests : place::strangers);
}

KCONTROL_DECL void connection_ledger::works(id one) {
    if (auto* const found = find(one)) move(*found, place::working);
}

KCONTROL_DECL void connection_ledger::admit(id one) {
    auto* const found = find(one);
    if (found == nullptr || (*found)->known) return;
    (*found)->known = true;
    ++known_;
}

KCONTROL_DECL bool connection_ledger::hold(id one, std::size_t bytes, time_point now, std::vector<id>& made_room) {
    auto* const found = find(one);
    if (found == nullptr) return true;  // it is being closed
    const bool more = bytes > (*found)->bytes;
    bytes_ += bytes - (*found)->bytes;
    (*found)->bytes = bytes;
    if (!more) return true;
    make_room_for(one, 0, now - stalled, made_room);
    return bytes_ <= most_bytes_ || bytes <= always_granted;
}

KCONTROL_DECL void connection_ledger::must_hold(id one, std::size_t bytes, time_point now, std::vector<id>& made_room) {
    if (!hold(one, bytes, now, made_room)) make_room_for(one, always_granted, now, made_room);
}

KCONTROL_DECL bool connection_ledger::is_pressed(time_point now) const {
    if (entries_.size() < most_) return false;
    const entry* first = longest_waiting(now);
    return first == nullptr || now - first->since < fair_stay;
}

KCONTROL_DECL std::optional<connection_ledger::id> connection_ledger::give_up_one(time_point now) {
    const entry* first = longest_waiting(now);
    if (first == nullptr || now - first->since < fair_stay) return std::nullopt;
    return shed(*first, shed_reason::descriptors);
}

KCONTROL_DECL void connection_ledger::leave(id one) {
    const auto found = entries_.find(one);
    if (found == entries_.end()) return;
    const auto at = found->second;
    bytes_ -= at->bytes;
    known_ -= at->known ? 1U : 0U;
    if (most_per_address_ != 0) {
        const auto of_address = per_address_.find(at->address);
        if (--of_address->second == 0) per_address_.erase(of_address);
    }
    list_of(at->at).erase(at);
    entries_.erase(found);
}

KCONTROL_DECL server_stats connection_ledger::stats() const {
    server_stats out = stats_;
    out.connections = entries_.size();
    out.known = known_;
    out.buffered_bytes = bytes_;
    return out;
}

}  // namespace kcontrol::http::detail
