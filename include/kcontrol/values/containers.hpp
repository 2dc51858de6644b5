// Optionals, lists and maps through their tables: std's by the operations that their types give, and boxed, list and
// dict of what generated types consist of without any code of their own.
#pragma once

#include <kcontrol/config.hpp>

#include <cstddef>
#include <string_view>

namespace kcontrol::inline v0_1 {

struct type_descriptor;

namespace detail {

// Each takes the descriptor of the container, and the container.

/// The value, or null.
KCONTROL_DECL const void* optional_get(const type_descriptor& type, const void* optional);
/// A fresh value, to be filled; what was there before is gone. Throws std::bad_alloc, as all that follow but look.
KCONTROL_DECL void* optional_emplace(const type_descriptor& type, void* optional);
/// Whether it is null, as a nullable can be.
KCONTROL_DECL bool optional_is_null(const type_descriptor& type, const void* optional);
/// Makes it null if it can be; else leaves it as it is.
KCONTROL_DECL void optional_set_null(const type_descriptor& type, void* optional);

KCONTROL_DECL std::size_t list_size(const type_descriptor& type, const void* list);
/// Precondition: index < size.
KCONTROL_DECL void* list_at(const type_descriptor& type, void* list, std::size_t index);
KCONTROL_DECL const void* list_at(const type_descriptor& type, const void* list, std::size_t index);
/// Makes it so many fresh elements.
KCONTROL_DECL void list_renew(const type_descriptor& type, void* list, std::size_t count);

KCONTROL_DECL std::size_t map_size(const type_descriptor& type, const void* map);
/// The value of the key, or null.
KCONTROL_DECL const void* map_find(const type_descriptor& type, const void* map, std::string_view key);
/// In the order of keys.
KCONTROL_DECL void map_visit(const type_descriptor& type, const void* map, void* context,
                             void (*visitor)(void* context, std::string_view key, const void* value));
/// Makes it empty, but present.
KCONTROL_DECL void map_clear(const type_descriptor& type, void* map);
/// The value of the key, made if it is not there.
KCONTROL_DECL void* map_insert(const type_descriptor& type, void* map, std::string_view key);

}  // namespace detail
}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/values/impl/containers.ipp>
#endif
