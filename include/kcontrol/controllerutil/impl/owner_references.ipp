#pragma once

#include <kcontrol/controllerutil/impl/owner.ipp>
#include <kcontrol/controllerutil/owner_references.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL bool has_owner_reference(const resource_info& owner_kind, const object_meta& owner,
                                       const object_meta& dependent) {
    const auto& all = dependent.owner_references;
    return std::any_of(all.begin(), all.end(),
                       [&](const owner_reference& one) { return detail::refers_to_owner(one, owner_kind, owner); });
}

KCONTROL_DECL bool remove_owner_reference(const resource_info& owner_kind, const object_meta& owner,
                                          object_meta& dependent) {
    if (!has_owner_reference(owner_kind, owner, dependent)) return false;
    list<owner_reference> rest;
    for (const owner_reference& one : dependent.owner_references) {
        if (!detail::refers_to_owner(one, owner_kind, owner)) rest.push_back(one);
    }
    dependent.owner_references = std::move(rest);
    return true;
}

}  // namespace kcontrol
