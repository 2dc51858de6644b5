#include "turns/restart_turns.hpp"

#include <algorithm>
#include <vector>

namespace training_operator {

void restart_turns::expire(kcontrol::time_point now) {
    std::erase_if(granted_, [&](const auto& each) { return now - each.second.since >= limits_.hold; });
    // One that asks no more was deleted, or ended.
    std::erase_if(waiting_, [&](const auto& each) { return now - each.second.seen > 10 * limits_.ask_again; });
}

void restart_turns::done(const std::string& uid) {
    granted_.erase(uid);
    waiting_.erase(uid);
}

bool restart_turns::ask(const std::string& uid, urgency how, const std::string& store, double pressure,
                        kcontrol::time_point now) {
    expire(now);
    if (granted_.contains(uid)) return true;
    auto& me = waiting_.try_emplace(uid, gang_entry{how, store, now, now}).first->second;
    me.how = how;
    me.store = store;
    me.seen = now;

    std::vector<std::pair<std::string, const gang_entry*>> order;
    for (const auto& [name, entry] : waiting_) order.emplace_back(name, &entry);
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
        return a.second->how != b.second->how ? a.second->how > b.second->how : a.second->since < b.second->since;
    });
    std::size_t busy = 0;
    std::map<std::string, std::size_t> at_store;
    for (const auto& [name, entry] : granted_) {
        if (entry.how != urgency::high) ++busy;
        ++at_store[entry.store];
    }
    // All that may start now, in their order, up to this one.
    for (const auto& [name, entry] : order) {
        bool goes = entry->how == urgency::high;
        if (!goes) {
            const bool yields = now - entry->since < limits_.longest && pressure >= limits_.medium_yields;
            const bool parked = yields && entry->how == urgency::low && pressure >= limits_.low_parks;
            const auto most = yields ? std::max<std::size_t>(1, limits_.at_once / 2) : limits_.at_once;
            goes = !parked && busy < most && (entry->store.empty() || at_store[entry->store] < limits_.per_store);
            if (goes) ++busy;
        }
        if (goes) ++at_store[entry->store];
        if (name != uid) continue;
        if (goes) {
            granted_[uid] = {how, store, now, now};
            waiting_.erase(uid);
        }
        return goes;
    }
    return false;
}

}  // namespace training_operator
