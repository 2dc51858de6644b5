// What OpenAPI documents and CRDs share: the scalar types, and the facts of a field that are not its type.
#pragma once

#include "ir.hpp"
#include "look.hpp"

#include <optional>

namespace kcontrol_gen {

/// The scalar that a schema with a `type` (or int-or-string) stands for; nothing for arrays, objects, and what has no
/// known type.
std::optional<shape> scalar_shape(const json::value& schema);

/// Fills default, enum, list-type and map keys.
void read_field_facts(const json::value& schema, field& into);

}  // namespace kcontrol_gen
