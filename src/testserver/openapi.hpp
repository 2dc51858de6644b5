// The OpenAPI documents that clients ask for: which kinds there are, what may be done with them, and the schemas of
// their types. Pure.
#pragma once

#include <kcontrol/http/message.hpp>

#include "testserver/object_store.hpp"

#include <optional>
#include <string_view>

namespace kcontrol::inline v0_1::testing {

/// The answer to "/openapi/v3" (an index of documents) or "/openapi/v3/apis/G/V": the paths of the kinds with their
/// subresources, and that writes know the parameter fieldValidation, without which kubectl refuses to create; types and
/// fields without texts (but for those of definitions), for `kubectl explain`. Nothing for other paths.
std::optional<json::value> openapi_document(const object_store& store, std::string_view path);

/// The answer to "/openapi/v2", which has all kinds in one document: JSON, or the Protocol Buffers that kubectl asks
/// for to check a List. Nothing for other paths.
std::optional<http::response> answer_openapi_v2(const object_store& store, std::string_view path,
                                                std::string_view accept);

}  // namespace kcontrol::testing
