#pragma once

#include <kcontrol/scheduling/claim_catalog.hpp>
#include <kcontrol/scheduling/node_resources_fit.hpp>
#include <kcontrol/scheduling/node_scores.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

// Adds the reason if the amount is more than what is left; no amount is negative.
inline void check_amount(std::int64_t wanted, std::int64_t allocatable, std::int64_t held, const interned_name& reason,
                         status& to) {
    if (wanted == 0 || wanted <= allocatable - held) return;
    to.add_reason(reason);
    if (wanted > allocatable) to.set_code(status_code::unschedulable_and_unresolvable);
}

}  // namespace detail

KCONTROL_DECL bool node_resources_fit_options::ignores(std::string_view resource) const {
    const auto has = [](const std::vector<std::string>& all, std::string_view one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    };
    // As kube-scheduler, which takes names of Kubernetes' own domain for no extended resources.
    const auto slash = resource.find('/');
    if (slash == std::string_view::npos || resource.find("kubernetes.io/") != std::string_view::npos) return false;
    return has(ignored_resources_, resource) || has(ignored_resource_groups_, resource.substr(0, slash));
}

KCONTROL_DECL std::vector<event_kind> node_resources_fit::events() {
    return {{interned_name("Pod"), event_actions::delete_ | event_actions::update_pod_scale_down},
            {interned_name("Node"), event_actions::add | event_actions::update_node_allocatable},
            {interned_name("resource.k8s.io/DeviceClass"), event_actions::add | event_actions::update_other}};
}

KCONTROL_DECL bool node_resources_fit::may_help(const pod_info& waiting, const cluster_event& event) {
    const auto after = event.after.as<claim_catalog::device_class>();
    if (after == nullptr) return true;
    const auto before = event.before.as<claim_catalog::device_class>();
    const auto& mapped = after->spec.extended_resource_name;
    const bool is_new = before == nullptr || before->spec.extended_resource_name != mapped;
    return std::ranges::any_of(waiting.requests().extended(), [&](const extended_amount& each) {
        const auto resource = each.resource.view();
        return (is_new && mapped == resource) ||
               (before == nullptr && claim_catalog::implicit_resource_of(*after) == resource);
    });
}

KCONTROL_DECL status node_resources_fit::pre_filter(state& of_pod, const pod_info& pod, const snapshot&) const {
    of_pod.extended_.clear();
    for (const auto& one : pod.requests().extended()) {
        const std::string_view resource = one.resource.view();
        if (options_.ignores(resource)) continue;
        interned_name insufficient("Insufficient " + std::string(resource));
        const bool has_class = options_.claims() != nullptr && options_.claims()->find_class_for(resource) != nullptr;
        of_pod.extended_.push_back({one.resource, std::move(insufficient), one.amount, has_class});
    }
    return status();
}

KCONTROL_DECL status node_resources_fit::filter(const state& of_pod, const pod_info& pod, const node_info& node) const {
    const auto& wanted = pod.requests();
    const auto& there = node.allocatable();
    const auto& held = node.requested();
    status refused(status_code::unschedulable);
    if (held.pods >= there.pods) refused.add_reason(too_many_pods_);
    detail::check_amount(wanted.cpu_milli, there.cpu_milli, held.cpu_milli, no_cpu_, refused);
    detail::check_amount(wanted.memory, there.memory, held.memory, no_memory_, refused);
    detail::check_amount(wanted.ephemeral_storage, there.ephemeral_storage, held.ephemeral_storage, no_storage_,
                         refused);
    for (const auto& one : of_pod.extended_) {
        const auto has = there.extended(one.resource);
        if (has == 0 && one.has_class) continue;
        detail::check_amount(one.amount, has, held.extended(one.resource), one.insufficient, refused);
    }
    if (refused.reason_count() == 0) return status();
    return refused;
}

KCONTROL_DECL std::int64_t node_resources_fit::score(const state&, const pod_info& pod, const node_info& node) const {
    std::int64_t sum = 0, weights = 0;
    for (const auto& one : options_.resources()) {
        const auto use = detail::use_of(one, pod, node, detail::counted_amounts::scored);
        if (use.allocatable == 0) continue;
        const std::int64_t held = std::min(use.after, use.allocatable);
        const bool least = options_.strategy() == scoring_strategy::least_allocated;
        sum += one.weight() * percentage(least ? use.allocatable - held : held, use.allocatable);
        weights += one.weight();
    }
    return weights == 0 ? 0 : sum / weights;
}

}  // namespace kcontrol::scheduling
