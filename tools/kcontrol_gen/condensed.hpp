// The condensed schema: what the project keeps of Kubernetes' OpenAPI documents. One line of JSON a kind and a type,
// without descriptions.
#pragma once

#include <kcontrol/base/result.hpp>

#include "ir.hpp"
#include "look.hpp"

namespace kcontrol_gen {

/// The schema as text, the same for the same schema. To be taken before finish_openapi().
std::string write_condensed(const schema& all);

/// Adds what write_condensed() wrote. Errors: decode_failed.
kcontrol::result<void> read_condensed(const json::value& document, const std::string& name, schema& into);

}  // namespace kcontrol_gen
