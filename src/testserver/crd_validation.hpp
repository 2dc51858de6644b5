// What apiextensions-apiserver has against a CustomResourceDefinition. Pure.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/failure.hpp>

#include <vector>

namespace kcontrol::inline v0_1::testing {

/// Adds what a definition has without saying it: names, the conversion.
void set_definition_defaults(json::object& crd);

/// What is wrong with a definition, in the words of Kubernetes 1.36: names, versions, structural schemas, defaults,
/// subresources, columns. Rules that this server can't evaluate are among it. `before`: what it was, or null.
std::vector<field_problem> validate_definition(const json::object& crd, const json::object* before);

}  // namespace kcontrol::testing
