#include "testserver/garbage_collector.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

collector_action action_on(const graph_node& node, collector_action::kind what) {
    collector_action out;
    out.what = what;
    out.id = node.id;
    out.key = node.key;
    out.uid = node.uid;
    return out;
}

const owner_link* link_to(const graph_node& node, const std::string& uid) {
    const auto is_it = [&uid](const owner_link& link) { return link.uid == uid; };
    const auto found = std::find_if(node.owners.begin(), node.owners.end(), is_it);
    return found == node.owners.end() ? nullptr : &*found;
}

}  // namespace
}  // namespace detail

void garbage_collector::on_observed(graph_node node) {
    const std::string uid = node.uid;
    const auto known = nodes_.find(uid);
    const bool is_new = known == nodes_.end();
    const bool began = node.deleting && (is_new || !known->second.deleting || known->second.waits != node.waits ||
                                         known->second.orphans != node.orphans);
    if (!is_new) {
        for (const auto& link : known->second.owners) {
            dependents_[link.uid].erase(uid);
            // Who no longer has this dependent may have waited for it.
            if (detail::link_to(node, link.uid) == nullptr || link.blocks) touch(link.uid);
        }
    }
    for (const auto& link : node.owners) dependents_[link.uid].insert(uid);
    nodes_[uid] = std::move(node);
    touch(uid);
    if (is_new || began) touch_dependents(uid);
}

void garbage_collector::on_deleted(const std::string& uid) {
    const auto known = nodes_.find(uid);
    if (known == nodes_.end()) return;
    for (const auto& link : known->second.owners) {
        dependents_[link.uid].erase(uid);
        touch(link.uid);
    }
    nodes_.erase(known);
    reported_.erase(uid);
    touch_dependents(uid);
}

std::optional<collector_action> garbage_collector::next() {
    while (!queue_.empty()) {
        const std::string uid = std::move(queue_.front());
        queue_.pop_front();
        queued_.erase(uid);
        const auto found = nodes_.find(uid);
        if (found == nodes_.end()) continue;
        if (auto report = report_foreign_owners(found->second)) {
            touch(uid);  // it is judged after that
            return report;
        }
        if (auto action = judge(found->second)) return action;
    }
    return std::nullopt;
}

void garbage_collector::clear() {
    nodes_.clear();
    dependents_.clear();
    queue_.clear();
    queued_.clear();
    reported_.clear();
}

void garbage_collector::touch(const std::string& uid) {
    if (nodes_.contains(uid) && queued_.insert(uid).second) queue_.push_back(uid);
}

void garbage_collector::touch_dependents(const std::string& uid) {
    const auto found = dependents_.find(uid);
    if (found == dependents_.end()) return;
    for (const auto& dependent : found->second) touch(dependent);
}

// A reference means the object of that kind and name in the dependent's own namespace, or in none.
garbage_collector::owner_state garbage_collector::state_of(const graph_node& dependent, const owner_link& link) const {
    const auto found = nodes_.find(link.uid);
    if (found == nodes_.end()) return owner_state::absent;
    const graph_node& owner = found->second;
    const bool reachable = owner.key.namespace_.empty() || owner.key.namespace_ == dependent.key.namespace_;
    if (!reachable || owner.kind != link.kind || owner.key.name != link.name) return owner_state::absent;
    return owner.deleting && owner.waits ? owner_state::waiting : owner_state::solid;
}

std::vector<const graph_node*> garbage_collector::dependents_of(const graph_node& owner) const {
    std::vector<const graph_node*> out;
    const auto found = dependents_.find(owner.uid);
    if (found == dependents_.end()) return out;
    for (const auto& uid : found->second) {
        const auto node = nodes_.find(uid);
        if (node != nodes_.end()) out.push_back(&node->second);
    }
    return out;
}

std::optional<collector_action> garbage_collector::judge(const graph_node& node) {
    if (node.deleting && node.orphans) return judge_orphaning(node);
    if (node.deleting && node.waits) {
        for (const graph_node* dependent : dependents_of(node)) {
            const owner_link* link = detail::link_to(*dependent, node.uid);
            if (link != nullptr && link->blocks && state_of(*dependent, *link) != owner_state::absent) {
                return std::nullopt;  // its own turn comes
            }
        }
        auto action = detail::action_on(node, collector_action::kind::drop_finalizer);
        action.finalizer = foreground_finalizer;
        return action;
    }
    if (node.deleting || node.owners.empty()) return std::nullopt;
    return judge_owned(node);
}

// A namespaced owner owns what is in its namespace. References from elsewhere, or from objects of no namespace, are
// reported once.
std::optional<collector_action> garbage_collector::report_foreign_owners(const graph_node& node) {
    auto action = detail::action_on(node, collector_action::kind::report_owners);
    for (const auto& link : node.owners) {
        const auto owner = nodes_.find(link.uid);
        if (owner == nodes_.end() || owner->second.key.namespace_.empty()) continue;
        if (owner->second.key.namespace_ == node.key.namespace_) continue;
        if (reported_[node.uid].insert(link.uid).second) action.uids.insert(link.uid);
    }
    if (action.uids.empty()) return std::nullopt;
    return action;
}

std::optional<collector_action> garbage_collector::judge_orphaning(const graph_node& node) {
    for (const graph_node* dependent : dependents_of(node)) {
        auto action = detail::action_on(*dependent, collector_action::kind::drop_owners);
        action.uids = {node.uid};
        return action;  // when it has changed, the next one's turn comes
    }
    auto action = detail::action_on(node, collector_action::kind::drop_finalizer);
    action.finalizer = orphan_finalizer;
    return action;
}

std::optional<collector_action> garbage_collector::judge_owned(const graph_node& node) const {
    std::set<std::string> absent, waiting;
    bool solid = false;
    for (const auto& link : node.owners) {
        if (!link.resolvable) return std::nullopt;  // nobody can say whether the owner is there
        const owner_state state = state_of(node, link);
        solid = solid || state == owner_state::solid;
        if (state == owner_state::absent) absent.insert(link.uid);
        if (state == owner_state::waiting) waiting.insert(link.uid);
    }
    if (solid) {
        if (absent.empty() && waiting.empty()) return std::nullopt;
        auto action = detail::action_on(node, collector_action::kind::drop_owners);
        action.uids = std::move(absent);
        action.uids.merge(waiting);
        return action;
    }
    auto action = detail::action_on(node, collector_action::kind::remove);
    const auto dependents = dependents_of(node);
    if (!waiting.empty() && !dependents.empty()) {
        const auto waits = [](const graph_node* dependent) { return dependent->deleting && dependent->waits; };
        const auto blocks = [](const owner_link& link) { return link.blocks; };
        // Two that wait for each other would wait for ever.
        if (std::any_of(dependents.begin(), dependents.end(), waits) &&
            std::any_of(node.owners.begin(), node.owners.end(), blocks)) {
            action.what = collector_action::kind::unblock;
        }
        action.policy = propagation::foreground;
    } else if (node.orphans) {
        action.policy = propagation::orphan;
    } else if (node.waits) {
        action.policy = propagation::foreground;
    }
    return action;
}

}  // namespace kcontrol::testing
