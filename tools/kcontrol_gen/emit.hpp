// Writing C++: a header for a user's kinds, and the library's own headers of the built-in kinds.
#pragma once

#include "dialect.hpp"
#include "ir.hpp"

#include <map>
#include <string>

namespace kcontrol_gen {

/// One self-contained header. Types of a CRD's version `v1` are in `name_space::v1`, which is an inline namespace if
/// it is a storage version; types of an OpenAPI document are in `name_space::apps::v1`.
/// `remarks` gets what the types can't say, as it is in the header.
std::string emit_header(const schema& all, const dialect& words, const std::string& name_space,
                        std::vector<remark>& remarks);

/// The files of the built-in kinds, by path below the project's root.
std::map<std::string, std::string> emit_builtin(const schema& all, const dialect& words);

/// The files of beta and alpha groups: what `beta` has and `stable`, the schema of the built-in kinds, hasn't.
std::map<std::string, std::string> emit_beta(const schema& beta, const schema& stable, const dialect& words);

}  // namespace kcontrol_gen
