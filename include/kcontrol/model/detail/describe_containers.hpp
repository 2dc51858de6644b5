// The tables of containers: std::optional, std::vector and std::map, and boxed, nullable, list and dict.
#pragma once

#include <kcontrol/values/boxed.hpp>
#include <kcontrol/values/date_time.hpp>
#include <kcontrol/values/dict.hpp>
#include <kcontrol/values/int_or_string.hpp>
#include <kcontrol/values/list.hpp>
#include <kcontrol/values/micro_time.hpp>
#include <kcontrol/values/nullable.hpp>
#include <kcontrol/values/quantity_text.hpp>
#include <kcontrol/values/raw_json.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/timestamp.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// The table of T, `value`; see describe.hpp.
template <class T>
struct descriptor;

/// Whether all there is to do with a T is done by its table: a fresh one is zero bytes, and it can be moved by copying
/// its bytes. The handles of such need no code of their own, which thousands of generated types would multiply.
template <class T>
inline constexpr bool table_says_all = has_generated_fields<T>;
template <>
inline constexpr bool table_says_all<text> = true;
template <>
inline constexpr bool table_says_all<quantity_text> = true;
template <>
inline constexpr bool table_says_all<date_time> = true;
template <>
inline constexpr bool table_says_all<raw_json> = true;
template <>
inline constexpr bool table_says_all<int_or_string> = true;
template <>
inline constexpr bool table_says_all<timestamp> = true;
template <>
inline constexpr bool table_says_all<micro_time> = true;
template <>
inline constexpr bool table_says_all<bool> = true;
template <>
inline constexpr bool table_says_all<std::int32_t> = true;
template <>
inline constexpr bool table_says_all<std::int64_t> = true;
template <>
inline constexpr bool table_says_all<double> = true;
template <class T>
inline constexpr bool table_says_all<boxed<T>> = table_says_all<T>;
template <class T>
inline constexpr bool table_says_all<nullable<T>> = table_says_all<T>;
template <class T>
inline constexpr bool table_says_all<list<T>> = table_says_all<T>;
template <class T>
inline constexpr bool table_says_all<dict<T>> = table_says_all<T>;
template <class T>
concept has_table_only = table_says_all<T>;

/// std::optional, boxed and nullable.
template <class Optional, class T, bool Handle>
struct optional_type {
    static const void* get(const void* optional) {
        const auto& self = *static_cast<const Optional*>(optional);
        return self ? &*self : nullptr;
    }
    static void* emplace(void* optional) { return &static_cast<Optional*>(optional)->emplace(); }
    static constexpr bool can_be_null = std::same_as<Optional, nullable<T>>;
    static constexpr void (*set_null)(void* optional) = [] {
        if constexpr (can_be_null) {
            return +[](void* optional) { *static_cast<Optional*>(optional) = nullptr; };
        } else {
            return static_cast<void (*)(void*)>(nullptr);
        }
    }();

    static const optional_operations operations;
    static const type_descriptor value;
};

/// std::vector and list.
template <class List, class T, bool Handle>
struct list_type {
    static_assert(!std::same_as<List, std::vector<bool>>,
                  "kcontrol: std::vector<bool> has no elements to point at; use kcontrol::list<bool>");
    static std::size_t size(const void* list) { return static_cast<const List*>(list)->size(); }
    static void* at(void* list, std::size_t index) { return static_cast<List*>(list)->data() + index; }
    static void renew(void* list, std::size_t count) {
        static_cast<List*>(list)->clear();
        static_cast<List*>(list)->resize(count);
    }

    static const list_operations operations;
    static const type_descriptor value;
};

/// std::map and dict.
template <class Map, class T, bool Handle>
struct map_type {
    static std::size_t size(const void* map) { return static_cast<const Map*>(map)->size(); }
    static const void* find(const void* map, std::string_view key) {
        const auto& self = *static_cast<const Map*>(map);
        const auto found = self.find(typename Map::key_type(key));
        return found == self.end() ? nullptr : &found->second;
    }
    static void visit(const void* map, void* context, map_operations::visitor visitor) {
        for (const auto& entry : *static_cast<const Map*>(map)) visitor(context, entry.first, &entry.second);
    }
    static void clear(void* map) { static_cast<Map*>(map)->clear(); }
    static void* insert(void* map, std::string_view key) {
        return &(*static_cast<Map*>(map))[typename Map::key_type(key)];
    }

    static const map_operations operations;
    static const type_descriptor value;
};

// Without operations: containers.hpp does with the table what its element needs.
constexpr type_descriptor handle_table(type_kind kind, const type_descriptor& element) {
    return {.kind = kind, .handle = true, .size = sizeof(handle_word), .element = &element};
}
template <has_table_only T>
struct descriptor<boxed<T>> {
    static constexpr type_descriptor value = handle_table(type_kind::optional, descriptor<T>::value);
};
template <has_table_only T>
struct descriptor<nullable<T>> {
    static constexpr type_descriptor value = [] {
        auto table = handle_table(type_kind::optional, descriptor<T>::value);
        table.nullable = true;
        return table;
    }();
};
template <has_table_only T>
struct descriptor<list<T>> {
    static constexpr type_descriptor value = handle_table(type_kind::list, descriptor<T>::value);
};
template <has_table_only T>
struct descriptor<dict<T>> {
    static constexpr type_descriptor value = handle_table(type_kind::map, descriptor<T>::value);
};

template <class T>
struct descriptor<std::optional<T>> : optional_type<std::optional<T>, T, false> {};
template <class T>
struct descriptor<boxed<T>> : optional_type<boxed<T>, T, true> {};
template <class T>
struct descriptor<nullable<T>> : optional_type<nullable<T>, T, true> {};
template <class T>
struct descriptor<std::vector<T>> : list_type<std::vector<T>, T, false> {};
template <class T>
struct descriptor<list<T>> : list_type<list<T>, T, true> {};
template <class T, class Compare>
struct descriptor<std::map<std::string, T, Compare>> : map_type<std::map<std::string, T, Compare>, T, false> {};
template <class T>
struct descriptor<dict<T>> : map_type<dict<T>, T, true> {};

template <class Optional, class T, bool Handle>
constinit const optional_operations optional_type<Optional, T, Handle>::operations{get, emplace, set_null};
template <class Optional, class T, bool Handle>
constinit const type_descriptor optional_type<Optional, T, Handle>::value{.kind = type_kind::optional,
                                                                          .handle = Handle,
                                                                          .nullable = can_be_null,
                                                                          .size = sizeof(Optional),
                                                                          .element = &descriptor<T>::value,
                                                                          .optional = &operations};

template <class List, class T, bool Handle>
constinit const list_operations list_type<List, T, Handle>::operations{size, at, renew};
template <class List, class T, bool Handle>
constinit const type_descriptor list_type<List, T, Handle>::value{.kind = type_kind::list,
                                                                  .handle = Handle,
                                                                  .size = sizeof(List),
                                                                  .element = &descriptor<T>::value,
                                                                  .list = &operations};

template <class Map, class T, bool Handle>
constinit const map_operations map_type<Map, T, Handle>::operations{size, find, visit, clear, insert};
template <class Map, class T, bool Handle>
constinit const type_descriptor map_type<Map, T, Handle>::value{.kind = type_kind::map,
                                                                .handle = Handle,
                                                                .size = sizeof(Map),
                                                                .element = &descriptor<T>::value,
                                                                .map = &operations};

#ifndef KCONTROL_HEADER_ONLY
// What nearly every kind uses is built once, in the library.
extern template struct optional_type<std::optional<bool>, bool, false>;
extern template struct optional_type<std::optional<std::int32_t>, std::int32_t, false>;
extern template struct optional_type<std::optional<std::int64_t>, std::int64_t, false>;
extern template struct optional_type<std::optional<std::string>, std::string, false>;
extern template struct list_type<std::vector<std::string>, std::string, false>;
extern template struct map_type<std::map<std::string, std::string>, std::string, false>;
#endif

}  // namespace kcontrol::detail
