#pragma once

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/scheduling/dynamic_resources.hpp>
#include <kcontrol/scheduling/impl/claim_parts.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL std::vector<event_kind> dynamic_resources::events() {
    const auto changed = event_actions::add | event_actions::update_other;
    return {{interned_name(detail::claim_resource), event_actions::all},
            {interned_name("resource.k8s.io/DeviceClass"), changed},
            {interned_name("resource.k8s.io/ResourceSlice"), changed | event_actions::delete_},
            {interned_name("Node"), event_actions::add | event_actions::update_node_label},
            {interned_name("Pod"), event_actions::delete_}};
}

KCONTROL_DECL bool dynamic_resources::may_help(const pod_info& waiting, const cluster_event& event) const {
    if (event.kind.resource == std::string_view("Pod")) {
        const auto before = event.before.as<api::core::v1::pod>();
        return before == nullptr || !before->spec.resource_claims.empty();
    }
    if (event.kind.resource != std::string_view(detail::claim_resource)) return true;
    const auto before = event.before.as<claim_catalog::claim>();
    const auto after = event.after.as<claim_catalog::claim>();
    if (before == nullptr && after == nullptr) return true;
    if (before != nullptr && before->status.allocation && (after == nullptr || !after->status.allocation)) return true;
    const auto& meta = (after != nullptr ? after : before)->metadata;
    return meta.namespace_ == waiting.namespace_() &&
           std::ranges::any_of(waiting.pod().spec.resource_claims,
                               [&](const auto& each) { return claim_name(waiting.pod(), each) == meta.name.view(); });
}

KCONTROL_DECL std::optional<std::string_view> dynamic_resources::claim_name(
    const api::core::v1::pod& pod, const api::core::v1::pod_resource_claim& entry) {
    if (!entry.resource_claim_name.empty()) return entry.resource_claim_name.view();
    const auto& made = pod.status.resource_claim_statuses;
    const auto found = std::ranges::find_if(made, [&](const auto& each) { return each.name == entry.name; });
    return found == made.end() ? std::nullopt : std::optional(found->resource_claim_name.view());
}

KCONTROL_DECL status dynamic_resources::pre_filter(state& of_pod, const pod_info& pod, const snapshot&) const {
    of_pod = {};
    const auto refused = [](const std::string& why) { return status::unresolvable(interned_name(why)); };
    for (std::size_t i = 0; const auto& each : pod.pod().spec.resource_claims) {
        const auto path = "spec.resourceClaims[" + std::to_string(i++) + "]";
        const auto named = claim_name(pod.pod(), each);
        if (!named) {
            return refused(path + ": no ResourceClaim has been made of template " +
                           in_quotes(each.resource_claim_template_name) + " yet");
        }
        if (named->empty()) continue;
        state::use made{objects_->find_claim(pod.namespace_(), *named), nullptr, {}};
        const auto claim = "ResourceClaim " + in_quotes(*named);
        if (made.object == nullptr) return refused(path + ": " + claim + " does not exist");
        const auto& meta = made.object->metadata;
        const auto& owners = meta.owner_references;
        const bool is_own = std::ranges::any_of(owners, [&](const auto& owner) { return owner.uid == pod.uid(); });
        if (!each.resource_claim_template_name.empty() && !is_own) {
            return refused(path + ": " + claim + " was not made for this pod");
        }
        if (meta.deletion_timestamp) return refused(path + ": " + claim + " is being deleted");
        if (!detail::is_reserved_for(*made.object, pod.uid()) &&
            made.object->status.reserved_for.size() >= detail::most_users_of_claim) {
            return refused(path + ": " + claim + " is reserved for " + std::to_string(detail::most_users_of_claim) +
                           " pods, the most");
        }
        made.given = objects_->allocation_of(made.object);
        if (made.given != nullptr && made.given->node_selector) {
            auto nodes = node_selector::of(*made.given->node_selector);
            if (!nodes) return refused(claim + ": status.allocation.nodeSelector: " + nodes.error().message());
            made.nodes = std::move(*nodes);
        }
        const bool is_twice =
            std::ranges::any_of(of_pod.uses, [&](const state::use& other) { return other.object == made.object; });
        if (!is_twice) of_pod.uses.push_back(std::move(made));
    }
    return of_pod.uses.empty() ? status::skip() : status();
}

KCONTROL_DECL status dynamic_resources::filter(const state& of_pod, const pod_info& pod, const node_info& node) const {
    for (const auto& each : of_pod.uses) {
        if (each.given == nullptr || !each.nodes || each.nodes->selects(node.node().metadata)) continue;
        const interned_name why("node(s) can't reach the devices of ResourceClaim " +
                                in_quotes(each.object->metadata.name));
        return detail::is_only_user(*each.object, pod.uid()) ? status::unschedulable(why) : status::unresolvable(why);
    }
    std::string missing;
    const auto found = decide(of_pod, node, &missing);
    if (!found) return status::unresolvable(interned_name(found.error().message()));
    return *found ? status() : status::unresolvable(interned_name("cannot allocate all claims: " + missing));
}

KCONTROL_DECL status dynamic_resources::reserve(state& of_pod, placement&, const node_info& node) {
    auto found = decide(of_pod, node, nullptr);
    if (!found) return status::unresolvable(interned_name(found.error().message()));
    if (!*found) return status::unresolvable(interned_name("cannot allocate all claims"));
    for (std::size_t next = 0; const auto& each : of_pod.uses) {
        of_pod.assumed.push_back(each.given);
        if (each.given == nullptr) {
            of_pod.assumed.back() = objects_->assume(*each.object, std::move((**found)[next++]));
        }
    }
    return {};
}

KCONTROL_DECL result<std::optional<std::vector<api::resource::v1::allocation_result>>> dynamic_resources::decide(
    const state& of_pod, const node_info& node, std::string* missing) const {
    std::vector<std::shared_ptr<const claim_catalog::claim>> wanted;
    for (const auto& each : of_pod.uses) {
        if (each.given == nullptr) wanted.push_back(each.object);
    }
    if (wanted.empty()) return std::optional(std::vector<api::resource::v1::allocation_result>());
    return allocate_devices(wanted, objects_->devices(), objects_->held(), node.node(), objects_->options(), missing);
}

}  // namespace kcontrol::scheduling
