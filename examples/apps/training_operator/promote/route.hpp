// What divides traffic between two models: an HTTPRoute or an InferenceService, of which only the weights are read and
// written.
#pragma once

#include <kcontrol/codec/dynamic_object.hpp>

#include "job/promote.hpp"

#include <string>

namespace training_operator {

/// Its kind.
const resource_info& route_kind(const promote_spec& which);
text route_name(const promote_spec& which);

/// Errors: invalid_argument where it lacks the rule or a backend.
result<weights> weights_of(const promote_spec& which, const dynamic_object& route);

/// A patch, in the content type `patch_type()`, of a route that weights_of() has read: it fails if the backends are
/// others by then.
std::string weights_patch(const promote_spec& which, const dynamic_object& route, const weights& to);
const char* patch_type(const promote_spec& which);

}  // namespace training_operator
