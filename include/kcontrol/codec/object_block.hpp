// Objects that are one block of memory: the struct, its strings, lists and parts behind each other, freed at once.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/codec/share_pool.hpp>
#include <kcontrol/json/cursor.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <memory>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// Whether objects of the type can be one block: all members are of the model's own types (text, list, dict, boxed,
/// timestamp, numbers and std::optional of these), and a fresh one is all zero bytes, which is to say that no member
/// has a default of its own. Walks the whole type: ask once.
KCONTROL_DECL bool is_blockable(const type_descriptor& type);

/// Decodes an object into a block of its own. Rules and errors as of decode(). Precondition: is_blockable(type), and
/// type is a structure. `pool` may be null.
///
/// Thread-safety: safe, but for `pool`.
KCONTROL_DECL result<std::shared_ptr<const void>> decode_block(const type_descriptor& type, json::node from,
                                                               share_pool* pool);
/// The same from a text, which is parsed.
KCONTROL_DECL result<std::shared_ptr<const void>> decode_block(const type_descriptor& type, std::string_view text,
                                                               share_pool* pool);
/// The same at the front of a text as servers write it, of which only the object and what is before its end is looked
/// at. `from` is behind the object afterwards. Null if it can't be read so, or is wrong, which the others say.
KCONTROL_DECL std::shared_ptr<const void> decode_block(const type_descriptor& type, json::cursor& from,
                                                       share_pool* pool);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/object_block.ipp>
#endif
