// Protocol Buffers between client and server, as Kubernetes' own programs have it for the built-in kinds.
#pragma once

#include <kcontrol/client/object_encoding.hpp>
#include <kcontrol/codec/protobuf_schema.hpp>

#include <memory>
#include <span>

namespace kcontrol::inline v0_1 {

/// For client_options::encoding(). Clients ask for Protocol Buffers, and for JSON where the server has none, when they
/// get, list, watch, create and update objects of the built-in kinds, and when they want only the metadata of any kind.
/// `more` are kinds of which the server has Protocol Buffers besides, as aggregated API servers do; their tables, and
/// `more`, outlive what is made. docs/protobuf.md says what stays JSON: among them dynamic objects, and C++ types that
/// have a member more than the table of their kind.
KCONTROL_DECL std::shared_ptr<const object_encoding> protobuf_encoding(std::span<const protobuf_kind> more = {});

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/protobuf_encoding.ipp>
#endif
