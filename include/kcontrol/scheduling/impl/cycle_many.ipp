#pragma once

// Decisions about gangs, and explanations of all nodes.
#include <kcontrol/scheduling/cycle.hpp>
#include <kcontrol/scheduling/impl/cycle_workspace.hpp>
#include <kcontrol/scheduling/impl/gang_members.hpp>
#include <kcontrol/scheduling/trial.hpp>

#include <algorithm>
#include <limits>

namespace kcontrol::inline v0_1::scheduling {

// Gangs.

KCONTROL_DECL gang_decision cycle::decide_gang(cache& cluster, std::span<const std::shared_ptr<const pod_info>> members,
                                               std::int32_t needed, const nominations& nominated) {
    auto& work = *work_;
    std::vector<std::vector<char>> within;  // by slot; the first that works is taken
    for (std::size_t i = 0; i < profile_->size() && within.empty(); ++i) {
        const auto& one = profile_->at(i);
        if (one.thunks_->generate_placements == nullptr) continue;
        const snapshot& nodes = cluster.prepare(*members.front(), profile_->labels());
        work.limited_by = i;
        const auto ask = [&] {
            for (const auto& set : one.thunks_->generate_placements(one.object_.get(), members, needed, nodes)) {
                auto& slots = within.emplace_back(nodes.slots());
                for (const node_info* node : set) slots[node->slot()] = 1;
            }
            return status();
        };
        auto said = detail::call_plugin(one.name(), plugin_point::generate_placements, work.observer, ask);
        if (!said.ok()) {
            gang_decision failed;
            for (const auto& pod : members) failed.members.push_back({pod, {}, std::nullopt});
            for (auto& member : failed.members) fail(member.decided, i, plugin_point::generate_placements, said);
            failed.misfit = &failed.members.front().decided;
            return failed;
        }
    }
    gang_decision best;
    for (std::size_t i = 0; i < std::max<std::size_t>(within.size(), 1); ++i) {
        if (!within.empty()) work.within = std::move(within[i]);
        auto tried = try_gang(cluster, members, needed, nominated);
        const bool is_placed = tried.placed;
        if (i == 0 || is_placed || tried.fitting > best.fitting) best = std::move(tried);
        if (is_placed) break;
    }
    work.within.clear();
    return best;
}

KCONTROL_DECL gang_decision cycle::try_gang(cache& cluster, std::span<const std::shared_ptr<const pod_info>> members,
                                            std::int32_t needed, const nominations& nominated) {
    gang_decision out;
    out.members.reserve(members.size());
    trial attempt(cluster);
    const workspace::fixed_choice choice(*work_, options_.seed());
    const pod_info* refused = nullptr;  // the last one, if nothing was placed since
    for (const auto& pod : members) {
        auto& one = out.members.emplace_back();
        one.pod = pod;
        if (refused != nullptr && detail::asks_the_same(*refused, *pod)) {
            one.decided = out.members[out.members.size() - 2].decided;
            continue;
        }
        const snapshot& nodes = cluster.prepare(*pod, profile_->labels());
        one.decided = decide(nodes, *pod, nominated);
        refused = pod.get();
        if (!one.decided.placed()) continue;
        one.reserved = reserve(nodes, pod, one.decided);
        if (!one.reserved) continue;
        attempt.place(detail::with_annotations(pod, one.reserved->annotations()), one.decided.node);
        refused = nullptr;
        ++out.fitting;
    }
    const auto misfit = std::find_if(out.members.begin(), out.members.end(),
                                     [](const gang_member_decision& one) { return !one.decided.placed(); });
    if (misfit != out.members.end()) out.misfit = &misfit->decided;
    out.placed = out.fitting >= needed && out.fitting > 0;
    for (auto one = out.members.rbegin(); !out.placed && one != out.members.rend(); ++one) {
        if (one->reserved) profile_->unreserve(*one->reserved, work_->observer);
        one->reserved = std::nullopt;
    }
    return out;
}

// Explanations.

KCONTROL_DECL explanation cycle::explain(const snapshot& nodes, const pod_info& pod, const nominations& nominated) {
    explanation out;
    auto& work = *work_;
    const workspace::fixed_choice choice(work, options_.seed());
    auto& decided = out.decided;
    if (!start(nodes, pod, nominated, decided)) {
        if (decided.result == decision_result::error) return out;
        for (const auto* node : nodes.nodes()) {
            out.nodes.push_back(
                {std::string(node->name()), decided.pod_refused.plugin, decided.pod_refused.answer, 0, {}});
        }
        return out;
    }
    const auto& all = work.is_named ? work.named : nodes.nodes();
    if (!filter_nodes(all, 0, std::numeric_limits<std::size_t>::max(), pod, decided)) return out;
    std::vector<node_explanation> feasible(work.feasible.size());
    if (!feasible.empty() && !score_nodes(nodes, pod, decided, &feasible)) return out;
    for (std::size_t i = 0; i < feasible.size(); ++i) {
        feasible[i].node = work.feasible[i]->name();
        feasible[i].score = work.sums[i];
    }
    decided.feasible = feasible.size();
    if (work.is_named && feasible.empty()) refuse_unnamed(nodes, decided);
    explain_nodes(nodes, std::move(feasible), out);
    if (decided.feasible > 0) {
        const std::size_t best = best_of_sums(decided);
        decided.result = decision_result::scheduled;
        decided.node = work.feasible[best]->name();
    }
    return out;
}

KCONTROL_DECL void cycle::explain_nodes(const snapshot& nodes, std::vector<node_explanation> feasible,
                                        explanation& to) const {
    const auto& work = *work_;
    std::vector<node_explanation> by_slot(nodes.slots());
    for (auto& one : feasible) by_slot[nodes.find(one.node)->slot()] = std::move(one);
    for (const auto& one : work.of_nodes) {
        by_slot[one.node->slot()] = {std::string(one.node->name()), profile_->at(one.plugin).name(), one.answer, 0, {}};
    }
    std::vector<std::string_view> namers;
    for (const auto i : work.namers) namers.push_back(profile_->at(i).name());
    for (const auto* node : nodes.nodes()) {
        auto& one = by_slot[node->slot()];
        if (one.node.empty()) one = {std::string(node->name()), namers.front(), not_named_by(namers), 0, {}};
        to.nodes.push_back(std::move(one));
    }
}

}  // namespace kcontrol::scheduling
