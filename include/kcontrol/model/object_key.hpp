// namespaced_name: the key of an object among the objects of its kind.
#pragma once

#include <kcontrol/model/object_meta.hpp>

#include <compare>
#include <cstddef>
#include <functional>
#include <string>

namespace kcontrol::inline v0_1 {

/// Namespace (empty for cluster-scoped objects) and name.
class namespaced_name {
public:
    namespaced_name() = default;
    /// `ns` is the namespace, empty for cluster-scoped objects, and `n` the name.
    namespaced_name(std::string ns, std::string n) : namespace_(std::move(ns)), name(std::move(n)) {}

    std::string namespace_;  ///< empty for cluster-scoped objects
    std::string name;        ///< metadata.name, unique among the objects of the kind in the namespace

    friend auto operator<=>(const namespaced_name&, const namespaced_name&) = default;
};

inline namespaced_name key_of(const object_meta& meta) { return {meta.namespace_, meta.name}; }

/// "namespace/name", or "name" for cluster-scoped objects.
inline std::string to_string(const namespaced_name& key) {
    return key.namespace_.empty() ? key.name : key.namespace_ + "/" + key.name;
}

}  // namespace kcontrol

template <>
struct std::hash<kcontrol::namespaced_name> {
    std::size_t operator()(const kcontrol::namespaced_name& key) const noexcept {
        const std::size_t a = std::hash<std::string>{}(key.namespace_);
        return a ^ (std::hash<std::string>{}(key.name) + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2));
    }
};
