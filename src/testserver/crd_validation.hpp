// What apiextensions-apiserver has against a CustomResourceDefinition. Pure.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/failure.hpp>

#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// Adds what a definition has without saying it: names, the conversion.
void set_definition_defaults(json::object& crd);

/// What is wrong with a definition, in the words of Kubernetes 1.36: names, versions, structural schemas, defaults,
/// subresources, columns. Rules that this server can't evaluate are among it, unless `lenient_cel`. `before`: what it
/// was, or null.
std::vector<field_problem> validate_definition(const json::object& crd, const json::object* before,
                                               bool lenient_cel = false);

/// A rule of a version that `lenient_cel` takes. It is not enforced.
class taken_rule {
public:
    std::string version;
    std::string path;     ///< "spec.versions[0].….rule" or "….messageExpression"
    std::string text;     ///< the expression
    std::string problem;  ///< what this server does not know
};

/// All of a definition.
std::vector<taken_rule> unread_rules(const json::value& crd);

}  // namespace kcontrol::testing
