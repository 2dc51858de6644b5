// YAML to JSON: the YAML that kubeconfigs and manifests are written in, as plain data.
#pragma once

#include <kcontrol/json/value.hpp>

#include <string_view>
#include <vector>

namespace kcontrol::json {

/// The documents of a YAML stream (or JSON, which is YAML). Scalars are resolved as Kubernetes does (YAML 1.1's
/// core: null, true/false, integers, floats; everything quoted is text). Empty documents are left out.
/// Budgets: 1 MiB by default, depth 64, 100 aliases; tags other than the core ones, duplicate keys and keys that are
/// not scalars are errors. Errors: decode_failed naming line and column; too_large.
KCONTROL_DECL result<std::vector<value>> parse_yaml(std::string_view text,
                                                    std::size_t max_bytes = std::size_t{1} << 20);

}  // namespace kcontrol::json

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/json/impl/yaml.ipp>
#endif
