// OpenAPI v2, made of the parts of v3 documents: what kubectl reads for lists and for kinds that v3 does not have.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <string>

namespace kcontrol::inline v0_1::testing::detail {

/// The document as JSON. Of schemas it has what v2 can say: no alternatives, no defaults of custom kinds.
json::value openapi_v2_of(json::object info, json::object v3_paths, json::object v3_schemas);

/// The same document as a message of gnostic's openapi.v2.Document, the only form that client-go reads.
std::string openapi_v2_protobuf(const json::value& document);

}  // namespace kcontrol::testing::detail
