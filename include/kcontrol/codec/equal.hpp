// equal(): whether two objects of a described type say the same.
#pragma once

#include <kcontrol/values/type_descriptor.hpp>

namespace kcontrol::inline v0_1 {

/// Whether two objects of the described type have equal fields.
KCONTROL_DECL bool equal(const type_descriptor& type, const void* a, const void* b);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/equal.ipp>
#endif
