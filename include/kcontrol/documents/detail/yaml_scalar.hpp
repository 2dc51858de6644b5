// What a YAML scalar means: the resolution rules, apart from the parser.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <string_view>

namespace kcontrol::inline v0_1::json::detail {

/// The value of a scalar. `tag` is what libyaml reports: empty, "!" or a full tag. Only plain scalars without a tag,
/// and scalars with a core tag, become anything but text. Errors carry a message without a place.
KCONTROL_DECL result<value> yaml_resolve(std::string_view text, std::string_view tag, bool plain);

}  // namespace kcontrol::json::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/documents/impl/yaml_scalar.ipp>
#endif
