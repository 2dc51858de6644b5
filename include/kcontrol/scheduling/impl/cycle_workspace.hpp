// What a cycle keeps in memory from pod to pod, and the steps that decisions, explanations and preemption share.
#pragma once

#include <kcontrol/scheduling/cycle.hpp>
#include <kcontrol/scheduling/impl/plugin_call.hpp>

#include <algorithm>
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
            if (thunks.score != nullptr) scores_of.push_back(i);
        }
        states = detail::plugin_states(types);
        tried = detail::plugin_states(types);
        skips_filter.resize(with.size());
        skips_score.resize(with.size());
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
    std::vector<std::size_t> scores_of;  // plugins with a score
    detail::plugin_states states;        // of the pod that is decided on
    detail::plugin_states tried;         // copies for dry runs
    std::vector<char> skips_filter;      // by plugin
    std::vector<char> skips_score;
    std::size_t next_start = 0;  // where the next search begins

    detail::filter_block block;
    detail::filter_block one;  // of a single node
    std::vector<const node_info*> feasible;
    std::vector<const node_info*> named;                  // the only nodes that pre_filter leaves
    std::vector<detail::filter_block::refusal> of_nodes;  // each node that is refused, if that is kept
    std::vector<std::int64_t> scores;
    std::vector<std::int64_t> sums;
    struct kept_place {
        const pod_info* pod;
        const node_info* node;
    };
    std::vector<kept_place> kept;     // places that are kept from the pod
    std::vector<char> has_nominated;  // by slot: one of them is there, if there are any
    bool kept_everywhere = false;     // they count on each node
    bool is_named = false;            // pre_filter leaves the nodes of `named` only
    std::vector<std::size_t> namers;  // the plugins that named nodes
};

}  // namespace kcontrol::scheduling
