// dynamic_object: an object of a kind that is known at run time only. Everything the server sent is kept.
//
// This header reaches Boost.JSON and costs its users about a second; typed kinds do not need it.
#pragma once

#include <kcontrol/json/value.hpp>
#include <kcontrol/model/resource.hpp>

namespace kcontrol {

/// An object as JSON, with its metadata read. When it is written, `metadata` wins over `content` where the two differ;
/// what object_meta does not know (managedFields…) is kept as it is in `content`.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class dynamic_object {
public:
    dynamic_object() = default;

    object_meta metadata;
    json::object content;  ///< the whole object, with apiVersion, kind and metadata if the server sent them

    /// From `apiVersion` and `kind` in content; the elements of a list may lack them.
    KCONTROL_DECL group_version_kind gvk() const;

    friend bool operator==(const dynamic_object& a, const dynamic_object& b) {
        return a.metadata == b.metadata && a.content == b.content;
    }
};

/// The resource_info of a kind that no type stands for. Its objects are dynamic_object.
KCONTROL_DECL resource_info dynamic_resource(group_version_kind gvk, std::string plural,
                                             resource_scope scope = resource_scope::namespaced);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/model/impl/dynamic_object.ipp>
#endif
