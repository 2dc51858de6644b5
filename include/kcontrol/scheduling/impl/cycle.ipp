#pragma once

#include <kcontrol/scheduling/cycle.hpp>
#include <kcontrol/scheduling/impl/cycle_kept.ipp>
#include <kcontrol/scheduling/impl/cycle_many.ipp>
#include <kcontrol/scheduling/impl/cycle_workspace.hpp>
#include <kcontrol/scheduling/node_scores.hpp>

#include <algorithm>
#include <string>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL cycle::cycle(const profile& with, cycle_options options)
    : profile_(&with),
      options_(options),
      work_(std::make_unique<workspace>(with, options.observer(), options.seed())) {}
KCONTROL_DECL cycle::~cycle() = default;

KCONTROL_DECL const nominations& cycle::none() noexcept {
    static const nominations out;
    return out;
}

// One pod.

KCONTROL_DECL decision cycle::decide(const snapshot& nodes, const pod_info& pod, const nominations& nominated) {
    decision out;
    if (!start(nodes, pod, nominated, out)) return out;
    auto& work = *work_;
    if (!try_nominated_node(nodes, pod, nominated, out)) return out;
    if (work.feasible.empty()) {
        const auto& all = work.is_named ? work.named : nodes.nodes();
        const std::size_t wanted =
            work.scores_of.empty() ? 1 : nodes_to_find(all.size(), profile_->percentage_of_nodes_to_score());
        const std::size_t begin = work.next_start;
        if (!filter_nodes(all, begin, wanted, pod, out)) return out;
        work.next_start = (begin + out.evaluated) % nodes.nodes().size();
        if (work.is_named && work.feasible.empty()) refuse_unnamed(nodes, out);
    }
    out.feasible = work.feasible.size();
    if (work.feasible.empty()) return out;
    std::size_t best = 0;
    if (work.feasible.size() > 1 && !work.scores_of.empty()) {
        if (!score_nodes(nodes, pod, out, nullptr)) return out;
        best = best_of_sums(out);
    }
    out.result = decision_result::scheduled;
    out.node = work.feasible[best]->name();
    return out;
}

// What comes before the nodes. False: the pod is refused, or failed.
KCONTROL_DECL bool cycle::start(const snapshot& nodes, const pod_info& pod, const nominations& nominated,
                                decision& to) {
    auto& work = *work_;
    to.nodes = nodes.nodes().size();
    work.feasible.clear();
    work.of_nodes.clear();
    if (pod.invalid() != nullptr) {
        to.result = decision_result::error;
        to.pod_refused.answer = status::error(pod.invalid()->message());
        return false;
    }
    if (nodes.nodes().empty()) {
        for (const auto i : work.filters) to.rejected_by |= profile_->number_of(i);
        return false;
    }
    mark_nominated(nodes, pod, nominated);
    return pre_filter(nodes, pod, to);
}

KCONTROL_DECL void cycle::fail(decision& to, std::size_t plugin, plugin_point point, status said) const {
    const auto name = profile_->at(plugin).name();
    if (said.code() != status_code::error) said = detail::failed_answer(name, point, said);
    to.result = decision_result::error;
    to.pod_refused = {std::move(said), name, point};
}

KCONTROL_DECL bool cycle::pre_filter(const snapshot& nodes, const pod_info& pod, decision& to) {
    auto& work = *work_;
    work.is_named = false;
    work.named.clear();
    work.namers.clear();
    for (std::size_t i = 0; i < profile_->size(); ++i) {
        const auto& one = profile_->at(i);
        work.filter_uses[i] = workspace::filter_use::always;
        if (!one.has(plugin_point::pre_filter)) continue;
        pre_filter_result said;
        const auto ask = [&] {
            said = one.thunks_->pre_filter(one.object_.get(), work.states.at(i), pod, nodes);
            return said.answer();
        };
        auto answer = detail::call_plugin(one.name(), plugin_point::pre_filter, work.observer, ask);
        if (answer.is_skip()) {
            work.filter_uses[i] =
                one.thunks_->follows_after_skip ? workspace::filter_use::beside_others : workspace::filter_use::never;
        } else if (answer.is_rejected()) {
            to.rejected_by |= profile_->number_of(i);
            // One that evictions may help does not end it: the states of the others are needed to find that out.
            to.is_resolvable = answer.code() == status_code::unschedulable;
            to.pod_refused = {std::move(answer), one.name(), plugin_point::pre_filter};
            if (!to.is_resolvable) return false;
        } else if (!answer.ok()) {
            return fail(to, i, plugin_point::pre_filter, std::move(answer)), false;
        } else if (said.nodes()) {
            work.namers.push_back(i);
            name_nodes(*said.nodes());
            // One plugin that names nobody named nodes that are not there: each node is refused for not being named.
            if (work.named.empty() && work.namers.size() > 1) {
                std::vector<std::string_view> names;
                for (const auto namer : work.namers) {
                    names.push_back(profile_->at(namer).name());
                    to.rejected_by |= profile_->number_of(namer);
                }
                to.is_resolvable = false;
                to.pod_refused = {none_named_by(names), one.name(), plugin_point::pre_filter};
                return false;
            }
        }
    }
    return to.pod_refused.ok();
}

// The only nodes that can take the pod: those that all name which name any.
KCONTROL_DECL void cycle::name_nodes(const std::vector<const node_info*>& by) {
    auto& work = *work_;
    if (!work.is_named) {
        work.named = by;
    } else {
        std::erase_if(work.named, [&](const auto* node) { return std::find(by.begin(), by.end(), node) == by.end(); });
    }
    work.is_named = true;
}

// The reason for the nodes that were not looked at.
KCONTROL_DECL void cycle::refuse_unnamed(const snapshot& nodes, decision& to) const {
    const auto& work = *work_;
    std::vector<std::string_view> names;
    for (const auto namer : work.namers) {
        names.push_back(profile_->at(namer).name());
        to.rejected_by |= profile_->number_of(namer);
    }
    if (nodes.nodes().size() > work.named.size()) {
        to.refused.add(not_named_by(names), nodes.nodes().size() - work.named.size());
    }
}

// Looks for nodes that can take the pod, from `begin` on, until `wanted` are found. False: a plugin failed.
KCONTROL_DECL bool cycle::filter_nodes(const std::vector<const node_info*>& all, std::size_t begin, std::size_t wanted,
                                       const pod_info& pod, decision& to) {
    auto& work = *work_;
    auto& block = work.block;
    std::size_t place = all.empty() ? 0 : begin % all.size();
    std::size_t looked_at = 0;
    while (looked_at < all.size() && work.feasible.size() < wanted) {
        block.nodes.clear();
        block.refused.clear();
        // No more than could be wanted, so that no node is looked at in vain.
        const std::size_t size = std::min({wanted - work.feasible.size(), all.size() - looked_at, block_size});
        for (std::size_t i = 0; i < size; ++i) {
            const node_info* const node = all[place];
            place = place + 1 == all.size() ? 0 : place + 1;
            if (!work.within.empty() && work.within[node->slot()] == 0) {
                static const interned_name elsewhere("node(s) are not where the gang is tried");
                block.refused.push_back({node, status::unresolvable(elsewhere), work.limited_by});
                continue;
            }
            const bool is_beside =
                !work.kept.empty() && (work.kept_everywhere || work.has_nominated[node->slot()] != 0);
            if (is_beside && !fits_beside(pod, *node)) {
                continue;
            }
            block.nodes.push_back(node);
        }
        looked_at += size;
        run_filters(pod, block, work.states);
        if (!work.guarded.empty()) refuse_spoilers(pod);
        work.feasible.insert(work.feasible.end(), block.nodes.begin(), block.nodes.end());
        if (!take_refusals(to)) return false;
    }
    to.evaluated = looked_at;
    return true;
}

// All filters on the nodes of a block. If one throws or fails, its answer is the last of `refused`, with code error,
// and no other error is there.
KCONTROL_DECL void cycle::run_filters(const pod_info& pod, detail::filter_block& block,
                                      const detail::plugin_states& states) {
    for (const auto i : work_->filters) {
        if (block.nodes.empty()) return;
        if (!work_->uses_filter(i, states)) continue;
        const auto& one = profile_->at(i);
        block.plugin = i;
        const std::size_t before = block.refused.size();
        const auto ask = [&] {
            one.thunks_->filter(one.object_.get(), states.at(i), pod, block);
            return status();
        };
        auto said = detail::call_plugin(one.name(), plugin_point::filter, work_->observer, ask);
        if (!said.ok()) {
            block.refused.push_back({block.nodes.front(), std::move(said), i});
            block.nodes.clear();
            return;
        }
        const auto failed =
            std::find_if(block.refused.begin() + static_cast<std::ptrdiff_t>(before), block.refused.end(),
                         [](const auto& refusal) { return !refusal.answer.is_rejected(); });
        if (failed == block.refused.end()) continue;
        auto answer = detail::failed_answer(one.name(), plugin_point::filter, failed->answer);
        block.refused.push_back({failed->node, std::move(answer), i});
        block.refused.erase(block.refused.begin(), block.refused.end() - 1);
        block.nodes.clear();
        return;
    }
}

// Counts what filters said. False: one failed.
KCONTROL_DECL bool cycle::take_refusals(decision& to) {
    auto& refused = work_->block.refused;
    for (auto& one : refused) {
        if (!one.answer.is_rejected()) return fail(to, one.plugin, plugin_point::filter, std::move(one.answer)), false;
        to.refused.add(one.answer);
        to.rejected_by |= profile_->number_of(one.plugin);
        to.is_resolvable |= one.answer.code() == status_code::unschedulable;
        work_->of_nodes.push_back(std::move(one));
    }
    return true;
}

// Scores.

// The best of the feasible nodes; where several are, one of them by chance.
KCONTROL_DECL std::size_t cycle::best_of_sums(decision& to) {
    auto& work = *work_;
    std::size_t best = 0;
    std::uint64_t with_best = 1;
    for (std::size_t i = 1; i < work.sums.size(); ++i) {
        if (work.sums[i] > work.sums[best]) {
            best = i;
            with_best = 1;
        } else if (work.sums[i] == work.sums[best] && work.next_random() % ++with_best == 0) {
            best = i;
        }
    }
    to.score = work.sums[best];
    return best;
}

// The sums of the scores of the feasible nodes. False: a plugin failed.
KCONTROL_DECL bool cycle::score_nodes(const snapshot& nodes, const pod_info& pod, decision& to,
                                      std::vector<node_explanation>* each) {
    auto& work = *work_;
    for (std::size_t i = 0; i < profile_->size(); ++i) {
        const auto& one = profile_->at(i);
        work.skips_score[i] = 0;
        if (!one.has(plugin_point::pre_score)) continue;
        const auto ask = [&] {
            return one.thunks_->pre_score(one.object_.get(), work.states.at(i), pod, nodes, work.feasible);
        };
        auto said = detail::call_plugin(one.name(), plugin_point::pre_score, work.observer, ask);
        if (said.is_skip()) {
            work.skips_score[i] = 1;
        } else if (!said.ok()) {
            return fail(to, i, plugin_point::pre_score, std::move(said)), false;
        }
    }
    work.sums.assign(work.feasible.size(), 0);
    work.scores.resize(work.feasible.size());
    for (const auto i : work.scores_of) {
        if (work.skips_score[i] != 0) continue;
        if (!score_by(i, pod, to)) return false;
        for (std::size_t k = 0; each != nullptr && k < work.scores.size(); ++k) {
            (*each)[k].scores.push_back({profile_->at(i).name(), work.scores[k]});
        }
    }
    return true;
}

KCONTROL_DECL bool cycle::score_by(std::size_t plugin, const pod_info& pod, decision& to) {
    auto& work = *work_;
    const auto& one = profile_->at(plugin);
    const auto ask = [&] {
        one.thunks_->score(one.object_.get(), work.states.at(plugin), pod, work.feasible, work.scores);
        return status();
    };
    auto said = detail::call_plugin(one.name(), plugin_point::score, work.observer, ask);
    if (!said.ok()) return fail(to, plugin, plugin_point::score, std::move(said)), false;
    if (one.has(plugin_point::normalize_score)) {
        const auto normalize = [&] {
            one.thunks_->normalize_score(one.object_.get(), work.states.at(plugin), work.scores, work.feasible);
            return status();
        };
        said = detail::call_plugin(one.name(), plugin_point::normalize_score, work.observer, normalize);
        if (!said.ok()) return fail(to, plugin, plugin_point::normalize_score, std::move(said)), false;
    }
    const std::int64_t weight = profile_->weight_of(plugin);
    for (std::size_t k = 0; k < work.scores.size(); ++k) {
        const std::int64_t score = work.scores[k];
        if (score < 0 || score > max_node_score) {
            const auto text = "its score " + std::to_string(score) + " of node " +
                              std::string(work.feasible[k]->name()) + " is not between 0 and 100";
            return fail(to, plugin, plugin_point::score, status::unresolvable(interned_name(text))), false;
        }
        work.sums[k] += weight * score;
    }
    return true;
}

// What follows a decision.

KCONTROL_DECL std::optional<placement> cycle::reserve(const snapshot& nodes, std::shared_ptr<const pod_info> pod,
                                                      decision& decided) {
    auto& work = *work_;
    const node_info* const node = nodes.find(decided.node);
    placement out(std::move(pod), decided.node);
    if (work.keeps_states) {
        out.states_ = detail::plugin_states(work.later_types);
        for (std::size_t i = 0; i < profile_->size(); ++i) out.states_.assign(i, work.states);
    }
    auto said = profile_->reserve(out, *node, work.observer);
    if (said.ok()) return out;
    decided.result = said.answer.is_rejected() ? decision_result::unschedulable : decision_result::error;
    for (std::size_t i = 0; i < profile_->size(); ++i) {
        if (profile_->at(i).name() != said.plugin) continue;
        if (said.answer.is_rejected()) decided.rejected_by |= profile_->number_of(i);
        if (decided.result == decision_result::error) fail(decided, i, said.point, said.answer);
    }
    decided.node.clear();
    decided.pod_refused = std::move(said);
    return std::nullopt;
}

KCONTROL_DECL post_filter_result cycle::post_filter(cache& cluster, const std::shared_ptr<const pod_info>& pod,
                                                    decision& decided, const nominations& nominated,
                                                    std::span<const std::shared_ptr<const pod_info>> gang) {
    post_filter_result out;
    out.answer = status::skip();
    for (std::size_t i = 0; i < profile_->size(); ++i) {
        const auto& one = profile_->at(i);
        if (!one.has(plugin_point::post_filter)) continue;
        const post_filter_request request{pod, decided, cluster, *this, nominated, gang};
        out = {};
        const auto ask = [&] {
            out = one.thunks_->post_filter(one.object_.get(), request);
            return out.answer;
        };
        out.answer = detail::call_plugin(one.name(), plugin_point::post_filter, work_->observer, ask);
        if (out.answer.ok()) return out;
        out.place = std::nullopt;
        out.victims.clear();
        if (out.answer.code() == status_code::error) break;
    }
    for (std::size_t i = 0; i < out.answer.reason_count(); ++i) {
        decided.post_filter_message.append(i == 0 ? "" : ", ").append(out.answer.reason(i).view());
    }
    return out;
}

}  // namespace kcontrol::scheduling
