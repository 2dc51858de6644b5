// The field lists of object_meta and owner_reference.
#pragma once

#include <kcontrol/model/describe.hpp>
#include <kcontrol/model/object_meta.hpp>

namespace kcontrol::inline v0_1 {

template <>
struct field_list_of<owner_reference> {
    /// The names of the members in JSON, in the order in which they are written.
    static constexpr auto get() {
        return fields(field("apiVersion", &owner_reference::api_version), field("kind", &owner_reference::kind),
                      field("name", &owner_reference::name), field("uid", &owner_reference::uid),
                      field("controller", &owner_reference::controller),
                      field("blockOwnerDeletion", &owner_reference::block_owner_deletion));
    }
};

template <>
struct field_list_of<object_meta> {
    /// The names of the members in JSON, in the order in which they are written.
    static constexpr auto get() {
        return fields(
            field("name", &object_meta::name), field("generateName", &object_meta::generate_name),
            field("namespace", &object_meta::namespace_), field("uid", &object_meta::uid),
            field("resourceVersion", &object_meta::resource_version), field("generation", &object_meta::generation),
            field("creationTimestamp", &object_meta::creation_timestamp),
            field("deletionTimestamp", &object_meta::deletion_timestamp),
            field("deletionGracePeriodSeconds", &object_meta::deletion_grace_period_seconds),
            field("labels", &object_meta::labels), field("annotations", &object_meta::annotations),
            field("ownerReferences", &object_meta::owner_references), field("finalizers", &object_meta::finalizers));
    }
};

#ifndef KCONTROL_HEADER_ONLY
// Built once, in the library.
extern template struct detail::structure_type<owner_reference>;
extern template struct detail::structure_type<object_meta>;
#endif

}  // namespace kcontrol
