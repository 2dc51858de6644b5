// x-kubernetes-validations: the rules in a structural schema, checked at creation and held against objects. Pure.
#pragma once

#include <kcontrol/apiserver/cel.hpp>
#include <kcontrol/apiserver/failure.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/schema/text_checks.hpp>

#include <string>
#include <vector>

namespace kcontrol::testing::detail {

/// Whether a schema has a rule anywhere.
KCONTROL_DECL bool has_rules(const json::value& schema);

/// What this server can't evaluate, as problems of the fields under `path` ("spec.versions[0].schema.openAPIV3Schema").
KCONTROL_DECL void find_unknown_rules(const json::value& schema, const std::string& path,
                                      std::vector<field_problem>& problems);

/// Adds the problems of an object that keeps not to the rules. `before`: what it was, or null.
KCONTROL_DECL void check_rules(const json::value& schema, const json::value& now, const json::value* before,
                               const std::string& path, text_checks& texts, std::vector<field_problem>& problems);

}  // namespace kcontrol::testing::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/apiserver/impl/cel_rules.ipp>
#endif
