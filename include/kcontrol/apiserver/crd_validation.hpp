// What apiextensions-apiserver has against a CustomResourceDefinition. Pure.
#pragma once

#include <kcontrol/apiserver/failure.hpp>
#include <kcontrol/documents/value.hpp>

#include <vector>

namespace kcontrol::inline v0_1::testing {

/// Adds what a definition has without saying it: names, the conversion.
KCONTROL_DECL void set_definition_defaults(json::object& crd);

/// What is wrong with a definition, in the words of Kubernetes 1.36: names, versions, structural schemas, defaults,
/// subresources, columns. Rules that this server can't evaluate are among it. `before`: what it was, or null.
KCONTROL_DECL std::vector<field_problem> validate_definition(const json::object& crd, const json::object* before);

}  // namespace kcontrol::testing

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/apiserver/impl/crd_validation.ipp>
#endif
