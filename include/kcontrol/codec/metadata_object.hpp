// metadata_object: an object of which only the metadata is kept, whatever its kind. For caches that need no more.
#pragma once

#include <kcontrol/model/resource.hpp>

#include <string>

namespace kcontrol {

/// metav1.PartialObjectMetadata. It can be read, watched, patched and deleted as any object; a client asks the server
/// to send no more than that.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
struct metadata_object {
    object_meta metadata;

    friend bool operator==(const metadata_object&, const metadata_object&) = default;
};

template <>
struct field_list_of<metadata_object> {
    static constexpr auto get() { return fields(field("metadata", &metadata_object::metadata)); }
};

/// The resource_info of a kind of which only the metadata is wanted. Its objects are metadata_object.
KCONTROL_DECL resource_info metadata_resource(group_version_kind gvk, std::string plural,
                                              resource_scope scope = resource_scope::namespaced);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/metadata_object.ipp>
#endif
