// YAML to JSON, the YAML that kubeconfigs and manifests are written in, as plain data; and JSON to YAML.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::json {

/// The documents of a YAML stream (or JSON, which is YAML). Empty documents are left out.
///
/// Scalars are resolved as kubectl resolves them. Plain ones are null (empty, `~`, `null`), booleans (`true`, `yes`,
/// `on`, `y` and their opposites), integers (decimal, 0x, 0o, 0b, and octal by a leading zero; `_` is ignored), floats,
/// else text; integers beyond 64 bits become floats. Quoted ones are text. Keys are text: `8080:` is "8080", `on:` is
/// "true". Anchors, aliases and merge keys (`<<`) are expanded.
///
/// Budgets: `max_bytes`, depth 64, 100 aliases that together add at most 8 times `max_bytes`.
/// Refused: tags other than the core ones, duplicate keys, keys that are null or not scalars, infinities and NaN.
/// Source: sigs.k8s.io/yaml and its goyaml.v2 (resolve.go); compared with version 1.4.0 on 3,600 scalars. What differs
/// is the digits of float keys, which Go rounds to single precision.
/// Errors: decode_failed naming line and column, never a value; too_large.
KCONTROL_DECL result<std::vector<value>> parse_yaml(std::string_view text,
                                                    std::size_t max_bytes = std::size_t{1} << 20);

/// A document as Kubernetes writes YAML: members in order of their names, blocks, lists not indented; texts plain where
/// they read back as texts, else in quotes; several lines as a literal block.
KCONTROL_DECL std::string to_yaml(const value& v);

}  // namespace kcontrol::json

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/documents/impl/yaml.ipp>
#include <kcontrol/documents/impl/yaml_writer.ipp>
#endif
