// What a cycle keeps in memory from pod to pod, and the steps that decisions, explanations and preemption share.
#pragma once

#include <kcontrol/scheduling/cycle.hpp>
#include <kcontrol/scheduling/impl/plugin_call.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace kcontrol::inline v0_1::scheduling {

struct cycle::workspace {
    workspace(const profile& with, plugin_observer* observer_, std::uint64_t seed) : observer(observer_), random(seed) {
        for (std::size_t i = 0; i < with.size(); ++i) {
            const auto& thunks = *with.at(i).thunks_;
            types.push_back(thunks.state);
            later_types.push_back(thunks.is_state_used_later ? thunks.state : &detail::no_state_type);
            keeps_states |= thunks.is_state_used_later && thunks.state->size > 0;
            if (thunks.filter != nullptr) filters.push_back(i);
            if (thunks.filter != nullptr && thunks.add_pod != nullptr && thunks.remove_pod != nullptr) {
                followers.push_back(i);
            }
            if (thunks.score != nullptr) scores_of.push_back(i);
        }
        states = detail::plugin_states(types);
        tried = detail::plugin_states(types);
        filter_uses.resize(with.size());
        skips_score.resize(with.size());
    }

    /// Whether the plugin's filter is called with these states.
    bool uses_filter(std::size_t plugin, const detail::plugin_states& with) const noexcept {
        const filter_use use = filter_uses[plugin];
        return use == filter_use::always || (use == filter_use::beside_others && &with == &tried);
    }

    // The next of a sequence that `seed` determines (splitmix64).
    std::uint64_t next_random() noexcept {
        std::uint64_t z = random += 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31U);
    }

    /// While it lives, the choice among equals depends on the snapshot alone: a gang that gets no places gets none when
    /// it is tried again on the same one.
    class fixed_choice {
    public:
        fixed_choice(workspace& of, std::uint64_t seed) : of_(of), random_(of.random), next_start_(of.next_start) {
            of.random = seed;
            of.next_start = 0;
        }
        ~fixed_choice() {
            of_.random = random_;
            of_.next_start = next_start_;
        }
        fixed_choice(const fixed_choice&) = delete;
        fixed_choice& operator=(const fixed_choice&) = delete;

    private:
        workspace& of_;
        std::uint64_t random_;
        std::size_t next_start_;
    };

    plugin_observer* observer;
    std::uint64_t random;
    std::vector<const detail::state_type*> types;
    std::vector<const detail::state_type*> later_types;  // of states that a placement keeps
    bool keeps_states = false;
    std::vector<std::size_t> filters;    // plugins with a filter
    std::vector<std::size_t> followers;  // those with a filter that follows pods which are added
    std::vector<std::size_t> scores_of;  // plugins with a score
    detail::plugin_states states;        // of the pod that is decided on
    detail::plugin_states tried;         // copies for dry runs
    enum class filter_use : std::uint8_t {
        always,
        beside_others,  // it skipped the pod, but may refuse it once other pods are added
        never,
    };
    std::vector<filter_use> filter_uses;  // by plugin
    std::vector<char> skips_score;
    std::size_t next_start = 0;  // where the next search begins

    struct kept_place {
        const pod_info* pod;
        const node_info* node;
        std::int32_t against;  // the priority of the pod, or of the highest of those that it is kept from
    };

    /// What plugins say about the pod that a place is kept for, while other pods come and go.
    class guarded_place {
    public:
        guarded_place(const kept_place& of, const profile& with, const workspace& from, const snapshot& nodes)
            : place_(of), with_(&with), states_(from.types) {
            for (const auto i : from.followers) {
                const auto& thunks = *with.at(i).thunks_;
                const auto ask = [&] {
                    if (thunks.pre_filter == nullptr) return status();
                    return thunks.pre_filter(with.at(i).object_.get(), states_.at(i), *of.pod, nodes).answer();
                };
                const auto said = detail::call_plugin(thunks.name, plugin_point::pre_filter, nullptr, ask);
                if (said.ok()) asked_.push_back(i);
            }
        }
        void change(const pod_info& other, const node_info& node, bool add) {
            std::erase_if(asked_, [&](std::size_t i) {
                const auto& thunks = *with_->at(i).thunks_;
                const auto call = [&] {
                    const auto follow = add ? thunks.add_pod : thunks.remove_pod;
                    follow(with_->at(i).object_.get(), states_.at(i), *place_.pod, other, node);
                    return status();
                };
                return !detail::call_plugin(thunks.name, plugin_point::pre_filter, nullptr, call).ok();
            });
        }
        /// Whether the pod fits there. If not, the last refusal of `answers` says why.
        bool fits(detail::filter_block& answers) const {
            for (const auto i : asked_) {
                answers.nodes.assign(1, place_.node);
                answers.refused.clear();
                answers.plugin = i;
                const auto& thunks = *with_->at(i).thunks_;
                const auto ask = [&] {
                    thunks.filter(with_->at(i).object_.get(), states_.at(i), *place_.pod, answers);
                    return status();
                };
                const auto said = detail::call_plugin(thunks.name, plugin_point::filter, nullptr, ask);
                if (said.ok() && !answers.refused.empty() && answers.refused.back().answer.is_rejected()) return false;
            }
            return true;
        }

    private:
        kept_place place_;
        const profile* with_;
        detail::plugin_states states_;
        std::vector<std::size_t> asked_;  // plugins that have something to say
    };

    detail::filter_block block;
    detail::filter_block one;  // of a single node
    std::vector<const node_info*> feasible;
    std::vector<const node_info*> named;                  // the only nodes that pre_filter leaves
    std::vector<detail::filter_block::refusal> of_nodes;  // each node that is refused, if that is kept
    std::vector<std::int64_t> scores;
    std::vector<std::int64_t> sums;
    std::vector<kept_place> kept;        // places that are kept from the pod
    std::vector<guarded_place> guarded;  // of them those that the pod may spoil from another node
    std::vector<char> has_nominated;     // by slot: one of them is there, if there are any
    bool kept_everywhere = false;        // they count on each node
    bool is_named = false;               // pre_filter leaves the nodes of `named` only
    std::vector<std::size_t> namers;     // the plugins that named nodes
    std::vector<char> within;            // by slot: a gang is tried on these nodes; empty: on all
    std::size_t limited_by = 0;          // the plugin that said so
};

}  // namespace kcontrol::scheduling
