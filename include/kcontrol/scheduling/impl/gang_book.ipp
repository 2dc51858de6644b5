#pragma once

#include <kcontrol/runtime/time_after.hpp>
#include <kcontrol/scheduling/gang_book.hpp>

#include <algorithm>
#include <iterator>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline std::pair<std::string, std::string> gang_pod_key(std::string_view namespace_, std::string_view name) {
    return {std::string(namespace_), std::string(name)};
}

inline std::string gang_contradiction(const gang_id& gang, std::string_view field, const pod_info& pod,
                                      std::string_view value, const pod_info& first, std::string_view first_value) {
    std::string out = "gang " + gang.name + ": pod " + gang.namespace_ + "/";
    out.append(pod.name()).append(": ").append(field).append(": \"").append(value).append("\", but \"");
    return out.append(first_value).append("\" of pod ").append(first.name());
}

inline std::string gang_without_group(const gang_id& gang) {
    constexpr std::string_view groups[] = {"", "scheduling.k8s.io", "scheduling.x-k8s.io", "scheduling.volcano.sh"};
    return "gang " + gang.name + ": PodGroup " + gang.namespace_ + "/" + gang.name + " of " +
           std::string(groups[static_cast<std::size_t>(gang.source)]) + " does not exist";
}

}  // namespace detail

// Events.

KCONTROL_DECL void gang_book::set_group(const gang_id& group, gang_terms terms, time_point now) {
    terms.minimum = std::max(terms.minimum, 1);
    gangs_[group].group = terms;
    changed(group, now);
}

KCONTROL_DECL void gang_book::remove_group(const gang_id& group, time_point now) {
    const auto found = gangs_.find(group);
    if (found == gangs_.end()) return;
    found->second.group = std::nullopt;
    changed(group, now);
}

KCONTROL_DECL std::optional<gang_id> gang_book::set_pod(std::shared_ptr<const pod_info> pod, time_point now) {
    auto claim = gang_claim_of(pod->pod());
    const auto& phase = pod->pod().status.phase;
    const member* const known = find_member(pod->namespace_(), pod->name());
    const bool stays = known != nullptr && claim && known->claim.gang == claim->gang && known->pod->uid() == pod->uid();
    if (known != nullptr && (!stays || phase == "Failed")) drop(pod->namespace_(), pod->name(), now);
    if (!claim) return std::nullopt;
    const gang_id id = claim->gang;
    if (phase == "Failed") return id;

    gang& of = gangs_[id];
    const auto [place, is_new] = of.members.try_emplace(std::string(pod->name()));
    member& one = place->second;
    if (is_new) ++of.counts[static_cast<std::size_t>(one.state)];
    gang_of_pod_[detail::gang_pod_key(pod->namespace_(), pod->name())] = id;
    set_state(of, one, state_of(*pod, one.state));
    const bool says_the_same = !is_new && of.wrong.empty() && one.claim == *claim &&
                               one.pod->pod().spec.scheduler_name == pod->pod().spec.scheduler_name;
    one.pod = std::move(pod);
    one.claim = std::move(*claim);
    if (is_new && of.wrong.empty()) {
        compare(of, one);
    } else if (!says_the_same) {
        compare_all(of);
    }
    changed(id, now);
    return id;
}

KCONTROL_DECL gang_book::member_state gang_book::state_of(const pod_info& pod, member_state before) {
    const auto& object = pod.pod();
    if (object.status.phase == "Succeeded") return member_state::succeeded;
    if (!object.spec.node_name.empty()) return member_state::bound;
    if (before == member_state::assumed) return before;
    if (object.metadata.deletion_timestamp) return member_state::leaving;
    const bool is_held = !object.spec.scheduling_gates.empty() || pod.invalid() != nullptr;
    return is_held ? member_state::held : member_state::waiting;
}

KCONTROL_DECL std::optional<gang_id> gang_book::remove_pod(std::string_view namespace_, std::string_view name,
                                                           std::string_view uid, time_point now) {
    const member* const known = find_member(namespace_, name);
    if (known == nullptr || known->pod->uid() != uid) return std::nullopt;
    const gang_id out = known->claim.gang;
    drop(namespace_, name, now);
    return out;
}

KCONTROL_DECL void gang_book::set_assumed(const pod_info& pod, bool is_assumed, time_point now) {
    member* const known = find_member(pod.namespace_(), pod.name());
    if (known == nullptr || known->pod->uid() != pod.uid()) return;
    if (is_assumed ? known->state >= member_state::assumed : known->state != member_state::assumed) return;
    set_state(gangs_[known->claim.gang], *known,
              is_assumed ? member_state::assumed : state_of(*known->pod, member_state::waiting));
    changed(known->claim.gang, now);
}

KCONTROL_DECL gang_book::member* gang_book::find_member(std::string_view namespace_, std::string_view name) {
    const auto found = gang_of_pod_.find(detail::gang_pod_key(namespace_, name));
    return found == gang_of_pod_.end() ? nullptr : &gangs_[found->second].members.find(found->first.second)->second;
}

KCONTROL_DECL void gang_book::set_state(gang& of, member& pod, member_state state) {
    --of.counts[static_cast<std::size_t>(pod.state)];
    ++of.counts[static_cast<std::size_t>(state)];
    pod.state = state;
}

KCONTROL_DECL void gang_book::drop(std::string_view namespace_, std::string_view name, time_point now) {
    const auto place = gang_of_pod_.find(detail::gang_pod_key(namespace_, name));
    const gang_id id = place->second;
    gang& of = gangs_[id];
    const auto one = of.members.find(place->first.second);
    --of.counts[static_cast<std::size_t>(one->second.state)];
    of.members.erase(one);
    gang_of_pod_.erase(place);
    if (!of.wrong.empty()) compare_all(of);
    changed(id, now);
}

KCONTROL_DECL void gang_book::compare_all(gang& of) {
    of.wrong.clear();
    for (const auto& [name, one] : of.members) compare(of, one);
}

// Notes what a member contradicts, or what is wrong with it. All are compared with the first, which is compared with
// another.
KCONTROL_DECL void gang_book::compare(gang& of, const member& with) {
    if (!of.wrong.empty()) return;
    const auto& id = with.claim.gang;
    const auto begin = of.members.begin();
    const member& first = &begin->second == &with && of.members.size() > 1 ? std::next(begin)->second : begin->second;
    const auto& scheduler = with.pod->pod().spec.scheduler_name;
    const auto& first_scheduler = first.pod->pod().spec.scheduler_name;
    if (!with.claim.wrong.empty()) {
        of.wrong = "gang " + id.name + ": " + with.claim.wrong;
    } else if (with.claim.terms && first.claim.terms && with.claim.terms->minimum != first.claim.terms->minimum) {
        of.wrong = detail::gang_contradiction(id, "metadata.annotations[scheduling.kcontrol.dev/gang-size]", *with.pod,
                                              std::to_string(with.claim.terms->minimum), *first.pod,
                                              std::to_string(first.claim.terms->minimum));
    } else if (scheduler != first_scheduler) {
        of.wrong =
            detail::gang_contradiction(id, "spec.schedulerName", *with.pod, scheduler, *first.pod, first_scheduler);
    }
}

KCONTROL_DECL gang_terms gang_book::terms_of(const gang& of) {
    if (of.group) return *of.group;
    if (of.members.empty()) return {};
    return of.members.begin()->second.claim.terms.value_or(gang_terms());
}

// What follows from the numbers of its pods.
KCONTROL_DECL void gang_book::changed(const gang_id& id, time_point now) {
    const auto found = gangs_.find(id);
    gang& of = found->second;
    const gang_terms terms = terms_of(of);
    const bool is_known = of.group || id.source == gang_source::annotations;
    const std::int32_t bound = of.in(member_state::bound);
    const bool is_complete = is_known && bound + of.in(member_state::succeeded) >= terms.minimum;
    if (is_complete) of.lost_at = std::nullopt;
    if (is_known && of.was_complete && !is_complete && !of.lost_at) of.lost_at = now;
    // A gang that ran is one that ran until its first call is over.
    if (is_known) of.was_complete = is_complete || (of.was_complete && bound > 0);
    const bool is_over = !of.lost_at || time_after(*of.lost_at, first_call) <= now;
    if (!is_known || is_complete || bound == 0) {
        of.due_at = std::nullopt;
    } else if (!of.due_at) {
        of.due_at = time_after(now, is_over ? terms.timeout : std::max(first_call, terms.timeout));
    }
    const bool is_forgotten = of.members.empty() && !of.group && is_over;
    if (is_forgotten) of.lost_at = std::nullopt;  // and so it has no place among the times
    set_time(id, of);
    if (is_forgotten) gangs_.erase(found);
}

// It has one place among the times, or none: when it is due, or is forgotten.
KCONTROL_DECL void gang_book::set_time(const gang_id& id, gang& of) {
    std::optional<time_point> at = of.due_at;
    if (of.members.empty() && !of.group && of.lost_at) at = time_after(*of.lost_at, first_call);
    if (!of.wrong.empty()) at = std::nullopt;  // who contradicts himself does not lose pods by it
    if (of.timed_at == at) return;
    if (of.timed_at) times_.erase({*of.timed_at, id});
    if (at) times_.emplace(*at, id);
    of.timed_at = at;
}

// What holds.

KCONTROL_DECL std::optional<gang_id> gang_book::gang_of(const pod_info& pod) const {
    if (gang_of_pod_.empty()) return std::nullopt;
    const auto found = gang_of_pod_.find(detail::gang_pod_key(pod.namespace_(), pod.name()));
    return found == gang_of_pod_.end() ? std::nullopt : std::optional(found->second);
}

KCONTROL_DECL const gang_book::gang& gang_book::find(const gang_id& id) const {
    static const gang none;
    const auto found = gangs_.find(id);
    return found == gangs_.end() ? none : found->second;
}

KCONTROL_DECL gang_status gang_book::counts_of(const gang_id& id, const gang& of) {
    gang_status out;
    out.gang = id;
    out.minimum = terms_of(of).minimum;
    out.waiting = of.in(member_state::waiting);
    out.held = of.in(member_state::held);
    out.bound = of.in(member_state::bound) + of.in(member_state::succeeded);
    out.placed = of.in(member_state::assumed) + out.bound;
    return out;
}

KCONTROL_DECL gang_phase gang_book::phase_of(const gang& of, const gang_status& counts) {
    if (!of.wrong.empty()) return gang_phase::invalid;
    const bool is_known = of.group || counts.gang.source == gang_source::annotations;
    if (!is_known || counts.waiting + counts.placed < counts.minimum) return gang_phase::incomplete;
    return counts.missing() > 0 ? gang_phase::ready : gang_phase::complete;
}

KCONTROL_DECL bool gang_book::has_first_call(const gang& of, time_point now) {
    return of.lost_at && now < time_after(*of.lost_at, first_call);
}

KCONTROL_DECL gang_phase gang_book::phase(const gang_id& id) const {
    const gang& of = find(id);
    return phase_of(of, counts_of(id, of));
}

KCONTROL_DECL bool gang_book::has_first_call(const gang_id& id, time_point now) const {
    return has_first_call(find(id), now);
}

KCONTROL_DECL gang_status gang_book::status(const gang_id& id, time_point now) const {
    const gang& of = find(id);
    gang_status out = counts_of(id, of);
    out.has_first_call = has_first_call(of, now);
    out.phase = phase_of(of, out);
    const auto exist = out.waiting + out.held + out.placed;
    if (out.phase == gang_phase::invalid) {
        out.message = of.wrong;
    } else if (out.phase != gang_phase::incomplete) {
        return out;
    } else if (!of.group && id.source != gang_source::annotations) {
        out.message = detail::gang_without_group(id);
    } else if (exist < out.minimum) {
        out.message =
            "gang " + id.name + ": " + std::to_string(exist) + " of " + std::to_string(out.minimum) + " members exist";
    } else {
        out.message = held_message(out, of);
    }
    return out;
}

KCONTROL_DECL std::string gang_book::held_message(const gang_status& of, const gang& in) {
    const auto found = std::find_if(in.members.begin(), in.members.end(),
                                    [](const auto& one) { return one.second.state == member_state::held; });
    const pod_info& first = *found->second.pod;
    const std::string why = first.invalid() != nullptr
                                ? std::string(first.invalid()->message())
                                : "pod " + of.gang.namespace_ + "/" + found->first + " has scheduling gates";
    return misfit_message(of, of.waiting + of.placed, why);
}

KCONTROL_DECL std::vector<std::shared_ptr<const pod_info>> gang_book::waiting(const gang_id& id) const {
    std::vector<std::shared_ptr<const pod_info>> out;
    const auto found = gangs_.find(id);
    if (found == gangs_.end()) return out;
    for (const auto& [name, one] : found->second.members) {
        if (one.state == member_state::waiting) out.push_back(one.pod);
    }
    return out;
}

KCONTROL_DECL std::string gang_book::misfit_message(const gang_status& of, std::int32_t fitting,
                                                    std::string_view misfit) {
    return "gang " + of.gang.name + ": " + std::to_string(fitting) + " of " + std::to_string(of.minimum) +
           " members fit: " + std::string(misfit);
}

KCONTROL_DECL std::vector<gang_eviction> gang_book::due(time_point now) {
    std::vector<gang_eviction> out;
    while (!times_.empty() && times_.begin()->first <= now) {
        const auto found = gangs_.find(times_.begin()->second);
        auto& [id, of] = *found;
        if (!of.due_at) {  // it has no pods, and its first call is over
            times_.erase(times_.begin());
            gangs_.erase(found);
            continue;
        }
        of.due_at = time_after(now, eviction_pause);
        auto& eviction = out.emplace_back();
        eviction.gang = id;
        for (const auto& [name, one] : of.members) {
            if (one.state == member_state::bound) eviction.pods.push_back(one.pod);
        }
        set_time(id, of);
    }
    return out;
}

KCONTROL_DECL std::optional<time_point> gang_book::next_deadline() const {
    return times_.empty() ? std::nullopt : std::optional(times_.begin()->first);
}

}  // namespace kcontrol::scheduling
