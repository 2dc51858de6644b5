// Strategic merge patches of Kubernetes' own kinds: maps are merged, lists by their keys, and directives say the rest.
// Pure.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/failure.hpp>

#include "testserver/builtin_schema.hpp"

namespace kcontrol::inline v0_1::testing {

/// Puts a patch over an object of that type. Heeds `$patch` (replace, delete, merge), `$retainKeys`,
/// `$deleteFromPrimitiveList/LIST` and `$setElementOrder/LIST`; which lists are merged, and by which key, the type
/// says. Fails as Kubernetes does where a patch can't be understood; `object` is half changed then.
///
/// Source: apimachinery, pkg/util/strategicpatch/patch.go.
outcome<void> apply_strategic_patch(const schema_type& type, json::object& object, const json::object& patch);

}  // namespace kcontrol::testing
