// The values of a view that a template may use.
#pragma once

#include "mustache/names.hpp"
#include "values/view.hpp"

namespace follow {

/// `endpoints`, each with address, port, hostPort, zone, node, pod and last.
const mustache::names& template_names();

/// Of the endpoints that are ready. A value with a character that could end the word it stands in (blanks, quotes,
/// semicolons, braces) is empty instead: whoever may write an EndpointSlice must not write the configuration. An
/// endpoint whose address is such a word is left out.
mustache::object template_values(const view& from);

}  // namespace follow
