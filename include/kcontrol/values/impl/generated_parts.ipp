#pragma once

#include <kcontrol/values/generated_parts.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <cstring>

namespace kcontrol::inline v0_1::detail {

inline void own_members(const type_descriptor& type, char* object);
inline void free_members(const type_descriptor& type, char* object) noexcept;

/// An entry of a dict is its key and its value.
inline std::size_t entry_size(const type_descriptor& value) { return sizeof(handle_word) + ((value.size + 7U) & ~7U); }

/// Every generated type can be moved by copying its bytes; what is left to do is to make the handles in them own.
inline handle_word copied_list_bytes(handle_word from, std::size_t element_size) {
    const std::size_t count = list_count(from);
    char* memory = static_cast<char*>(handle_allocate(list_offset + count * element_size));
    std::memcpy(memory, handle_pointer(from), list_offset + count * element_size);
    reinterpret_cast<list_header*>(memory)->capacity = static_cast<std::uint32_t>(count);
    return owned_handle(memory);
}

/// `place` holds the bytes of a value that belongs to somebody else; afterwards it is a value of its own.
inline void own_value(const type_descriptor& type, char* place) {
    handle_word word = 0;
    switch (type.kind) {
    case type_kind::text:
    case type_kind::quantity:
    case type_kind::raw:
    case type_kind::int_or_string: {  // its text comes first
        alignas(text) char original[sizeof(text)];
        std::memcpy(original, place, sizeof original);
        ::new (static_cast<void*>(place)) text(*reinterpret_cast<const text*>(original));
        break;
    }
    case type_kind::structure: own_members(type, place); break;
    case type_kind::optional:
        if (!type.handle) break;
        std::memcpy(&word, place, sizeof word);
        word = clone_part(word, *type.element);
        std::memcpy(place, &word, sizeof word);
        break;
    case type_kind::list:
        std::memcpy(&word, place, sizeof word);
        word = clone_list(word, *type.element);
        std::memcpy(place, &word, sizeof word);
        break;
    case type_kind::map: {
        std::memcpy(&word, place, sizeof word);
        if (!handle_is_pointer(word)) break;
        static constexpr type_descriptor key{.kind = type_kind::text, .size = sizeof(text)};
        word = copied_list_bytes(word, entry_size(*type.element));
        char* entry = list_elements(word);
        for (std::size_t left = list_count(word); left > 0; --left, entry += entry_size(*type.element)) {
            own_value(key, entry);
            own_value(*type.element, entry + sizeof(handle_word));
        }
        std::memcpy(place, &word, sizeof word);
        break;
    }
    default: break;
    }
}

inline void own_members(const type_descriptor& type, char* object) {
    for (std::size_t i = 0; i < type.field_count; ++i) {
        own_value(*type.fields[i].type, static_cast<char*>(type.fields[i].place(object)));
    }
}

inline void free_value(const type_descriptor& type, char* place) noexcept {
    handle_word word = 0;
    switch (type.kind) {
    case type_kind::text:
    case type_kind::quantity:
    case type_kind::raw:
    case type_kind::int_or_string: reinterpret_cast<text*>(place)->~text(); break;
    case type_kind::structure: free_members(type, place); break;
    case type_kind::optional:
        if (!type.handle) break;
        std::memcpy(&word, place, sizeof word);
        free_part(word, *type.element);
        break;
    case type_kind::list:
        std::memcpy(&word, place, sizeof word);
        free_list(word, *type.element);
        break;
    case type_kind::map: {
        std::memcpy(&word, place, sizeof word);
        if (!handle_owns(word)) break;
        char* entry = list_elements(word);
        for (std::size_t left = list_count(word); left > 0; --left, entry += entry_size(*type.element)) {
            reinterpret_cast<text*>(entry)->~text();
            free_value(*type.element, entry + sizeof(handle_word));
        }
        handle_free(word);
        break;
    }
    default: break;
    }
}

inline void free_members(const type_descriptor& type, char* object) noexcept {
    for (std::size_t i = 0; i < type.field_count; ++i) {
        free_value(*type.fields[i].type, static_cast<char*>(type.fields[i].place(object)));
    }
}

KCONTROL_DECL handle_word clone_list(handle_word from, const type_descriptor& element) {
    if (!handle_is_pointer(from)) return from;
    const handle_word made = copied_list_bytes(from, element.size);
    char* place = list_elements(made);
    for (std::size_t left = list_count(made); left > 0; --left, place += element.size) own_value(element, place);
    return made;
}

KCONTROL_DECL handle_word clone_part(handle_word from, const type_descriptor& type) {
    if (!handle_is_pointer(from)) return from;
    char* memory = static_cast<char*>(handle_allocate(type.size));
    std::memcpy(memory, handle_pointer(from), type.size);
    own_value(type, memory);
    return owned_handle(memory);
}

KCONTROL_DECL void copy_generated(const void* from, void* fresh, const type_descriptor& type) {
    std::memcpy(fresh, from, type.size);
    own_value(type, static_cast<char*>(fresh));
}

KCONTROL_DECL void free_list(handle_word list, const type_descriptor& element) noexcept {
    if (!handle_owns(list)) return;
    char* place = list_elements(list);
    for (std::size_t left = list_count(list); left > 0; --left, place += element.size) free_value(element, place);
    handle_free(list);
}

KCONTROL_DECL void free_part(handle_word part, const type_descriptor& type) noexcept {
    if (!handle_owns(part)) return;
    free_value(type, static_cast<char*>(handle_pointer(part)));
    handle_free(part);
}

}  // namespace kcontrol::detail
