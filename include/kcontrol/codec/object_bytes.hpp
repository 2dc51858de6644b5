// How much memory an object takes.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/model/resource.hpp>

#include <cstddef>

namespace kcontrol::inline v0_1 {

/// Bytes that an object of that kind takes on the heap. One that was decoded into a block is that block, to the byte;
/// what objects share in a share_pool is not counted. Of another one (made by the program, of a type with std::string
/// or a custom_codec) it is the sum over its members: what they have room for is not known, so it is what they hold.
/// 0: it is empty, or its type has no table.
///
/// Thread-safety: safe.
KCONTROL_DECL std::size_t object_bytes(const any_object& object, const resource_info& info);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/object_bytes.ipp>
#endif
