#pragma once

// Decisions beside places that are kept for other pods.
#include <kcontrol/scheduling/cycle.hpp>
#include <kcontrol/scheduling/impl/cycle_workspace.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling {

// Finds the places that are kept from the pod. Terms of affinity and of spreading look at other nodes: where there are
// any, all places count on each node. kube-scheduler counts those of the node itself; then a pod elsewhere in the zone
// takes the place, is evicted in its turn, and so on.
KCONTROL_DECL void cycle::mark_nominated(const snapshot& nodes, const pod_info& pod, const nominations& nominated) {
    auto& work = *work_;
    work.kept.clear();
    work.kept_everywhere = false;
    work.guarded.clear();
    if (nominated.empty()) return;
    work.has_nominated.assign(nodes.slots(), 0);
    const auto has_terms = [](const pod_info& of) { return of.has_pod_affinity() || !of.terms().spread.empty(); };
    for (const auto& [name, all] : nominated.by_node_) {
        const node_info* const node = nodes.find(name);
        if (node == nullptr) continue;
        for (const auto* one : all) {
            if (!is_kept_from(nodes, pod, *one)) continue;
            work.kept.push_back({one->pod.get(), node, std::max(one->against, one->pod->priority())});
            work.has_nominated[node->slot()] = 1;
            work.kept_everywhere |= has_terms(pod) || has_terms(*one->pod);
        }
    }
    guard_places(nodes, pod, nominated);
}

// Whether the nominated pod counts beside the pod. In a trial it may be placed already.
KCONTROL_DECL bool cycle::is_kept_from(const snapshot& nodes, const pod_info& pod, const nomination& place) {
    return place.pod->uid() != pod.uid() && std::max(place.against, place.pod->priority()) >= pod.priority() &&
           nodes.find_pod(place.pod->namespace_(), place.pod->name()) == nullptr;
}

// A pod that is kept a place may be spread by constraints that count the pod, which need not have any itself. Then the
// pod would take the place from another node of the zone. kube-scheduler lets it.
KCONTROL_DECL void cycle::guard_places(const snapshot& nodes, const pod_info& pod, const nominations& nominated) {
    auto& work = *work_;
    const auto counts_it = [&](const pod_info& kept) {
        return kept.namespace_() == pod.namespace_() &&
               std::any_of(kept.terms().spread.begin(), kept.terms().spread.end(), [&](const spread_constraint& rule) {
                   return rule.is_required && rule.selector.selects(pod.pod().metadata);
               });
    };
    for (const auto& place : work.kept) {
        if (!counts_it(*place.pod)) continue;
        workspace::guarded_place one{place, *profile_, work, nodes};
        for (const auto* placed : nodes.pods_in(place.pod->namespace_())) {
            if (placed->node->exists() && nominated.is_leaving(*placed->pod)) {
                one.change(*placed->pod, *placed->node, false);
            }
        }
        for (const auto& other : work.kept) {
            if (other.pod != place.pod && other.against >= place.pod->priority()) {
                one.change(*other.pod, *other.node, true);
            }
        }
        if (one.fits(work.one)) work.guarded.push_back(std::move(one));  // else it is lost already
    }
}

// Takes out of the block the nodes where the pod would take a guarded place.
KCONTROL_DECL void cycle::refuse_spoilers(const pod_info& pod) {
    auto& work = *work_;
    std::erase_if(work.block.nodes, [&](const node_info* node) {
        for (auto& place : work.guarded) {
            place.change(pod, *node, true);
            const bool fits = place.fits(work.one);
            place.change(pod, *node, false);
            if (fits) continue;
            work.one.refused.back().node = node;
            work.block.refused.push_back(std::move(work.one.refused.back()));
            return true;
        }
        return false;
    });
}

KCONTROL_DECL bool cycle::try_nominated_node(const snapshot& nodes, const pod_info& pod, const nominations& nominated,
                                             decision& to) {
    const auto* const place = nominated.find(pod.namespace_(), pod.name());
    const std::string_view name =
        place != nullptr && place->pod->uid() == pod.uid() ? place->node : pod.pod().status.nominated_node_name.view();
    const node_info* const node = name.empty() ? nullptr : nodes.find(name);
    if (node == nullptr) return true;
    decision alone;
    const bool works = filter_nodes({node}, 0, 1, pod, alone);
    if (!works) {
        to.result = alone.result;
        to.pod_refused = std::move(alone.pod_refused);
    }
    work_->of_nodes.clear();
    if (!work_->feasible.empty()) to.evaluated = 1;
    return works;
}

// Whether the pod fits on the node beside the pods that a place is kept for there. If not, the block has the refusal.
KCONTROL_DECL bool cycle::fits_beside(const pod_info& pod, const node_info& node) {
    auto& work = *work_;
    node_info with = node;
    copy_states(work.tried);
    work.one.refused.clear();
    for (const auto& place : work.kept) {
        const bool is_here = place.node == &node;
        if (is_here) with.add(*place.pod);
        if (!change_states(pod, *place.pod, is_here ? with : *place.node, true)) break;
    }
    if (work.one.refused.empty()) {
        work.one.nodes.assign(1, &with);
        run_filters(pod, work.one, work.tried);
    }
    if (work.one.refused.empty()) return true;
    work.one.refused.back().node = &node;
    work.block.refused.push_back(std::move(work.one.refused.back()));
    return false;
}

KCONTROL_DECL void cycle::copy_states(detail::plugin_states& to) const {
    for (const auto i : work_->filters) {
        if (work_->uses_filter(i, to)) to.assign(i, work_->states);
    }
}

// A pod is put on a node of a dry run, or taken away, in `tried`. False: a plugin failed; `one` has its answer.
KCONTROL_DECL bool cycle::change_states(const pod_info& pod, const pod_info& other, const node_info& node, bool add) {
    auto& work = *work_;
    for (const auto i : work.filters) {
        if (!work.uses_filter(i, work.tried)) continue;
        const auto& one = profile_->at(i);
        const auto change = add ? one.thunks_->add_pod : one.thunks_->remove_pod;
        if (change == nullptr) continue;
        const auto call = [&] {
            change(one.object_.get(), work.tried.at(i), pod, other, node);
            return status();
        };
        auto said = detail::call_plugin(one.name(), plugin_point::pre_filter, nullptr, call);
        if (said.ok()) continue;
        work.one.refused.push_back({&node, std::move(said), i});
        return false;
    }
    return true;
}

}  // namespace kcontrol::scheduling
