// Owner references that are looked for and removed; owner.hpp sets them.
#pragma once

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/model/resource.hpp>

namespace kcontrol::inline v0_1 {

/// Whether the dependent has a reference to an owner of that group, kind and name, in whatever version and with
/// whatever uid: what set_owner_reference() would replace. is_owned_by() compares uids.
KCONTROL_DECL bool has_owner_reference(const resource_info& owner_kind, const object_meta& owner,
                                       const object_meta& dependent);

/// Removes it. False: there was none. The garbage collector deletes an object whose last owner is gone, but not one
/// that has no owner any more.
KCONTROL_DECL bool remove_owner_reference(const resource_info& owner_kind, const object_meta& owner,
                                          object_meta& dependent);

template <resource Owner, resource Dependent>
bool has_owner_reference(const Owner& owner, const Dependent& dependent) {
    return has_owner_reference(resource_of<Owner>(), owner.metadata, dependent.metadata);
}

template <resource Owner, resource Dependent>
bool remove_owner_reference(const Owner& owner, Dependent& dependent) {
    return remove_owner_reference(resource_of<Owner>(), owner.metadata, dependent.metadata);
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/owner_references.ipp>
#endif
