// Copying and freeing the parts of generated types through their tables: compiled once, and not in every file that
// copies an object.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/values/handle.hpp>

namespace kcontrol::inline v0_1 {

struct type_descriptor;

namespace detail {

/// The generator declares and defines `value` for each of its types; see generated.hpp.
template <class T>
struct generated_type {
    static const type_descriptor value;
};

/// Written by the generator, with its table.
template <class T>
concept has_generated_fields = requires {
    typename T::kcontrol_generated;
};

/// An owned copy of a list, or of a part, of elements of that type. Throws std::bad_alloc.
KCONTROL_DECL handle_word clone_list(handle_word from, const type_descriptor& element);
KCONTROL_DECL handle_word clone_part(handle_word from, const type_descriptor& type);

/// Makes `fresh`, which owns nothing yet, a copy of `from`; both are of that type. Throws std::bad_alloc.
KCONTROL_DECL void copy_generated(const void* from, void* fresh, const type_descriptor& type);

/// Frees what an owned handle holds, and it.
KCONTROL_DECL void free_list(handle_word list, const type_descriptor& element) noexcept;
KCONTROL_DECL void free_part(handle_word part, const type_descriptor& type) noexcept;

}  // namespace detail
}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/values/impl/generated_parts.ipp>
#endif
