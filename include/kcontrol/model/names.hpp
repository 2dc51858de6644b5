// What names, labels and keys must look like, with the words in which the API server refuses them.
#pragma once

#include <kcontrol/config.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

/// What is wrong with a text, in Kubernetes' own words; empty if nothing is.
/// Source: k8s.io/apimachinery/pkg/util/validation and api/validate/content, version 0.36.
using name_problems = std::vector<std::string>;

/// RFC 1123 label: namespaces, Services, container names. Up to 63 of a-z, 0-9 and '-'.
KCONTROL_DECL name_problems check_dns1123_label(std::string_view text);

/// RFC 1123 subdomain: the names of most objects, API groups. Labels joined by dots, up to 253 characters.
KCONTROL_DECL name_problems check_dns1123_subdomain(std::string_view text);

/// RFC 1035 label: as an RFC 1123 label, but it begins with a letter. The plural names of kinds.
KCONTROL_DECL name_problems check_dns1035_label(std::string_view text);

/// The key of a label or annotation, or another qualified name: [subdomain/]name.
KCONTROL_DECL name_problems check_label_key(std::string_view text);

/// The value of a label.
KCONTROL_DECL name_problems check_label_value(std::string_view text);

/// The name of a container's port.
KCONTROL_DECL name_problems check_port_name(std::string_view text);

/// A key in a ConfigMap or Secret.
KCONTROL_DECL name_problems check_config_map_key(std::string_view text);

/// The name of an environment variable, as strict as it was up to Kubernetes 1.29.
KCONTROL_DECL name_problems check_env_var_name(std::string_view text);

/// The problems as one text, joined by "; ".
KCONTROL_DECL std::string join_problems(const name_problems& problems);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/model/impl/names.ipp>
#endif
