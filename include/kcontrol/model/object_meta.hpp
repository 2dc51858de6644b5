// metav1.ObjectMeta: what every object carries, as far as controllers use it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol {

/// metav1.OwnerReference.
struct owner_reference {
    std::string api_version;
    std::string kind;
    std::string name;
    std::string uid;
    std::optional<bool> controller;
    std::optional<bool> block_owner_deletion;

    friend bool operator==(const owner_reference&, const owner_reference&) = default;
};

/// metav1.ObjectMeta. `managedFields` is not read. Times are kept as the RFC 3339 text that came.
struct object_meta {
    std::string name;
    std::string generate_name;
    std::string namespace_;  ///< JSON "namespace"
    std::string uid;
    std::string resource_version;  ///< opaque: compare for equality only
    std::optional<std::int64_t> generation;
    std::string creation_timestamp;
    std::string deletion_timestamp;
    std::optional<std::int64_t> deletion_grace_period_seconds;
    std::map<std::string, std::string> labels;
    std::map<std::string, std::string> annotations;
    std::vector<owner_reference> owner_references;
    std::vector<std::string> finalizers;

    friend bool operator==(const object_meta&, const object_meta&) = default;
};

/// The owner that controls the object, or null.
inline const owner_reference* controller_of(const object_meta& meta) {
    for (const auto& owner : meta.owner_references) {
        if (owner.controller.value_or(false)) return &owner;
    }
    return nullptr;
}

}  // namespace kcontrol
