// The mutable JSON document of the library, for patches, dynamic objects and tests: Boost.JSON's.
//
// Typed objects do not pass through it: they are decoded straight from bytes (json/reader.hpp).
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/json/reader.hpp>  // before the aliases below, which would shadow the names of its kinds

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::json {

using value = boost::json::value;
using object = boost::json::object;
using array = boost::json::array;

/// How deep the arrays and objects of a document may nest, whether it is parsed or patched.
inline constexpr std::size_t max_document_depth = 256;

class writer;

/// Parses one JSON document. Strict: no trailing bytes, no comments, valid UTF-8, depth ≤
/// max_document_depth, no integer beyond
/// 64 bits (none goes through a double), no two members of the same name.
/// Errors: decode_failed, with the byte offset where the grammar is broken.
KCONTROL_DECL result<value> parse(std::string_view text);

/// A mutable copy of a parsed place. Errors: decode_failed where two members have the same name.
KCONTROL_DECL result<value> to_value(node source);

/// Compact JSON text, numbers as json::writer writes them.
KCONTROL_DECL std::string serialize(const value& v);

/// Appends `v` to a text in the making.
KCONTROL_DECL void write(writer& out, const value& v);

/// True if both mean the same JSON: objects without regard to order, numbers by their exact value, so that 1 and 1.0
/// are equal and 2^53 + 1 and 2^53 as a double are not.
KCONTROL_DECL bool equal(const value& a, const value& b) noexcept;

/// The string at a path of member names (`get_string(v, {"metadata", "name"})`), or empty if it is not there.
KCONTROL_DECL std::string_view get_string(const value& v, std::initializer_list<std::string_view> path);

/// The value at a path of member names, or null if it is not there.
KCONTROL_DECL const value* find(const value& v, std::initializer_list<std::string_view> path);

}  // namespace kcontrol::json

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/documents/impl/value.ipp>
#endif
