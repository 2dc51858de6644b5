// Which object an Event is about.
#pragma once

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/model/object_key.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1 {

/// An object by kind, key and uid, as Events name the one they are about.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class object_reference {
public:
    object_reference() = default;
    /// Kind, key, uid and resource version of an object; the last two may be unknown.
    object_reference(group_version_kind g, namespaced_name k, std::string u = {}, std::string v = {})
        : gvk(std::move(g)), key(std::move(k)), uid(std::move(u)), resource_version(std::move(v)) {}

    group_version_kind gvk;        ///< group, version and kind
    namespaced_name key;           ///< without a namespace: of a cluster-scoped object
    std::string uid;               ///< tells it from another object of its name; empty: unknown
    std::string resource_version;  ///< that whoever reports has seen; empty: unknown

    friend bool operator==(const object_reference&, const object_reference&) = default;
};

inline object_reference reference_to(const resource_info& info, const object_meta& meta) {
    return {info.gvk, key_of(meta), std::string(meta.uid), std::string(meta.resource_version)};
}
template <resource T>
object_reference reference_to(const T& object) {
    return reference_to(resource_of<T>(), object.metadata);
}

}  // namespace kcontrol
