// All kinds of Kubernetes at once, for programs that must know every one. It draws in all of api/; a controller
// includes the headers of the kinds it uses.
#pragma once

#include <kcontrol/model/resource.hpp>

#include <span>

namespace kcontrol::inline v0_1::api {

/// The kinds that an API server of Kubernetes 1.37 serves by default, by group and version. A kind whose plural is
/// empty exists as a subresource only (Eviction, Scale, TokenRequest).
KCONTROL_DECL std::span<const resource_info* const> builtin_kinds();

}  // namespace kcontrol::api

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/api/impl/kinds.ipp>
#endif
