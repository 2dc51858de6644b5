// encode(): the JSON of an object of a described type.
#pragma once

#include <kcontrol/values/type_descriptor.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// Writes one value. Of a structure's members these are left out, unless the field is required: an absent optional,
/// text, list, map, timestamp, quantity or raw value, an empty std::string, std::vector or std::map, and a structure
/// with nothing to write. Plain booleans and numbers are always written: what may be absent is a std::optional.
KCONTROL_DECL void encode(const type_descriptor& type, const void* object, json::writer& to);

namespace detail {

KCONTROL_DECL std::string encode_text(const type_descriptor& type, const void* object);
/// The same with apiVersion and kind before the fields of `object`, a structure.
KCONTROL_DECL std::string encode_object(const type_descriptor& type, std::string_view api_version,
                                        std::string_view kind, const void* object);
/// Whether encoding leaves the member out.
KCONTROL_DECL bool is_left_out(const type_descriptor& type, const void* object);

}  // namespace detail
}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/encode.ipp>
#endif
