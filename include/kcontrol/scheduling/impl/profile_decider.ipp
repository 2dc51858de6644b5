#pragma once

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/scheduling/detail/profile_decider.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling::detail {

inline void keep_refusal(decided_pod& to, const decision& decided) {
    to.rejected_by = decided.rejected_by;
    to.is_error = decided.result == decision_result::error;
    to.message = decided.message();
}

KCONTROL_DECL profile_decider::profile_decider(environment& env, scheduler_metrics& metrics, preemption_policy policy,
                                               report_function report)
    : env_(env), metrics_(metrics), policy_(std::move(policy)), report_(std::move(report)) {}

KCONTROL_DECL result<void> profile_decider::set_profiles(std::vector<profile> all, scheduler_core& core) {
    std::map<std::string, std::vector<event_kind>> fresh;
    for (const profile& each : all) {
        for (std::size_t i = 0; i < each.size(); ++i) {
            const plugin& one = each.at(i);
            if (numbers_.contains(one.name())) continue;
            auto& events = fresh[std::string(one.name())];
            for (auto& kind : one.events()) {
                if (std::find(events.begin(), events.end(), kind) == events.end()) events.push_back(std::move(kind));
            }
        }
    }
    for (auto& [name, events] : fresh) {
        const auto hint = [this, name = name](const pod_info& waiting, const cluster_event& event) {
            return may_help(name, waiting, event);
        };
        const auto number = core.add_plugin(name, std::move(events), hint);
        if (!number) return number.error();
        numbers_.emplace(name, *number);
    }
    profiles_.clear();
    for (profile& each : all) {
        for (std::size_t i = 0; i < each.size(); ++i) {
            each.set_number(i, numbers_.find(each.at(i).name())->second);
        }
        std::string name = each.scheduler_name();
        cycle_options how;
        how.seed(env_.random()).observer(&metrics_);
        profiles_.emplace(std::move(name), std::make_shared<deciding_profile>(std::move(each), how));
    }
    return {};
}

KCONTROL_DECL profile_decider::profile_pointer profile_decider::find(const pod_info& pod) const {
    const auto found = profiles_.find(pod.pod().spec.scheduler_name.view());
    return found == profiles_.end() ? nullptr : found->second;
}

KCONTROL_DECL bool profile_decider::may_help(std::string_view plugin, const pod_info& waiting,
                                             const cluster_event& event) const {
    const auto by = find(waiting);
    for (std::size_t i = 0; by != nullptr && i < by->with.size(); ++i) {
        if (by->with.at(i).name() == plugin) return by->with.at(i).may_help(waiting, event);
    }
    return true;  // the plugin is not asked any more, so what it said does not count
}

KCONTROL_DECL queue_rank profile_decider::rank_of(const queued_pod& pod) const {
    const auto by = find(*pod.pod);
    return by != nullptr && by->with.has_order() ? by->with.rank_of(pod) : scheduling_queue::default_rank(pod);
}

KCONTROL_DECL bool profile_decider::schedules(const api::core::v1::pod& pod) const {
    return profiles_.find(pod.spec.scheduler_name.view()) != profiles_.end();
}

KCONTROL_DECL plugin_set profile_decider::gate(const pod_info& pod) {
    const auto by = find(pod);
    return by == nullptr ? 0 : by->with.gated_by(pod);
}

KCONTROL_DECL std::uint64_t profile_decider::queue_version() const {
    std::uint64_t out = 0;
    for (const auto& [name, each] : profiles_) out += each->with.queue_version();
    return out;
}

KCONTROL_DECL void profile_decider::take_place(decided_pod& to, const profile_pointer& by, placement place,
                                               const decision_inputs& on) {
    to.node = place.node();
    for (const auto& [key, value] : place.annotations()) to.annotations[key] = value;
    to.assumed = on.nodes.assume(to.pod, to.node, to.annotations);
    to.state = std::make_shared<kept_placement>(kept_placement{by, std::move(place)});
    if (to.assumed) return;
    unreserve(to);
    to.is_error = true;
    to.message = "node " + in_quotes(std::exchange(to.node, {})) + " was deleted, or the pod counts already";
}

KCONTROL_DECL void profile_decider::count(const deciding_profile& by, const decided_pod& decided, duration took) {
    const auto result = decided.assumed    ? decision_result::scheduled
                        : decided.is_error ? decision_result::error
                                           : decision_result::unschedulable;
    metrics_.attempted(by.with.scheduler_name(), result, took);
    if (!decided.victims.empty()) metrics_.preempted(decided.victims.size());
}

KCONTROL_DECL decided_pod profile_decider::decide(std::shared_ptr<const pod_info> pod, const decision_inputs& on) {
    const auto begun = env_.now();
    decided_pod out;
    out.pod = std::move(pod);
    const auto by = find(*out.pod);
    if (by == nullptr) return out;  // another version of it was this scheduler's
    decision decided = by->round.decide(on.nodes.prepare(*out.pod, by->with.labels()), *out.pod, on.nominated);
    if (decided.placed()) {
        auto place = by->round.reserve(on.nodes.snapshot(), out.pod, decided);
        if (place) take_place(out, by, std::move(*place), on);
    }
    if (!decided.placed()) {
        keep_refusal(out, decided);
        if (decided.result == decision_result::unschedulable && decided.is_resolvable) {
            auto helps = by->round.post_filter(on.nodes, out.pod, decided, on.nominated);
            if (helps.answer.ok() && helps.place) {
                out.kept = std::move(helps.place);
                out.victims = std::move(helps.victims);
            }
        }
    }
    const duration took = env_.now() - begun;
    count(*by, out, took);
    report_({by->with.scheduler_name(), out.pod.get(), 1, out.assumed ? 1U : 0U, took, out.message});
    return out;
}

KCONTROL_DECL decided_gang profile_decider::decide_gang(std::span<const std::shared_ptr<const pod_info>> pods,
                                                        std::int32_t missing, const decision_inputs& on) {
    const auto begun = env_.now();
    decided_gang out;
    const auto by = find(*pods.front());
    out.members.resize(pods.size());
    for (std::size_t i = 0; i < pods.size(); ++i) out.members[i].pod = pods[i];
    if (by == nullptr) return out;
    auto decided = by->round.decide_gang(on.nodes, pods, missing, on.nominated);
    out.fitting = decided.fitting;
    std::size_t placed = 0;
    for (std::size_t i = 0; i < pods.size(); ++i) {
        auto& member = decided.members[i];
        if (decided.placed && member.reserved) {
            take_place(out.members[i], by, std::move(*member.reserved), on);
            placed += out.members[i].assumed ? 1 : 0;
        } else if (!member.decided.placed()) {
            keep_refusal(out.members[i], member.decided);
        }
    }
    if (!decided.placed && decided.misfit != nullptr && decided.misfit->is_resolvable) {
        auto plan = plan_preemption(by->round, on.nodes, pods, missing, policy_, on.nominated);
        for (auto& place : plan.places) {
            const auto member = std::ranges::find(out.members, place.pod, &decided_pod::pod);
            if (member == out.members.end()) continue;
            if (!plan.victims.empty()) member->victims = std::exchange(plan.victims, {});
            member->kept = std::move(place);
        }
    }
    const bool is_refused = decided.misfit != nullptr && decided.misfit->result == decision_result::unschedulable;
    if (!decided.placed && is_refused &&
        std::ranges::none_of(out.members, [](const auto& each) { return each.kept.has_value(); })) {
        auto refused = *decided.misfit;
        static_cast<void>(by->round.post_filter(on.nodes, pods.front(), refused, on.nominated, pods));
    }
    const duration took = env_.now() - begun;
    for (const auto& member : out.members) count(*by, member, took / static_cast<int>(pods.size()));
    report_({by->with.scheduler_name(), pods.front().get(), pods.size(), placed, took,
             decided.misfit != nullptr ? std::string_view(out.members.front().message) : std::string_view()});
    return out;
}

KCONTROL_DECL void profile_decider::unreserve(decided_pod& of) {
    const auto kept = std::static_pointer_cast<kept_placement>(std::exchange(of.state, nullptr));
    if (kept != nullptr) kept->by->with.unreserve(kept->place, &metrics_);
}

KCONTROL_DECL result<profile_decider::profile_pointer> profile_decider::named_by(const pod_info& pod) const {
    if (auto by = find(pod)) return by;
    return error(errc::invalid_argument, "pod " + std::string(pod.namespace_()) + "/" + std::string(pod.name()) +
                                             ": spec.schedulerName: " + in_quotes(pod.pod().spec.scheduler_name) +
                                             " is no profile of this scheduler");
}

KCONTROL_DECL result<preemption_plan> profile_decider::what_must_go(const std::shared_ptr<const pod_info>& pod,
                                                                    const decision_inputs& on,
                                                                    const preemption_policy& policy) {
    const auto by = named_by(*pod);
    if (!by) return by.error();
    cycle round((*by)->with, cycle_options());
    return plan_preemption(round, on.nodes, pod, policy, on.nominated);
}

KCONTROL_DECL result<explanation> profile_decider::explain(const pod_info& pod, const decision_inputs& on) {
    const auto named = named_by(pod);
    if (!named) return named.error();
    const auto& by = *named;
    cycle round(by->with, cycle_options());
    return round.explain(on.nodes.prepare(pod, by->with.labels()), pod, on.nominated);
}

}  // namespace kcontrol::scheduling::detail
