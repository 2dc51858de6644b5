// Strict decoding: whether a document has members that its type does not declare.
#pragma once

#include <kcontrol/values/type_descriptor.hpp>

namespace kcontrol::inline v0_1 {

/// Refuses members that `type` does not declare, at any depth. decode() passes over them, which is right for what a
/// server sends; in configuration and admission a member that nobody reads is a mistake. `apiVersion` and `kind` are
/// known at the top of a resource; say so with `resource`.
/// Errors: decode_failed, naming all of them (up to 16) with their paths.
KCONTROL_DECL result<void> check_known_fields(const type_descriptor& type, json::node from, bool resource);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/known_fields.ipp>
#endif
