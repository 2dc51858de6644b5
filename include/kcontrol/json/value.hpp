// The mutable JSON document of the library, for patches, dynamic objects and tests: Boost.JSON's.
//
// Typed objects do not pass through it: they are decoded straight from bytes (json/reader.hpp).
#pragma once

#include <kcontrol/base/result.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace kcontrol::json {

using value = boost::json::value;
using object = boost::json::object;
using array = boost::json::array;

/// Parses one JSON document. Strict: no trailing bytes, no comments, valid UTF-8, depth ≤ 256.
/// Errors: decode_failed with the byte offset.
KCONTROL_DECL result<value> parse(std::string_view text);

/// Compact JSON text.
KCONTROL_DECL std::string serialize(const value& v);

/// The string at a path of member names (`get_string(v, {"metadata", "name"})`), or empty if it is not there.
KCONTROL_DECL std::string_view get_string(const value& v, std::initializer_list<std::string_view> path);

/// The value at a path of member names, or null if it is not there.
KCONTROL_DECL const value* find(const value& v, std::initializer_list<std::string_view> path);

}  // namespace kcontrol::json

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/json/impl/value.ipp>
#endif
