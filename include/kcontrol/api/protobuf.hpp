// The Protocol Buffers of the built-in kinds: which field number is which member. Linked only where it is used.
#pragma once

#include <kcontrol/codec/protobuf_schema.hpp>
#include <kcontrol/config.hpp>

#include <span>
#include <string_view>

namespace kcontrol::inline v0_1::api {

/// The kinds of Kubernetes 1.36 with their messages, in the order of builtin_kinds().
KCONTROL_DECL std::span<const protobuf_kind> protobuf_kinds() noexcept;

/// The message of a built-in kind; null of any other.
KCONTROL_DECL const protobuf_message* find_protobuf(std::string_view group, std::string_view version,
                                                    std::string_view kind) noexcept;

/// What every API has beside its kinds: the metadata of a list, an object of which there is only the metadata, what a
/// request that failed is answered with, and what may stand in a request that deletes.
KCONTROL_DECL const protobuf_message& protobuf_list_metadata() noexcept;
KCONTROL_DECL const protobuf_message& protobuf_partial_object() noexcept;
KCONTROL_DECL const protobuf_message& protobuf_status() noexcept;
KCONTROL_DECL const protobuf_message& protobuf_delete_options() noexcept;

}  // namespace kcontrol::api

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/api/impl/protobuf.ipp>
#endif
