// metadata_object: an object of which only the metadata is kept, whatever its kind. For caches that need no more.
#pragma once

#include <kcontrol/model/resource.hpp>

#include <exception>
#include <string>

namespace kcontrol::inline v0_1 {

/// metav1.PartialObjectMetadata. It can be read, watched, patched and deleted as any object; a client asks the server
/// to send no more than that.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
struct metadata_object {
    object_meta metadata;  ///< all that is kept of the object

    friend bool operator==(const metadata_object&, const metadata_object&) = default;
};

template <>
struct field_list_of<metadata_object> {
    /// `metadata`, its only field: what the codec reads and writes.
    static constexpr auto get() { return fields(field("metadata", &metadata_object::metadata)); }
};

/// The resource_info of a kind of which only the metadata is wanted. Its objects are metadata_object.
KCONTROL_DECL resource_info metadata_resource(group_version_kind gvk, std::string plural,
                                              resource_scope scope = resource_scope::namespaced);

namespace detail {
KCONTROL_DECL resource_info metadata_resource_named(const resource_name& name);
}

/// The same of the kind that a type stands for; one static object each. How T is read is no part of it, so it costs
/// nothing to compile.
template <class T>
const resource_info& metadata_resource_of() {
    assert_resource<T>();
    if constexpr (is_resource<T>) {
        static const resource_info info = detail::metadata_resource_named(T::kcontrol_resource);
        return info;
    } else {
        std::terminate();  // in no program: the assertion has failed
    }
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/metadata_object.ipp>
#endif
