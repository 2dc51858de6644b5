// What a delete does to an object before it goes: graces of pods, finalizers of the garbage collector. Pure.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/delete_request.hpp>
#include <kcontrol/testing/resource_type.hpp>

#include "testserver/stored_object.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing {

inline constexpr std::string_view orphan_finalizer = "orphan";
inline constexpr std::string_view foreground_finalizer = "foregroundDeletion";

/// Of a CustomResourceDefinition that is being deleted, until its objects are gone.
inline constexpr std::string_view definition_finalizer = "customresourcecleanup.apiextensions.k8s.io";

/// How a delete goes on.
enum class deletion_step {
    remove,           ///< at once; the object is shown as it was
    mark_and_remove,  ///< a pod: the mark is written first, then it goes
    mark,             ///< it stays, terminating
    nothing,          ///< it is terminating already, and this delete changes nothing
};

/// Marks the content of an object as being deleted at `now` (RFC 3339), as far as it has to stay. `collects`: there is
/// a garbage collector, for which finalizers are set.
///
/// Source: apiserver's registry/rest/delete.go and registry/generic/registry/store.go, Kubernetes 1.36.
deletion_step begin_deletion(const resource_type& type, json::object& content, const delete_request& request,
                             const std::string& now, bool collects);

}  // namespace kcontrol::testing
