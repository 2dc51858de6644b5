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
    if (meta.namespace_ != waiting.namespace_()) return false;
    return extended_claim::pod_of(after != nullptr ? *after : *before) == waiting.uid() ||
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
        state::use made{objects_->find_claim(pod.namespace_(), *named), false, {}, {}};
        if (made.object == nullptr) {
            return refused(path + ": ResourceClaim " + in_quotes(*named) + " does not exist");
        }
        const auto& owners = made.object->metadata.owner_references;
        const bool is_own = std::ranges::any_of(owners, [&](const auto& owner) { return owner.uid == pod.uid(); });
        if (!each.resource_claim_template_name.empty() && !is_own) {
            return refused(path + ": ResourceClaim " + in_quotes(*named) + " was not made for this pod");
        }
        if (auto said = read_use(made, pod, path + ": "); !said.ok()) return said;
        const bool is_twice =
            std::ranges::any_of(of_pod.uses, [&](const state::use& other) { return other.object == made.object; });
        if (!is_twice) of_pod.uses.push_back(std::move(made));
    }
    for (const auto& each : pod.requests().extended()) {
        if (objects_->find_class_for(each.resource.view()) != nullptr) of_pod.extended.push_back(each.resource);
    }
    if (pod.requests().extended().empty()) return of_pod.uses.empty() ? status::skip() : status();
    if (!of_pod.extended.empty()) {
        of_pod.draft =
            extended_claim::of(pod.pod(), [this](auto resource) { return objects_->find_class_for(resource); });
    }
    const auto made = objects_->find_extended_claim(pod.pod());
    if (made != nullptr && !extended_claim::is_draft(*made)) {
        // Not emplace(): clang 14 takes a nested type with initialisers for one without a default constructor.
        of_pod.made = state::use{};
        of_pod.made->object = made;
        if (auto said = read_use(*of_pod.made, pod, {}); !said.ok()) return said;
    }
    const bool is_named = pod.pod().status.extended_resource_claim_status.present();
    return of_pod.uses.empty() && of_pod.extended.empty() && !of_pod.made && !is_named ? status::skip() : status();
}

KCONTROL_DECL status dynamic_resources::read_use(state::use& of, const pod_info& pod, const std::string& path) const {
    const auto& meta = of.object->metadata;
    const auto claim = "ResourceClaim " + in_quotes(meta.name);
    const auto refused = [](const std::string& why) { return status::unresolvable(interned_name(why)); };
    if (meta.deletion_timestamp) return refused(path + claim + " is being deleted");
    if (!detail::is_reserved_for(*of.object, pod.uid()) &&
        of.object->status.reserved_for.size() >= detail::most_users_of_claim) {
        return refused(path + claim + " is reserved for " + std::to_string(detail::most_users_of_claim) +
                       " pods, the most");
    }
    const auto given = objects_->allocation_of(of.object);
    of.is_given = given != nullptr;
    of.given = given;
    if (given == nullptr || !given->node_selector) return {};
    auto nodes = node_selector::of(*given->node_selector);
    if (!nodes) return refused(claim + ": status.allocation.nodeSelector: " + nodes.error().message());
    of.nodes = std::move(*nodes);
    return {};
}

KCONTROL_DECL std::shared_ptr<const extended_claim> dynamic_resources::extended_on(const state& of_pod,
                                                                                   const pod_info& pod,
                                                                                   const node_info& node) const {
    const auto has = [&](const interned_name& resource) { return node.allocatable().extended(resource) > 0; };
    if (std::ranges::none_of(of_pod.extended, has)) return of_pod.draft;
    if (std::ranges::all_of(of_pod.extended, has)) return nullptr;
    return extended_claim::of(pod.pod(), [&](std::string_view resource) {
        return has(interned_name(resource)) ? nullptr : objects_->find_class_for(resource);
    });
}

KCONTROL_DECL status dynamic_resources::reach(const state::use& of, const pod_info& pod, const node_info& node) {
    if (!of.is_given || !of.nodes || of.nodes->selects(node.node().metadata)) return {};
    const interned_name why("node(s) can't reach the devices of ResourceClaim " + in_quotes(of.object->metadata.name));
    return detail::is_only_user(*of.object, pod.uid()) ? status::unschedulable(why) : status::unresolvable(why);
}

KCONTROL_DECL status dynamic_resources::filter(const state& of_pod, const pod_info& pod, const node_info& node) const {
    for (const auto& each : of_pod.uses) {
        if (auto said = reach(each, pod, node); !said.ok()) return said;
    }
    const auto extended = extended_on(of_pod, pod, node);
    if (of_pod.made) {
        const auto& made = *of_pod.made;
        if (extended == nullptr || !detail::has_same_requests(*made.object, *extended->object)) {
            static const interned_name other("node(s) don't suit the ResourceClaim that was made for the pod");
            return status::unschedulable(other);
        }
        if (auto said = reach(made, pod, node); !said.ok()) return said;
    } else if (extended == nullptr && pod.pod().status.extended_resource_claim_status) {
        // The kubelet would look for that claim.
        static const interned_name stale(
            "node(s) have the extended resources, and the pod's status names a ResourceClaim for them");
        return status::unresolvable(stale);
    }
    std::string missing;
    const auto found = decide(of_pod, node, extended.get(), &missing);
    if (!found) return status::unresolvable(interned_name(found.error().message()));
    return *found ? status() : status::unresolvable(interned_name("cannot allocate all claims: " + missing));
}

KCONTROL_DECL status dynamic_resources::reserve(state& of_pod, placement& of, const node_info& node) {
    auto extended = extended_on(of_pod, of.pod(), node);
    auto found = decide(of_pod, node, extended.get(), nullptr);
    if (!found) return status::unresolvable(interned_name(found.error().message()));
    if (!*found) return status::unresolvable(interned_name("cannot allocate all claims"));
    of_pod.chosen = std::move(extended);
    if (of_pod.chosen != nullptr) {
        of_pod.uses.push_back(of_pod.made ? *of_pod.made : state::use{of_pod.chosen->object, false, {}, {}});
    }
    for (std::size_t next = 0; const auto& each : of_pod.uses) {
        of_pod.assumed.push_back(each.given.lock());
        if (!each.is_given) of_pod.assumed.back() = objects_->assume(each.object, std::move((**found)[next++]));
        if (of_pod.assumed.back() == nullptr) {
            of_pod.assumed.clear();
            return status::unschedulable(interned_name("a ResourceClaim lost its allocation meanwhile"));
        }
    }
    return {};
}

KCONTROL_DECL dynamic_resources::allocations dynamic_resources::decide(const state& of_pod, const pod_info& pod,
                                                                       const node_info& node,
                                                                       std::string* missing) const {
    return decide(of_pod, node, extended_on(of_pod, pod, node).get(), missing);
}

KCONTROL_DECL dynamic_resources::allocations dynamic_resources::decide(const state& of_pod, const node_info& node,
                                                                       const extended_claim* extended,
                                                                       std::string* missing) const {
    std::vector<std::shared_ptr<const claim_catalog::claim>> wanted;
    for (const auto& each : of_pod.uses) {
        if (!each.is_given) wanted.push_back(each.object);
    }
    const bool is_given = of_pod.made && of_pod.made->is_given;
    if (extended != nullptr && !is_given) wanted.push_back(of_pod.made ? of_pod.made->object : extended->object);
    if (wanted.empty()) return std::optional(std::vector<api::resource::v1::allocation_result>());
    return allocate_devices(wanted, objects_->devices(), objects_->held(), node.node(), objects_->options(), missing);
}

}  // namespace kcontrol::scheduling
