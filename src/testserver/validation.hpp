// What Kubernetes refuses in objects of its own kinds, as far as controllers rely on it. Pure; docs/apiserver.md says
// what.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/failure.hpp>
#include <kcontrol/testing/resource_type.hpp>

#include <vector>

namespace kcontrol::inline v0_1::testing {

/// All that is wrong with an object that has its defaults; `before` is what it replaces, or null.
std::vector<field_problem> validate_builtin(const resource_type& type, const json::object& object,
                                            const json::object* before);

}  // namespace kcontrol::testing
