// Looks for the pods that must go so that others have a place.
#pragma once

#include <kcontrol/scheduling/gang_claim.hpp>
#include <kcontrol/scheduling/impl/cycle_workspace.hpp>
#include <kcontrol/scheduling/preemption.hpp>
#include <kcontrol/scheduling/trial.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling::detail {

/// How many more pods of each budget may go.
class budget_book {
public:
    explicit budget_book(std::vector<disruption_budget> all) : all_(std::move(all)) {}

    /// Whether these pods may go together; then they count from now on.
    bool take(std::span<const placed_pod* const> pods) {
        if (all_.empty()) return true;
        auto after = left_now();
        for (const auto* one : pods) {
            for (std::size_t i = 0; i < all_.size(); ++i) {
                if (protects(all_[i], *one->pod) && --after[i] < 0) return false;
            }
        }
        left_ = std::move(after);
        return true;
    }
    /// For a try: what is left, and that again.
    std::vector<std::int32_t> left_now() const {
        if (!left_.empty() || all_.empty()) return left_;
        std::vector<std::int32_t> out;
        for (const auto& one : all_) out.push_back(one.disruptions_allowed);
        return out;
    }
    void set_left(std::vector<std::int32_t> left) { left_ = std::move(left); }

private:
    static bool protects(const disruption_budget& budget, const pod_info& pod) {
        const auto& disrupted = budget.disrupted_pods;
        return budget.namespace_ == pod.namespace_() && !budget.selector.empty() &&
               budget.selector.selects(pod.pod().metadata) &&
               std::find(disrupted.begin(), disrupted.end(), pod.name()) == disrupted.end();
    }

    std::vector<disruption_budget> all_;
    std::vector<std::int32_t> left_;  // of each; empty: as in the budgets
};

class preemption_search {
public:
    preemption_search(cycle& round, cache& cluster, const preemption_policy& policy, const nominations& nominated)
        : round_(round), cluster_(cluster), policy_(policy), nominated_(nominated), budgets_(policy.budgets()) {}

    /// Places for at least `needed` of the pods, and what must go for them.
    preemption_plan plan(std::span<const std::shared_ptr<const pod_info>> members, std::int32_t needed) {
        preemption_plan out;
        trial attempt(cluster_);
        const cycle::workspace::fixed_choice choice(*round_.work_, round_.options_.seed());
        auto spare = static_cast<std::int64_t>(members.size()) - needed;  // so many may be left over
        for (const auto& pod : members) {
            if (static_cast<std::int64_t>(out.places.size()) >= needed || spare < 0) break;
            const auto place = find(pod);
            if (!place) {
                if (out.reason.empty()) out.reason = reason_;
                --spare;
                continue;
            }
            for (const auto* victim : place->victims) out.victims.push_back(attempt.take_away(*victim));
            for (const auto* one : place->leaving) leaving_.push_back(attempt.take_away(*one));
            attempt.place(pod, place->node);
            const auto all = std::numeric_limits<std::int32_t>::max();
            out.places.push_back({pod, place->node, policy_.keeps_from_all() ? all : place->against});
        }
        attempt.roll_back();
        const bool helps = !out.victims.empty() || !leaving_.empty();
        const bool fits =
            static_cast<std::int64_t>(out.places.size()) >= needed && (needed < 2 || (helps && fit_together(out)));
        if (!fits) {
            out.places.clear();
            out.victims.clear();
        }
        return out;
    }

private:
    // Pods that go together: one, or all of a gang.
    struct unit {
        std::vector<const placed_pod*> pods;
        std::int32_t priority = std::numeric_limits<std::int32_t>::min();  // the highest
        timestamp started;                                                 // the first
    };
    struct candidate {
        std::string node;
        std::vector<const pod_info*> victims;
        std::vector<const pod_info*> leaving;                             // pods of the node that go anyway
        std::vector<std::int32_t> budgets;                                // what is left then
        std::int32_t against = std::numeric_limits<std::int32_t>::min();  // the highest priority of the victims
        std::int64_t sum = 0;                                             // of the priorities, each raised above 0
        timestamp started;                                                // the first of the most important victims

        bool is_better_than(const candidate& other) const {
            if (victims.empty() || other.victims.empty()) return victims.empty() && !other.victims.empty();
            if (against != other.against) return against < other.against;
            if (sum != other.sum) return sum < other.sum;
            if (victims.size() != other.victims.size()) return victims.size() < other.victims.size();
            return other.started < started;
        }
    };

    // A place for a pod as things are in the cache now.
    std::optional<candidate> find(const std::shared_ptr<const pod_info>& pod) {
        const auto& nodes = cluster_.prepare(*pod, round_.with().labels());
        auto decided = round_.decide(nodes, *pod, nominated_);
        if (decided.placed()) {
            candidate out;
            out.node = decided.node;
            out.budgets = budgets_.left_now();
            out.against = pod->priority();
            return out;
        }
        reason_ = decided.message();
        if (decided.result == decision_result::error) return std::nullopt;
        auto found = candidates(nodes, *pod, decided);
        std::stable_sort(found.begin(), found.end(),
                         [](const candidate& a, const candidate& b) { return a.is_better_than(b); });
        for (auto& one : found) {
            if (!is_proven(*pod, one)) continue;
            budgets_.set_left(one.budgets);
            one.against = std::max(one.against, pod->priority());
            return std::move(one);
        }
        return std::nullopt;
    }

    // Nodes on which evictions make room, by dry runs with copies of the plugins' states.
    std::vector<candidate> candidates(const snapshot& nodes, const pod_info& pod, const decision& decided) {
        auto& work = *round_.work_;
        std::vector<const node_info*> tried;
        if (decided.is_resolvable && !decided.pod_refused.ok()) {
            tried = nodes.nodes();  // pre_filter refused the pod, and evictions may help anywhere
        } else {
            for (const auto& one : work.of_nodes) {
                if (one.answer.code() == status_code::unschedulable) tried.push_back(one.node);
            }
        }
        refusals why;
        const std::size_t others = nodes.nodes().size() - tried.size();
        if (others > 0) why.add(status::unresolvable(not_helpful_), others);
        const auto part = static_cast<std::int64_t>(tried.size()) * policy_.candidate_percentage() / 100;
        const auto most = std::max<std::int64_t>(part, policy_.least_candidates());
        const std::size_t offset = tried.empty() ? 0 : work.next_random() % tried.size();
        const auto before = budgets_.left_now();
        std::vector<candidate> out;
        for (std::size_t i = 0; i < tried.size() && static_cast<std::int64_t>(out.size()) < most; ++i) {
            const node_info& node = *tried[(offset + i) % tried.size()];
            auto one = dry_run(nodes, pod, node);
            budgets_.set_left(before);
            if (one) {
                out.push_back(std::move(*one));
            } else {
                why.add(work.one.refused.empty() ? status::unresolvable(no_victims_) : work.one.refused.back().answer);
            }
        }
        if (out.empty()) reason_ = why.message(nodes.nodes().size());
        return out;
    }

    std::optional<candidate> dry_run(const snapshot& nodes, const pod_info& pod, const node_info& node) {
        auto& work = *round_.work_;
        work.one.refused.clear();
        candidate out;
        out.node = node.name();
        auto units = units_on(nodes, pod, node, out);
        const auto before = budgets_.left_now();
        // The least important ones may use up the budgets, as they are the victims.
        std::vector<char> may_go(units.size());
        bool any = !out.leaving.empty();
        for (std::size_t i = units.size(); i-- > 0;) {
            may_go[i] = budgets_.take(units[i].pods);
            any |= may_go[i] != 0;
        }
        budgets_.set_left(before);
        if (!any) return std::nullopt;
        node_info with = node;
        round_.copy_states(work.tried);
        for (const auto& place : work.kept) {
            if (!put(pod, *place.pod, *place.node, with)) return std::nullopt;
        }
        for (const auto* one : out.leaving) {
            if (!take(pod, *one, with, with)) return std::nullopt;
        }
        for (std::size_t i = 0; i < units.size(); ++i) {
            if (may_go[i] != 0 && !change(pod, units[i], with, false)) return std::nullopt;
        }
        if (!fits(pod, with)) return std::nullopt;
        for (std::size_t i = 0; i < units.size(); ++i) {
            if (may_go[i] == 0) continue;
            const auto& one = units[i];
            if (!change(pod, one, with, true)) return std::nullopt;
            if (fits(pod, with)) continue;
            if (!change(pod, one, with, false)) return std::nullopt;
            add_victims(one, out);
        }
        out.budgets = budgets_.left_now();
        return out;
    }

    void add_victims(const unit& one, candidate& to) {
        if (to.victims.empty() || one.priority > to.against) {
            to.against = one.priority;
            to.started = one.started;
        } else if (one.priority == to.against) {
            to.started = std::min(to.started, one.started);
        }
        for (const auto* placed : one.pods) {
            to.victims.push_back(placed->pod);
            to.sum += static_cast<std::int64_t>(placed->pod->priority()) + (std::int64_t{1} << 31U);
        }
        budgets_.take(one.pods);
    }

    // The pods of a node that may go, the most important first.
    std::vector<unit> units_on(const snapshot& nodes, const pod_info& pod, const node_info& node, candidate& to) {
        std::vector<unit> out;
        std::set<gang_id> seen;
        const auto own = gang_claim_of(pod.pod());
        for (const auto* other : node.pods()) {
            if (nominated_.is_leaving(*other)) {
                to.leaving.push_back(other);
                continue;
            }
            unit one;
            const auto claim = gang_claim_of(other->pod());
            if (claim && own && claim->gang == own->gang) continue;
            if (claim && !seen.insert(claim->gang).second) continue;
            if (claim) {
                one.pods = members_of(nodes, claim->gang);
            } else {
                one.pods.push_back(nodes.find_pod(other->namespace_(), other->name()));
            }
            const bool may_go = std::all_of(one.pods.begin(), one.pods.end(), [&](const placed_pod* placed) {
                return placed->node->exists() && policy_.may_evict(pod, *placed->pod);
            });
            if (!may_go) continue;
            for (const auto* placed : one.pods) {
                one.priority = std::max(one.priority, placed->pod->priority());
                const auto& started = placed->pod->pod().status.start_time;
                if (!one.started || (started && started < one.started)) one.started = started;
            }
            out.push_back(std::move(one));
        }
        std::stable_sort(out.begin(), out.end(), [](const unit& a, const unit& b) {
            if (a.priority != b.priority) return a.priority > b.priority;
            if (a.started != b.started) return a.started && (!b.started || a.started < b.started);
            return a.pods.front()->pod->name() < b.pods.front()->pod->name();
        });
        return out;
    }

    // The members of a gang that count and stay.
    std::vector<const placed_pod*> members_of(const snapshot& nodes, const gang_id& gang) {
        auto [known, is_new] = gangs_.try_emplace(gang.namespace_);
        if (is_new) {
            for (const auto* placed : nodes.pods_in(gang.namespace_)) {
                if (auto claim = gang_claim_of(placed->pod->pod())) {
                    known->second[std::move(claim->gang)].emplace_back(placed->pod->name());
                }
            }
        }
        std::vector<const placed_pod*> out;
        for (const auto& name : known->second[gang]) {
            const auto* const placed = nodes.find_pod(gang.namespace_, name);
            if (placed != nullptr && !nominated_.is_leaving(*placed->pod)) out.push_back(placed);
        }
        return out;
    }

    // Pods on the node of a dry run, or on another.
    bool put(const pod_info& pod, const pod_info& other, const node_info& on, node_info& with) {
        if (on.slot() == with.slot()) with.add(other);
        return round_.change_states(pod, other, on.slot() == with.slot() ? with : on, true);
    }
    bool take(const pod_info& pod, const pod_info& other, const node_info& on, node_info& with) {
        if (on.slot() == with.slot()) with.remove(other);
        return round_.change_states(pod, other, on.slot() == with.slot() ? with : on, false);
    }
    bool change(const pod_info& pod, const unit& of, node_info& with, bool add) {
        return std::all_of(of.pods.begin(), of.pods.end(), [&](const placed_pod* one) {
            return add ? put(pod, *one->pod, *one->node, with) : take(pod, *one->pod, *one->node, with);
        });
    }
    bool fits(const pod_info& pod, const node_info& with) {
        auto& one = round_.work_->one;
        one.nodes.assign(1, &with);
        one.refused.clear();
        round_.run_filters(pod, one, round_.work_->tried);
        return one.refused.empty();
    }

    // Whether the pod fits once the victims are gone, by all plugins from the beginning.
    bool is_proven(const pod_info& pod, const candidate& place) {
        trial gone(cluster_);
        for (const auto* one : place.victims) gone.take_away(*one);
        for (const auto* one : place.leaving) gone.take_away(*one);
        return fits_now(pod, place.node);
    }
    bool fits_now(const pod_info& pod, std::string_view node) {
        const auto& nodes = cluster_.prepare(pod, round_.with().labels());
        decision said;
        return round_.start(nodes, pod, nominated_, said) && round_.filter_nodes({nodes.find(node)}, 0, 1, pod, said) &&
               !round_.work_->feasible.empty();
    }
    // The same for all pods of a plan in turn.
    bool fit_together(const preemption_plan& plan) {
        trial gone(cluster_);
        for (const auto& one : plan.victims) gone.take_away(*one);
        for (const auto& one : leaving_) gone.take_away(*one);
        return std::all_of(plan.places.begin(), plan.places.end(), [&](const nomination& one) {
            return fits_now(*one.pod, one.node) && gone.place(one.pod, one.node);
        });
    }

    cycle& round_;
    cache& cluster_;
    const preemption_policy& policy_;
    const nominations& nominated_;
    budget_book budgets_;
    std::map<std::string, std::map<gang_id, std::vector<std::string>>> gangs_;  // by namespace: names of members
    std::vector<std::shared_ptr<const pod_info>> leaving_;
    std::string reason_;
    interned_name not_helpful_{"Preemption is not helpful for scheduling"};
    interned_name no_victims_{"No preemption victims found for incoming pod"};
};

}  // namespace kcontrol::scheduling::detail
