// handle: the eight bytes that text, list, dict and boxed consist of. A word that is nothing, or a pointer to a part of
// an object together with the knowledge of who frees it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace kcontrol::inline v0_1::detail {

static_assert(sizeof(void*) == 8, "kcontrol: the model's handles keep marks in the low bits of 64-bit pointers");

/// The two low bits of a word that is a pointer are free, as all that is pointed to is aligned to four bytes at least.
///
/// - 0: nothing (absent)
/// - bit 0 set: no pointer; for text a short string in the word itself, for a list or dict present and empty,
///   for a nullable null
/// - bit 1 set: a pointer to memory of its own, freed with the handle
/// - else: a pointer into a block (see object_block.hpp), which lives longer and is freed as a whole
using handle_word = std::uint64_t;

inline constexpr handle_word handle_inline = 1;
inline constexpr handle_word handle_owned = 2;
inline constexpr handle_word handle_marks = 3;

inline bool handle_is_pointer(handle_word word) noexcept { return word != 0 && (word & handle_inline) == 0; }
inline bool handle_owns(handle_word word) noexcept { return (word & handle_marks) == handle_owned; }

// A handle is a word, whatever it costs the optimizer.
inline void* handle_pointer(handle_word word) noexcept {
    return reinterpret_cast<void*>(word & ~handle_marks);  // NOLINT(performance-no-int-to-ptr)
}
inline handle_word owned_handle(void* memory) noexcept { return reinterpret_cast<handle_word>(memory) | handle_owned; }

/// Memory for an owned handle. Throws std::bad_alloc.
inline void* handle_allocate(std::size_t size) {
    void* memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

inline void handle_free(handle_word word) noexcept { std::free(handle_pointer(word)); }

/// What stands before the elements of a list and the entries of a dict.
struct list_header {
    std::uint32_t size;      ///< elements that are there
    std::uint32_t capacity;  ///< elements that there is memory for
};

/// Where the elements begin, in bytes behind the header's start.
inline constexpr std::size_t list_offset = sizeof(list_header);
inline char* list_elements(handle_word list) noexcept { return static_cast<char*>(handle_pointer(list)) + list_offset; }
inline std::size_t list_count(handle_word list) noexcept {
    return static_cast<const list_header*>(handle_pointer(list))->size;
}

}  // namespace kcontrol::detail
