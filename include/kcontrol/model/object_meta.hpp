// metav1.ObjectMeta: what every object carries, as far as controllers use it.
#pragma once

#include <kcontrol/values/dict.hpp>
#include <kcontrol/values/timestamp.hpp>

#include <cstdint>
#include <optional>

namespace kcontrol::inline v0_1 {

/// metav1.OwnerReference.
struct owner_reference {
    text api_version;
    text kind;
    text name;
    text uid;
    std::optional<bool> controller;
    std::optional<bool> block_owner_deletion;

    friend bool operator==(const owner_reference&, const owner_reference&) = default;
};

/// metav1.ObjectMeta. `managedFields` is not read.
struct object_meta {
    text name;
    text generate_name;
    text namespace_;  ///< JSON "namespace"
    text uid;
    text resource_version;  ///< opaque: compare for equality only
    std::optional<std::int64_t> generation;
    timestamp creation_timestamp;
    timestamp deletion_timestamp;
    std::optional<std::int64_t> deletion_grace_period_seconds;
    dict<text> labels;
    dict<text> annotations;
    list<owner_reference> owner_references;
    list<text> finalizers;

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
