#pragma once

#include <kcontrol/workqueue/detail/ready_levels.hpp>

#include <algorithm>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// The ready nodes of one fairness key in one level.
struct fair_lane {
    std::string key;
    node_list<&queue_node::in_lane> nodes;
    std::list<fair_lane*>::iterator turn;
};

/// The ready nodes of one priority.
struct ready_level {
    explicit ready_level(int p) : counters(p) {}
    int priority() const noexcept { return counters.priority; }

    node_list<&queue_node::order> order;                                     // as they became ready
    std::unordered_map<std::string_view, std::unique_ptr<fair_lane>> lanes;  // keyed by their own key
    std::list<fair_lane*> turns;                                             // round robin
    priority_counters counters;                                              // its depth is the number of nodes
};

KCONTROL_DECL ready_levels::ready_levels(duration starvation_limit) : starvation_limit_(starvation_limit) {
    static_cast<void>(level_of(0));
}

KCONTROL_DECL ready_levels::~ready_levels() = default;

KCONTROL_DECL void ready_levels::push(queue_node& n, const std::string_view* lane) {
    ready_level& level = level_of(n.priority);
    if (lane) {
        auto found = level.lanes.find(*lane);
        if (found == level.lanes.end()) {
            auto made = std::make_unique<fair_lane>();
            made->key = *lane;
            made->turn = level.turns.insert(level.turns.end(), made.get());
            const std::string_view key = made->key;
            found = level.lanes.emplace(key, std::move(made)).first;
        }
        found->second->nodes.push_back(n);
        n.lane = found->second.get();
    }
    level.order.push_back(n);
    n.level = &level;
    ++level.counters.depth;
    ++size_;
}

KCONTROL_DECL void ready_levels::erase(queue_node& n, bool turn) {
    ready_level& level = *n.level;
    level.order.erase(n);
    if (fair_lane* const lane = n.lane) {
        lane->nodes.erase(n);
        n.lane = nullptr;
        if (lane->nodes.empty()) {
            level.turns.erase(lane->turn);
            level.lanes.erase(level.lanes.find(lane->key));
        } else if (turn) {
            level.turns.splice(level.turns.end(), level.turns, lane->turn);
        }
    }
    n.level = nullptr;
    --size_;
    if (--level.counters.depth == 0 && level.counters.others) drop_level(level);
}

KCONTROL_DECL queue_node* ready_levels::choose(time_point now, admission let) {
    ready_level* due = nullptr;
    ready_level* starved = nullptr;
    for (const auto& level : levels_) {
        if (level->order.empty()) continue;
        if (!due && let.allows(work_class_of(level->priority()))) {
            due = level.get();
            continue;
        }
        const time_point since = level->order.front()->ready_since;
        if (starvation_limit_ <= duration::zero() || now - since < starvation_limit_) continue;
        if (!starved || since < starved->order.front()->ready_since) starved = level.get();
    }
    if (starved && (!due || ++passed_over_ >= starved_share)) {
        passed_over_ = 0;
        return starved->order.front();
    }
    if (!due) return nullptr;
    return due->turns.empty() ? due->order.front() : due->turns.front()->nodes.front();
}

KCONTROL_DECL std::optional<time_point> ready_levels::next_starved(admission let) const {
    std::optional<time_point> first;
    if (starvation_limit_ <= duration::zero()) return first;
    for (const auto& level : levels_) {
        if (level->order.empty() || let.allows(work_class_of(level->priority()))) continue;
        const time_point when = level->order.front()->ready_since + starvation_limit_;
        if (!first || when < *first) first = when;
    }
    return first;
}

KCONTROL_DECL void ready_levels::clear() {
    for (const auto& level : levels_) {
        for (queue_node* n = level->order.front(); n != nullptr;) {
            queue_node* const next = level->order.next(*n);
            n->order = n->in_lane = node_links{};
            n->level = nullptr;
            n->lane = nullptr;
            n = next;
        }
        level->order.clear();
        level->turns.clear();
        level->lanes.clear();
        level->counters.depth = 0;
    }
    for (const auto& level : levels_) {
        if (!level->counters.others) continue;
        others_.adds += level->counters.adds;
        others_.retries += level->counters.retries;
    }
    std::erase_if(levels_, [](const auto& level) { return level->counters.others; });
    last_used_ = nullptr;
    size_ = 0;
    passed_over_ = 0;
}

KCONTROL_DECL std::vector<priority_counters> ready_levels::counters() const {
    std::vector<priority_counters> out;
    priority_counters others = others_;
    others.others = true;
    for (const auto& level : levels_) {
        const priority_counters& of = level->counters;
        if (!of.others) {
            out.push_back(of);
            continue;
        }
        others.depth += of.depth;
        others.adds += of.adds;
        others.retries += of.retries;
    }
    if (others.depth + others.adds + others.retries != 0) out.push_back(others);
    return out;
}

inline ready_level* ready_levels::find(int priority) noexcept {
    if (last_used_ && last_used_->priority() == priority) return last_used_;
    const auto at = std::lower_bound(levels_.begin(), levels_.end(), priority,
                                     [](const auto& level, int p) { return level->priority() > p; });
    if (at == levels_.end() || (*at)->priority() != priority) return nullptr;
    return last_used_ = at->get();
}

inline ready_level& ready_levels::level_of(int priority) {
    if (ready_level* const there = find(priority)) return *there;
    auto made = std::make_unique<ready_level>(priority);
    made->counters.others = counted_ == counted_levels;
    const auto at = std::lower_bound(levels_.begin(), levels_.end(), priority,
                                     [](const auto& level, int p) { return level->priority() > p; });
    last_used_ = levels_.insert(at, std::move(made))->get();
    if (!last_used_->counters.others) ++counted_;
    return *last_used_;
}

// A level that is not counted by itself is there while it has nodes.
inline priority_counters& ready_levels::counters_of(int priority) {
    if (ready_level* const there = find(priority)) return there->counters;
    return counted_ < counted_levels ? level_of(priority).counters : others_;
}

inline void ready_levels::drop_level(ready_level& l) {
    others_.adds += l.counters.adds;
    others_.retries += l.counters.retries;
    if (last_used_ == &l) last_used_ = nullptr;
    std::erase_if(levels_, [&l](const auto& level) { return level.get() == &l; });
}

}  // namespace kcontrol::detail
