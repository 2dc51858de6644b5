#pragma once

#include <kcontrol/scheduling/gang_book.hpp>

#include <algorithm>
#include <iterator>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline std::pair<std::string, std::string> gang_pod_key(const pod_info& pod) {
    return {std::string(pod.namespace_()), std::string(pod.name())};
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
    const member* const known = find_member(*pod);
    const bool stays = known != nullptr && claim && known->claim.gang == claim->gang && known->pod->uid() == pod->uid();
    if (known != nullptr && (!stays || phase == "Failed")) drop(*known->pod, now);
    if (!claim) return std::nullopt;
    const gang_id id = claim->gang;
    if (phase == "Failed") return id;

    gang& of = gangs_[id];
    const auto [place, is_new] = of.members.try_emplace(std::string(pod->name()));
    member& one = place->second;
    if (is_new) ++of.counts[static_cast<std::size_t>(member_state::waiting)];
    const bool is_bound = !pod->pod().spec.node_name.empty();
    gang_of_pod_[detail::gang_pod_key(*pod)] = id;
    one.pod = std::move(pod);
    one.claim = std::move(*claim);
    if (phase == "Succeeded") {
        set_state(of, one, member_state::succeeded);
    } else if (is_bound) {
        set_state(of, one, member_state::bound);
    } else if (one.state != member_state::assumed) {
        set_state(of, one, member_state::waiting);
    }
    if (is_new && of.wrong.empty()) {
        compare(of, one);
    } else if (!is_new) {
        of.wrong.clear();
        for (const auto& [name, other] : of.members) compare(of, other);
    }
    changed(id, now);
    return id;
}

KCONTROL_DECL void gang_book::remove_pod(const pod_info& pod, time_point now) {
    const member* const known = find_member(pod);
    if (known != nullptr && known->pod->uid() == pod.uid()) drop(pod, now);
}

KCONTROL_DECL void gang_book::set_assumed(const pod_info& pod, bool is_assumed, time_point now) {
    member* const known = find_member(pod);
    if (known == nullptr || known->pod->uid() != pod.uid()) return;
    if (known->state != (is_assumed ? member_state::waiting : member_state::assumed)) return;
    set_state(gangs_[known->claim.gang], *known, is_assumed ? member_state::assumed : member_state::waiting);
    changed(known->claim.gang, now);
}

KCONTROL_DECL gang_book::member* gang_book::find_member(const pod_info& pod) {
    const auto found = gang_of_pod_.find(detail::gang_pod_key(pod));
    return found == gang_of_pod_.end() ? nullptr : &gangs_[found->second].members.find(found->first.second)->second;
}

KCONTROL_DECL void gang_book::set_state(gang& of, member& pod, member_state state) {
    --of.counts[static_cast<std::size_t>(pod.state)];
    ++of.counts[static_cast<std::size_t>(state)];
    pod.state = state;
}

KCONTROL_DECL void gang_book::drop(const pod_info& pod, time_point now) {
    const auto place = gang_of_pod_.find(detail::gang_pod_key(pod));
    const gang_id id = place->second;
    gang& of = gangs_[id];
    const auto one = of.members.find(place->first.second);
    --of.counts[static_cast<std::size_t>(one->second.state)];
    of.members.erase(one);
    gang_of_pod_.erase(place);
    if (!of.wrong.empty()) {
        of.wrong.clear();
        for (const auto& [name, other] : of.members) compare(of, other);
    }
    changed(id, now);
}

// Notes what a member contradicts, or what is wrong with it. All are compared with the first, which is compared with
// another.
KCONTROL_DECL void gang_book::compare(gang& of, const member& with) const {
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
    if (of.members.empty() && !of.group) {
        gangs_.erase(found);
        return;
    }
    const gang_terms terms = terms_of(of);
    const std::int32_t bound = of.in(member_state::bound);
    const bool is_complete = bound + of.in(member_state::succeeded) >= terms.minimum;
    if (is_complete || bound == 0) {
        of.was_complete = is_complete;
        of.lost_at = of.due_at = std::nullopt;
    } else if (of.was_complete && !of.lost_at) {
        of.lost_at = now;
        of.due_at = now + std::max(first_call, terms.timeout);
    } else if (!of.due_at) {
        of.due_at = now + terms.timeout;
    }
}

// What holds.

KCONTROL_DECL std::optional<gang_id> gang_book::gang_of(const pod_info& pod) const {
    const auto found = gang_of_pod_.find(detail::gang_pod_key(pod));
    return found == gang_of_pod_.end() ? std::nullopt : std::optional(found->second);
}

KCONTROL_DECL gang_status gang_book::status(const gang_id& id, time_point now) const {
    gang_status out;
    out.gang = id;
    const auto found = gangs_.find(id);
    static const gang none;
    const gang& of = found == gangs_.end() ? none : found->second;
    out.minimum = terms_of(of).minimum;
    out.waiting = of.in(member_state::waiting);
    out.placed = of.in(member_state::assumed) + of.in(member_state::bound) + of.in(member_state::succeeded);
    out.has_first_call = of.lost_at && now < *of.lost_at + first_call;
    if (!of.wrong.empty()) {
        out.phase = gang_phase::invalid;
        out.message = of.wrong;
    } else if (!of.group && id.source != gang_source::annotations) {
        out.message = detail::gang_without_group(id);
    } else if (out.waiting + out.placed < out.minimum) {
        out.message = "gang " + id.name + ": " + std::to_string(out.waiting + out.placed) + " of " +
                      std::to_string(out.minimum) + " members exist";
    } else {
        out.phase = out.missing() > 0 ? gang_phase::ready : gang_phase::complete;
    }
    return out;
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
    for (auto& [id, of] : gangs_) {
        // Who contradicts himself does not lose pods by it.
        if (!of.due_at || *of.due_at > now || !of.wrong.empty()) continue;
        of.due_at = now + eviction_pause;
        auto& eviction = out.emplace_back();
        eviction.gang = id;
        for (const auto& [name, one] : of.members) {
            if (one.state == member_state::bound) eviction.pods.push_back(one.pod);
        }
    }
    return out;
}

KCONTROL_DECL std::optional<time_point> gang_book::next_deadline() const {
    std::optional<time_point> out;
    for (const auto& [id, of] : gangs_) {
        if (of.due_at && of.wrong.empty() && (!out || *of.due_at < *out)) out = of.due_at;
    }
    return out;
}

}  // namespace kcontrol::scheduling
