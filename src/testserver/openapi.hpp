// The OpenAPI v3 documents that clients ask for: which kinds there are, and the schemas of their types. Pure.
#pragma once

#include "testserver/object_store.hpp"

#include <optional>
#include <string_view>

namespace kcontrol::inline v0_1::testing {

/// The answer to "/openapi/v3" (an index of group versions) or "/openapi/v3/apis/G/V": which kinds there are and that
/// they know the parameter fieldValidation, without which kubectl refuses to create; types and fields without texts
/// (but for those of definitions), for `kubectl explain`. Nothing for other paths.
std::optional<json::value> openapi_document(const object_store& store, std::string_view path);

}  // namespace kcontrol::testing
