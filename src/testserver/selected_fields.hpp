// What field selectors may say of a kind, and what the objects' fields are for them. Pure.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/resource_type.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing {

/// Why the kind has no field selector for that field, in Kubernetes' words; nothing: it has.
std::optional<std::string> field_selector_problem(const resource_type& type, std::string_view field);

/// The field's text as a selector compares it: absent numbers and booleans of Kubernetes' own kinds are "0" and
/// "false". `field` is none of metadata.
///
/// Source: the ToSelectableFields functions of pkg/registry, Kubernetes 1.36.
std::string selected_field(const group_resource& id, std::string_view field, const json::value& content);

}  // namespace kcontrol::testing
