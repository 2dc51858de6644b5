// The paths of an OpenAPI document: what may be done with a kind, its objects and what is below them.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/resource_type.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

/// "api/v1", "apis/apps/v1".
std::string group_version_path(const resource_type& type, const std::string& version);

/// An operation about no kind: "get".
json::object plain_operation(std::string_view action);

/// Adds the paths of a kind in a version.
void add_paths(json::object& paths, const resource_type& type, const std::string& version);

}  // namespace kcontrol::testing::detail
