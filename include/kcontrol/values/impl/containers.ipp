#pragma once

#include <kcontrol/values/containers.hpp>
#include <kcontrol/values/generated_parts.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <cstring>

namespace kcontrol::inline v0_1::detail {

// In generated_parts.ipp, which in header-only mode is what this file is read for, and so comes after it.
inline std::size_t entry_size(const type_descriptor& value);
inline void own_value(const type_descriptor& type, char* place);
inline void free_value(const type_descriptor& type, char* place) noexcept;

// A table without operations is that of a handle whose elements are zero bytes when they are fresh and can be moved by
// copying their bytes: the same as generated_parts.ipp builds upon.

inline handle_word handle_at(const void* place) {
    handle_word word = 0;
    std::memcpy(&word, place, sizeof word);
    return word;
}
inline void set_handle(void* place, handle_word word) { std::memcpy(place, &word, sizeof word); }

inline std::size_t handle_count(handle_word word) { return handle_is_pointer(word) ? list_count(word) : 0; }

/// Memory for so many elements, all of them zero; none counts as there.
inline handle_word fresh_list(std::size_t capacity, std::size_t element_size) {
    const std::size_t bytes = list_offset + capacity * element_size;
    void* memory = handle_allocate(bytes);
    std::memset(memory, 0, bytes);
    static_cast<list_header*>(memory)->capacity = static_cast<std::uint32_t>(capacity);
    return owned_handle(memory);
}

inline void set_count(handle_word list, std::size_t count) {
    static_cast<list_header*>(handle_pointer(list))->size = static_cast<std::uint32_t>(count);
}

inline std::string_view entry_key(const char* entry) { return reinterpret_cast<const text*>(entry)->view(); }

/// The first entry whose key is not less than `key`; by its number.
inline std::size_t find_entry(handle_word map, std::size_t size, std::string_view key) {
    std::size_t first = 0;
    for (std::size_t count = handle_count(map); count > 0;) {
        const std::size_t half = count / 2;
        if (entry_key(list_elements(map) + (first + half) * size) < key) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

KCONTROL_DECL const void* optional_get(const type_descriptor& type, const void* optional) {
    if (type.optional != nullptr) return type.optional->get(optional);
    const handle_word word = handle_at(optional);
    return handle_is_pointer(word) ? handle_pointer(word) : nullptr;
}

KCONTROL_DECL void* optional_emplace(const type_descriptor& type, void* optional) {
    if (type.optional != nullptr) return type.optional->emplace(optional);
    void* memory = handle_allocate(type.element->size);
    std::memset(memory, 0, type.element->size);
    free_part(handle_at(optional), *type.element);
    set_handle(optional, owned_handle(memory));
    return memory;
}

KCONTROL_DECL bool optional_is_null(const type_descriptor& type, const void* optional) {
    return type.nullable && handle_at(optional) == handle_inline;
}

KCONTROL_DECL void optional_set_null(const type_descriptor& type, void* optional) {
    if (!type.nullable) return;
    if (type.optional != nullptr) return type.optional->set_null(optional);
    free_part(handle_at(optional), *type.element);
    set_handle(optional, handle_inline);
}

KCONTROL_DECL std::size_t list_size(const type_descriptor& type, const void* list) {
    return type.list != nullptr ? type.list->size(list) : handle_count(handle_at(list));
}

KCONTROL_DECL void* list_at(const type_descriptor& type, void* list, std::size_t index) {
    if (type.list != nullptr) return type.list->at(list, index);
    return list_elements(handle_at(list)) + index * type.element->size;
}

KCONTROL_DECL const void* list_at(const type_descriptor& type, const void* list, std::size_t index) {
    return list_at(type, const_cast<void*>(list), index);  // it only finds the place
}

KCONTROL_DECL void list_renew(const type_descriptor& type, void* list, std::size_t count) {
    if (type.list != nullptr) return type.list->renew(list, count);
    handle_word made = handle_inline;
    if (count > 0) {
        made = fresh_list(count, type.element->size);
        set_count(made, count);
    }
    free_list(handle_at(list), *type.element);
    set_handle(list, made);
}

KCONTROL_DECL std::size_t map_size(const type_descriptor& type, const void* map) {
    return type.map != nullptr ? type.map->size(map) : handle_count(handle_at(map));
}

KCONTROL_DECL const void* map_find(const type_descriptor& type, const void* map, std::string_view key) {
    if (type.map != nullptr) return type.map->find(map, key);
    const handle_word word = handle_at(map);
    const std::size_t size = entry_size(*type.element);
    const std::size_t at = find_entry(word, size, key);
    if (at == handle_count(word)) return nullptr;
    const char* entry = list_elements(word) + at * size;
    return entry_key(entry) == key ? entry + sizeof(handle_word) : nullptr;
}

KCONTROL_DECL void map_visit(const type_descriptor& type, const void* map, void* context,
                             map_operations::visitor visitor) {
    if (type.map != nullptr) return type.map->visit(map, context, visitor);
    const handle_word word = handle_at(map);
    const std::size_t size = entry_size(*type.element);
    for (std::size_t i = 0; i < handle_count(word); ++i) {
        const char* entry = list_elements(word) + i * size;
        visitor(context, entry_key(entry), entry + sizeof(handle_word));
    }
}

KCONTROL_DECL void map_clear(const type_descriptor& type, void* map) {
    if (type.map != nullptr) return type.map->clear(map);
    free_value(type, static_cast<char*>(map));
    set_handle(map, handle_inline);
}

KCONTROL_DECL void* map_insert(const type_descriptor& type, void* map, std::string_view key) {
    if (type.map != nullptr) return type.map->insert(map, key);
    handle_word word = handle_at(map);
    const std::size_t size = entry_size(*type.element);
    const std::size_t at = find_entry(word, size, key);
    const std::size_t count = handle_count(word);
    if (at < count && entry_key(list_elements(word) + at * size) == key) {
        return list_elements(word) + at * size + sizeof(handle_word);
    }
    text made(key);  // before anything changes: it may throw
    const bool full = !handle_owns(word) || static_cast<list_header*>(handle_pointer(word))->capacity == count;
    if (full) {
        // A map that is part of a block is not its own: its entries are copied.
        const handle_word grown = fresh_list(count + count / 2 + 1, size);
        if (handle_owns(word)) {
            std::memcpy(list_elements(grown), list_elements(word), count * size);
            handle_free(word);
        } else if (count > 0) {
            handle_word copy = word;
            own_value(type, reinterpret_cast<char*>(&copy));
            std::memcpy(list_elements(grown), list_elements(copy), count * size);
            handle_free(copy);
        }
        word = grown;
        set_handle(map, word);
    }
    char* entry = list_elements(word) + at * size;
    std::memmove(entry + size, entry, (count - at) * size);
    std::memset(entry, 0, size);
    ::new (static_cast<void*>(entry)) text(std::move(made));
    set_count(word, count + 1);
    return entry + sizeof(handle_word);
}

}  // namespace kcontrol::detail

#include <kcontrol/values/impl/generated_parts.ipp>
