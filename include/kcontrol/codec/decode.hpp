// decode(): from JSON into an object of a described type.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <string_view>

namespace kcontrol::inline v0_1 {

class share_pool;

/// Reads `from` into `out`, an object of the described type. Members that `from` lacks, or has as null, keep the value
/// they have, but that a nullable becomes null. Unknown members are skipped. Integers are never read through a
/// double: 1.0 is not an integer. Errors: decode_failed, naming the path of the member: `spec.replicas: expected an
/// integer, found the string "x"`; `out` is then partly read.
KCONTROL_DECL result<void> decode(const type_descriptor& type, json::node from, void* out);

namespace detail {

/// Parses a text in the working memory of the pool, if there is one.
KCONTROL_DECL result<void> decode_text(const type_descriptor& type, std::string_view text, void* out,
                                       share_pool* pool = nullptr);

}  // namespace detail
}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/decode.ipp>
#endif
