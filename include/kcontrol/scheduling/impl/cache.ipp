#pragma once

#include <kcontrol/scheduling/cache.hpp>
#include <kcontrol/scheduling/impl/has_ended.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

// So many topologies that no pod needs are kept for the next pod that does.
inline constexpr std::size_t spare_topologies = 16;

// The labels that terms of affinity look at.
template <class F>
void for_each_affinity_key(const pod_info& pod, F&& f) {
    if (!pod.has_pod_affinity()) return;
    const auto& terms = pod.terms();
    for (const auto& one : terms.affinity) f(one.topology_key);
    for (const auto& one : terms.anti_affinity) f(one.topology_key);
    for (const auto& one : terms.preferred_affinity) f(one.term.topology_key);
    for (const auto& one : terms.preferred_anti_affinity) f(one.term.topology_key);
}

// What kube-scheduler calls a zone: of a region, and by the old labels as well.
inline std::string zone_of(const node_info& node) {
    const auto label = [&](std::string_view key, std::string_view old_key) -> std::string_view {
        const text* value = node.label(key);
        if (value == nullptr) value = node.label(old_key);
        return value == nullptr ? std::string_view() : value->view();
    };
    std::string out(label("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"));
    out += '\0';
    out += label("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone");
    return out;
}

// The pod as it will be when the binding has added these annotations.
inline std::shared_ptr<const pod_info> annotated_pod(std::shared_ptr<const pod_info> pod,
                                                     const dict<text>& annotations) {
    auto made = std::make_shared<api::core::v1::pod>(pod->pod());
    for (const auto& [key, value] : annotations) made->metadata.annotations[key] = value;
    return std::make_shared<const pod_info>(std::move(made));
}

inline void set_listed(std::vector<const node_info*>& in, const node_info& node, bool is_listed) {
    const auto found = std::find(in.begin(), in.end(), &node);
    if (is_listed == (found != in.end())) return;
    if (is_listed) {
        in.push_back(&node);
    } else {
        *found = in.back();
        in.pop_back();
    }
}

}  // namespace detail

KCONTROL_DECL cache::cache(change_function on_change) : on_change_(std::move(on_change)) {}
KCONTROL_DECL cache::~cache() = default;

// Decisions.

KCONTROL_DECL const snapshot& cache::prepare(const pod_info& pod, const std::vector<interned_name>& labels) {
    if (!is_ordered_) order_nodes();
    ++asked_;
    const auto ask = [&](const interned_name& key) { topology_of(key); };
    detail::for_each_affinity_key(pod, ask);
    for (const auto& one : pod.terms().spread) ask(one.topology_key);
    for (const auto& key : labels) ask(key);
    drop_topologies();
    return snapshot_;
}

KCONTROL_DECL assumption cache::assume(std::shared_ptr<const pod_info> pod, std::string_view node,
                                       dict<text> annotations) {
    assumption out;
    if (snapshot_.find(node) == nullptr) return out;
    if (record* const known = find(*pod)) {
        if (known->pod->uid() == pod->uid()) return out;
        remove(*known);  // a pod of that name which is deleted: this one could not exist otherwise
    }
    if (!annotations.empty()) pod = detail::annotated_pod(std::move(pod), annotations);
    out.pod_ = pod;
    out.number_ = ++assumptions_;
    record& made = insert(std::move(pod), node);
    set_assumed(made, true);
    made.assumption = out.number_;
    if (!annotations.empty()) made.annotations = std::make_unique<const dict<text>>(std::move(annotations));
    return out;
}

KCONTROL_DECL bool cache::confirm(const assumption& of) {
    record* const known = find(of);
    if (known != nullptr) known->is_bound = true;
    return known != nullptr;
}

KCONTROL_DECL bool cache::forget(const assumption& of) {
    record* const known = find(of);
    if (known == nullptr || known->is_bound) return false;
    remove(*known);
    return true;
}

KCONTROL_DECL bool cache::roll_back(const assumption& of) {
    record* const known = find(of);
    if (known == nullptr || known->is_bound) return false;
    erase(*known);
    return true;
}

KCONTROL_DECL pod_change cache::settle(const assumption& of, std::shared_ptr<const pod_info> read) {
    record* const known = find(of);
    if (known == nullptr || known->pod->uid() != read->uid()) return pod_change::none;
    const std::string_view node = read->pod().spec.node_name;
    if (detail::has_ended(read->pod()) || (node.empty() && !known->is_bound)) {
        remove(*known);
        return pod_change::removed;
    }
    if (node.empty()) return pod_change::updated;  // read before it was bound
    known->is_bound = known->is_read = true;
    const bool is_same = known->on->name() == node;
    const auto before = known->shared;
    replace(*known, std::move(read));
    if (is_same) return pod_change::updated;
    move_to(*known, known->pod->pod().spec.node_name);
    report(before, nullptr);
    return pod_change::moved;
}

// Events of pods.

KCONTROL_DECL pod_change cache::set_pod(std::shared_ptr<const pod_info> pod) {
    const std::string_view node = pod->pod().spec.node_name;
    const bool ended = detail::has_ended(pod->pod());
    record* known = find(*pod);
    const bool is_other = known != nullptr && known->pod->uid() != pod->uid();
    if (is_other) {
        remove(*known);
        known = nullptr;
    }
    if (known == nullptr) {
        if (ended || node.empty()) return is_other ? pod_change::removed : pod_change::none;
        insert(pod, node);
        report(nullptr, std::move(pod));
        return pod_change::placed;
    }
    if (ended || (node.empty() && !known->is_assumed)) {
        remove(*known);
        return pod_change::removed;
    }
    if (node.empty()) {
        if (known->is_read) return pod_change::updated;  // it is older than what was read
        if (known->annotations != nullptr) pod = detail::annotated_pod(std::move(pod), *known->annotations);
        replace(*known, std::move(pod));
        return pod_change::updated;
    }
    const bool is_same = known->on->name() == node;
    const bool was_assumed = known->is_assumed;
    const auto before = known->shared;
    replace(*known, pod);
    set_assumed(*known, false);
    if (!is_same) {
        move_to(*known, node);
        report(before, nullptr);
        report(nullptr, std::move(pod));
        return pod_change::moved;
    }
    report(was_assumed ? nullptr : before, std::move(pod));
    return was_assumed ? pod_change::confirmed : pod_change::updated;
}

KCONTROL_DECL pod_change cache::remove_pod(std::string_view namespace_, std::string_view name, std::string_view uid) {
    record* const known = snapshot_.records_.find(namespace_, name);
    if (known == nullptr || known->pod->uid() != uid) return pod_change::none;
    remove(*known);
    return pod_change::removed;
}

KCONTROL_DECL void cache::report(std::shared_ptr<const pod_info> before, std::shared_ptr<const pod_info> after) const {
    if (on_change_) on_change_({std::move(before), std::move(after)});
}

KCONTROL_DECL void cache::remove(record& pod) {
    auto before = pod.shared;
    erase(pod);
    report(std::move(before), nullptr);
}

KCONTROL_DECL cache::record* cache::find(const assumption& of) const {
    if (!of) return nullptr;
    record* const known = find(*of.pod_);
    return known != nullptr && known->assumption == of.number_ ? known : nullptr;
}

KCONTROL_DECL cache::record* cache::find(const pod_info& pod) const {
    return snapshot_.records_.find(pod.namespace_(), pod.name());
}

KCONTROL_DECL cache::record& cache::insert(std::shared_ptr<const pod_info> pod, std::string_view node) {
    auto made = std::make_unique<record>();
    made->pod = pod.get();
    made->shared = std::move(pod);
    record& out = snapshot_.records_.insert(std::move(made));
    auto& all = snapshot_.pods_of_namespace_.try_emplace(std::string(out.pod->namespace_())).first->second;
    out.place_in_namespace = all.size();
    all.push_back(&out);
    place(out, node_for(node));
    return out;
}

KCONTROL_DECL void cache::erase(record& pod) {
    set_assumed(pod, false);
    displace(pod);
    const auto found = snapshot_.pods_of_namespace_.find(pod.pod->namespace_());
    auto& all = found->second;
    // The last one takes its place. Records are ours to change; readers see them as const.
    auto* const last = static_cast<record*>(const_cast<placed_pod*>(all.back()));
    last->place_in_namespace = pod.place_in_namespace;
    all[pod.place_in_namespace] = last;
    all.pop_back();
    if (all.empty()) snapshot_.pods_of_namespace_.erase(found);
    snapshot_.records_.erase(pod);
}

KCONTROL_DECL void cache::set_assumed(record& pod, bool is_assumed) {
    if (pod.is_assumed == is_assumed) return;
    pod.is_assumed = is_assumed;
    pod.is_bound = pod.is_read = false;
    pod.assumption = 0;
    pod.annotations = nullptr;
    assumed_count_ = is_assumed ? assumed_count_ + 1 : assumed_count_ - 1;
}

KCONTROL_DECL void cache::place(record& pod, node_info& on) {
    pod.on = &on;
    pod.node = &on;
    on.add(*pod.pod);
    count_topologies(*pod.pod, true);
    if (pod.pod->has_pod_affinity()) list_affinity(on);
}

KCONTROL_DECL void cache::displace(record& pod) {
    node_info& on = *pod.on;
    on.remove(*pod.pod);
    count_topologies(*pod.pod, false);
    if (pod.pod->has_pod_affinity()) list_affinity(on);
    release_node(on);
}

KCONTROL_DECL void cache::replace(record& pod, std::shared_ptr<const pod_info> by) {
    node_info& on = *pod.on;
    on.remove(*pod.pod);
    count_topologies(*pod.pod, false);
    // The old version lives until nothing points to it.
    const auto before = std::exchange(pod.shared, std::move(by));
    pod.pod = pod.shared.get();
    place(pod, on);
    if (before->has_pod_affinity()) list_affinity(on);
}

KCONTROL_DECL void cache::move_to(record& pod, std::string_view node) {
    node_info& on = node_for(node);
    displace(pod);
    place(pod, on);
}

// Nodes.

KCONTROL_DECL node_info& cache::node_for(std::string_view name) {
    const auto found = snapshot_.slot_of_node_.find(name);
    if (found != snapshot_.slot_of_node_.end()) return *snapshot_.slots_[found->second];
    std::size_t slot = snapshot_.slots_.size();
    if (free_slots_.empty()) {
        snapshot_.slots_.emplace_back();
    } else {
        slot = free_slots_.back();
        free_slots_.pop_back();
    }
    auto made = std::make_unique<node_info>(std::string(name));
    made->slot_ = slot;
    snapshot_.slots_[slot] = std::move(made);
    snapshot_.slot_of_node_.emplace(std::string(name), slot);
    return *snapshot_.slots_[slot];
}

KCONTROL_DECL void cache::set_node(std::shared_ptr<const api::core::v1::node> node) {
    node_info& known = node_for(node->metadata.name);
    const bool is_new = !known.exists();
    const std::string zone = is_new ? std::string() : detail::zone_of(known);
    if (!is_new) count_images(known, false);
    known.set_node(std::move(node));
    count_images(known, true);
    for (auto& [key, one] : snapshot_.topologies_) one.value->set(known);
    if (is_new) {
        snapshot_.nodes_.push_back(&known);
        list_affinity(known);
    }
    if (is_new || zone != detail::zone_of(known)) is_ordered_ = false;
}

KCONTROL_DECL void cache::remove_node(std::string_view name) {
    const auto found = snapshot_.slot_of_node_.find(name);
    if (found == snapshot_.slot_of_node_.end() || !snapshot_.slots_[found->second]->exists()) return;
    node_info& known = *snapshot_.slots_[found->second];
    for (auto& [key, one] : snapshot_.topologies_) one.value->remove(known);
    count_images(known, false);
    snapshot_.nodes_.erase(std::find(snapshot_.nodes_.begin(), snapshot_.nodes_.end(), &known));
    is_ordered_ = false;
    known.set_node(nullptr);
    list_affinity(known);
    release_node(known);
}

KCONTROL_DECL void cache::release_node(node_info& node) {
    if (node.exists() || !node.pods().empty()) return;
    const std::size_t slot = node.slot();
    snapshot_.slot_of_node_.erase(snapshot_.slot_of_node_.find(node.name()));
    snapshot_.slots_[slot] = nullptr;
    free_slots_.push_back(slot);
}

KCONTROL_DECL void cache::list_affinity(const node_info& node) {
    detail::set_listed(snapshot_.nodes_with_affinity_, node, node.exists() && !node.pods_with_affinity().empty());
    detail::set_listed(snapshot_.nodes_with_required_anti_affinity_, node,
                       node.exists() && !node.pods_with_required_anti_affinity().empty());
}

KCONTROL_DECL void cache::count_images(const node_info& node, bool add) {
    for (const auto& one : node.images_) {
        const auto found = snapshot_.nodes_of_image_.try_emplace(one.name, 0).first;
        if (add) {
            ++found->second;
        } else if (--found->second == 0) {
            snapshot_.nodes_of_image_.erase(found);
        }
    }
}

// Zones alternate, in the order in which the first node of each came; so do the nodes of a zone.
KCONTROL_DECL void cache::order_nodes() {
    is_ordered_ = true;
    std::unordered_map<std::string, std::size_t> number_of_zone;
    std::vector<std::vector<const node_info*>> zones;
    for (std::size_t slot = 0; slot < snapshot_.slots(); ++slot) {
        const node_info* const node = snapshot_.at(slot);
        if (node == nullptr) continue;
        const auto [zone, is_new] = number_of_zone.try_emplace(detail::zone_of(*node), zones.size());
        if (is_new) zones.emplace_back();
        zones[zone->second].push_back(node);
    }
    snapshot_.nodes_.clear();
    for (std::size_t place = 0, before = 1; before > 0; ++place) {
        before = 0;
        for (const auto& zone : zones) {
            if (place >= zone.size()) continue;
            snapshot_.nodes_.push_back(zone[place]);
            ++before;
        }
    }
}

// Labels.

KCONTROL_DECL topology& cache::topology_of(const interned_name& key) {
    auto& known = snapshot_.topologies_[key];
    known.last_asked = asked_;
    if (known.value == nullptr) {
        known.value = std::make_unique<topology>(key);
        for (const auto* node : snapshot_.nodes_) known.value->set(*node);
    }
    return *known.value;
}

KCONTROL_DECL void cache::count_topologies(const pod_info& pod, bool add) {
    detail::for_each_affinity_key(pod, [&](const interned_name& key) {
        topology_of(key);
        auto& uses = snapshot_.topologies_.find(key)->second.uses;
        uses = add ? uses + 1 : uses - 1;
    });
}

KCONTROL_DECL void cache::drop_topologies() {
    auto& all = snapshot_.topologies_;
    while (all.size() > detail::spare_topologies) {
        auto oldest = all.end();
        std::size_t spare = 0;
        for (auto one = all.begin(); one != all.end(); ++one) {
            if (one->second.uses > 0 || one->second.last_asked == asked_) continue;
            ++spare;
            if (oldest == all.end() || one->second.last_asked < oldest->second.last_asked) oldest = one;
        }
        if (spare <= detail::spare_topologies) return;
        all.erase(oldest);
    }
}

KCONTROL_DECL void cache::set_namespace(std::shared_ptr<const api::core::v1::namespace_> object) {
    const std::string name = object->metadata.name;
    snapshot_.namespaces_.insert_or_assign(name, std::move(object));
}

KCONTROL_DECL void cache::remove_namespace(std::string_view name) {
    const auto found = snapshot_.namespaces_.find(name);
    if (found != snapshot_.namespaces_.end()) snapshot_.namespaces_.erase(found);
}

}  // namespace kcontrol::scheduling
