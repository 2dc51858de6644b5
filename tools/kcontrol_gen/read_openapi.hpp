// Reading OpenAPI v3 documents, as an API server publishes them at /openapi/v3: one a group-version.
#pragma once

#include <kcontrol/base/result.hpp>

#include "ir.hpp"
#include "look.hpp"

namespace kcontrol_gen {

/// Adds the kinds that the document's paths serve, and the types they reach. Kinds of other group-versions that appear
/// as subresources (autoscaling/v1 Scale in apps/v1) come with their own document.
/// `name` is for messages. Errors: decode_failed: not an OpenAPI v3 document, a $ref that leads nowhere.
kcontrol::result<void> read_openapi(const json::value& document, const std::string& name, schema& into);

/// Fills name, group and version of a type from its key: io.k8s.api.apps.v1.Deployment. The group is only the word in
/// that name.
void place_type(const std::string& key, object_type& type);

/// Gives kinds that are also members of other types (PersistentVolumeClaim in a StatefulSet) a second type which has
/// apiVersion and kind, and sorts. To be called once, after the last document.
void finish_openapi(schema& all);

}  // namespace kcontrol_gen
