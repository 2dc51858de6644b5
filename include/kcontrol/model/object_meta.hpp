// metav1.ObjectMeta: what every object carries, as far as controllers use it.
#pragma once

#include <kcontrol/values/dict.hpp>
#include <kcontrol/values/timestamp.hpp>

#include <cstdint>
#include <optional>

namespace kcontrol::inline v0_1 {

/// metav1.OwnerReference.
struct owner_reference {
    text api_version;                          ///< the owner's group and version, "apps/v1", or "v1" for the core group
    text kind;                                 ///< of the owner, such as "Deployment"
    text name;                                 ///< of the owner, which is in the object's namespace or cluster-scoped
    text uid;                                  ///< of the owner; another object of the same name is no owner
    std::optional<bool> controller;            ///< true: the owner manages this object, as at most one owner does
    std::optional<bool> block_owner_deletion;  ///< true: deleting the owner in the foreground waits for this object

    friend bool operator==(const owner_reference&, const owner_reference&) = default;
};

/// metav1.ObjectMeta. `managedFields` is not read.
struct object_meta {
    text name;                               ///< unique among the kind's objects in the namespace; never changes
    text generate_name;                      ///< prefix; the server makes a name of it where `name` is empty
    text namespace_;                         ///< JSON "namespace"
    text uid;                                ///< given by the server, and never to another object
    text resource_version;                   ///< opaque: compare for equality only
    std::optional<std::int64_t> generation;  ///< the server raises it when the desired state changes; none: not said
    timestamp creation_timestamp;            ///< when the server first stored the object; none before that
    /// When the grace period of its deletion ends; none: it is not being deleted. Finalizers may keep it longer.
    timestamp deletion_timestamp;
    std::optional<std::int64_t> deletion_grace_period_seconds;  ///< length of that period; set with deletion_timestamp
    dict<text> labels;                       ///< what label selectors look at; for their form see names.hpp
    dict<text> annotations;                  ///< texts of any form, for tools; nothing selects by them
    list<owner_reference> owner_references;  ///< when all of these are gone, the object is deleted too
    list<text> finalizers;                   ///< a deleted object stays until all of these have been taken off

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
