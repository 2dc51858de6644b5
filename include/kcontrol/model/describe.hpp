// describe<T>(): the table of a type, made at compile time from its field list.
#pragma once

#include <kcontrol/model/field.hpp>
#include <kcontrol/model/type_descriptor.hpp>

#include <array>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace kcontrol {

namespace detail {

template <class T>
concept has_own_fields = requires {
    T::kcontrol_fields();
};
template <class T>
concept has_foreign_fields = requires {
    field_list_of<T>::get();
};
template <class T>
concept has_fields = has_own_fields<T> || has_foreign_fields<T>;
template <class T>
concept has_custom_codec = requires {
    &custom_codec<T>::decode;
};
template <class T>
concept has_resource_name = requires {
    T::kcontrol_resource;
};

template <class T>
constexpr auto get_fields() {
    if constexpr (has_foreign_fields<T>) {
        return field_list_of<T>::get();
    } else {
        return T::kcontrol_fields();
    }
}

template <class Object, auto Member>
void* access_member(void* object) {
    return &(static_cast<Object*>(object)->*Member);
}

// Everything below is constant-initialised, so that tables can point at each other, and at themselves, in any order.

template <class T>
struct structure_type {
    static constexpr auto list = get_fields<T>();
    static constexpr std::size_t own = has_resource_name<T> ? 1 : 0;  // metadata comes before the list
    static constexpr std::size_t count = list.size + own;
    using table_type = std::array<field_descriptor, count>;

    static const table_type table;
    static const type_descriptor value;
};

template <class T>
struct custom_type {
    static result<void> decode(json::node from, void* object) {
        return custom_codec<T>::decode(from, *static_cast<T*>(object));
    }
    static void encode(const void* object, json::writer& to) {
        custom_codec<T>::encode(*static_cast<const T*>(object), to);
    }
    static bool empty(const void* object) { return custom_codec<T>::empty(*static_cast<const T*>(object)); }
    static bool equal(const void* a, const void* b) { return *static_cast<const T*>(a) == *static_cast<const T*>(b); }

    static constexpr custom_operations operations{decode, encode, empty, equal};
    static constexpr type_descriptor value{.kind = type_kind::custom, .custom = &operations};
};

template <type_kind Kind>
struct scalar_type {
    static constexpr type_descriptor value{.kind = Kind};
};

template <class T>
struct undescribed_type {
    static_assert(
        !std::same_as<T, T>,
        "kcontrol: this type has no field list. Give the struct `static constexpr auto kcontrol_fields() { "
        "return kcontrol::fields(kcontrol::field(\"name\", &S::name), ...); }`, or specialise "
        "kcontrol::field_list_of or kcontrol::custom_codec for it. Members may be bool, 32- and 64-bit signed "
        "integers, double, std::string, and std::optional, std::vector and std::map<std::string, T> of these.");
    static const type_descriptor value;
};

template <class T>
constexpr auto choose_type() {
    if constexpr (has_custom_codec<T>) {
        return std::type_identity<custom_type<T>>();
    } else if constexpr (std::same_as<T, bool>) {
        return std::type_identity<scalar_type<type_kind::boolean>>();
    } else if constexpr (std::signed_integral<T> && sizeof(T) == 4) {
        return std::type_identity<scalar_type<type_kind::int32>>();
    } else if constexpr (std::signed_integral<T> && sizeof(T) == 8) {
        return std::type_identity<scalar_type<type_kind::int64>>();
    } else if constexpr (std::same_as<T, double>) {
        return std::type_identity<scalar_type<type_kind::number>>();
    } else if constexpr (std::same_as<T, std::string>) {
        return std::type_identity<scalar_type<type_kind::string>>();
    } else if constexpr (has_fields<T>) {
        return std::type_identity<structure_type<T>>();
    } else {
        return std::type_identity<undescribed_type<T>>();
    }
}

template <class T>
struct descriptor : decltype(choose_type<T>())::type {};

template <class T>
struct descriptor<std::optional<T>> {
    using type = std::optional<T>;
    static const void* get(const void* optional) {
        const auto& self = *static_cast<const type*>(optional);
        return self ? &*self : nullptr;
    }
    static void* emplace(void* optional) { return &static_cast<type*>(optional)->emplace(); }

    static const optional_operations operations;
    static const type_descriptor value;
};

template <class T>
struct descriptor<std::vector<T>> {
    static_assert(!std::same_as<T, bool>, "kcontrol: std::vector<bool> has no elements to point at; use another type");
    using type = std::vector<T>;
    static std::size_t size(const void* list) { return static_cast<const type*>(list)->size(); }
    static void* at(void* list, std::size_t index) { return static_cast<type*>(list)->data() + index; }
    static void renew(void* list, std::size_t count) {
        static_cast<type*>(list)->clear();
        static_cast<type*>(list)->resize(count);
    }

    static const list_operations operations;
    static const type_descriptor value;
};

template <class T, class Compare>
struct descriptor<std::map<std::string, T, Compare>> {
    using type = std::map<std::string, T, Compare>;
    static std::size_t size(const void* map) { return static_cast<const type*>(map)->size(); }
    static const void* find(const void* map, const std::string& key) {
        const auto& self = *static_cast<const type*>(map);
        const auto found = self.find(key);
        return found == self.end() ? nullptr : &found->second;
    }
    static void visit(const void* map, void* context, map_operations::visitor visitor) {
        for (const auto& entry : *static_cast<const type*>(map)) visitor(context, entry.first, &entry.second);
    }
    static void clear(void* map) { static_cast<type*>(map)->clear(); }
    static void* insert(void* map, std::string_view key) { return &(*static_cast<type*>(map))[std::string(key)]; }

    static const map_operations operations;
    static const type_descriptor value;
};

template <class T>
constinit const optional_operations descriptor<std::optional<T>>::operations{get, emplace};
template <class T>
constinit const type_descriptor descriptor<std::optional<T>>::value{
    .kind = type_kind::optional, .element = &descriptor<T>::value, .optional = &operations};

template <class T>
constinit const list_operations descriptor<std::vector<T>>::operations{size, at, renew};
template <class T>
constinit const type_descriptor descriptor<std::vector<T>>::value{
    .kind = type_kind::list, .element = &descriptor<T>::value, .list = &operations};

template <class T, class Compare>
constinit const map_operations descriptor<std::map<std::string, T, Compare>>::operations{size, find, visit, clear,
                                                                                         insert};
template <class T, class Compare>
constinit const type_descriptor descriptor<std::map<std::string, T, Compare>>::value{
    .kind = type_kind::map, .element = &descriptor<T>::value, .map = &operations};

template <class T, std::size_t... Index>
constexpr bool names_are_unique(std::index_sequence<Index...>) {
    const std::string_view names[] = {"", field_at<Index>(structure_type<T>::list).name...};
    for (std::size_t i = 0; i <= sizeof...(Index); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (names[i] == names[j]) return false;
        }
        if (structure_type<T>::own == 1 && names[i] == "metadata") return false;
    }
    return true;
}

template <class T, std::size_t... Index>
constexpr typename structure_type<T>::table_type make_table(std::index_sequence<Index...> indices) {
    using self = structure_type<T>;
    static_assert(
        names_are_unique<T>(decltype(indices)()),
        "kcontrol: a field list has an empty name, or one twice (the metadata of a resource is listed by itself)");
    if constexpr (self::own == 1) {
        using meta = std::remove_cvref_t<decltype(std::declval<T&>().metadata)>;
        return {
            {field_descriptor{"metadata", &descriptor<meta>::value, access_member<T, &T::metadata>},
             field_descriptor{
                 field_at<Index>(self::list).name,
                 &descriptor<typename std::remove_cvref_t<decltype(field_at<Index>(self::list))>::member_type>::value,
                 access_member<T, field_at<Index>(self::list).member>}...}};
    } else {
        return {{field_descriptor{
            field_at<Index>(self::list).name,
            &descriptor<typename std::remove_cvref_t<decltype(field_at<Index>(self::list))>::member_type>::value,
            access_member<T, field_at<Index>(self::list).member>}...}};
    }
}

template <class T>
constinit const typename structure_type<T>::table_type structure_type<T>::table =
    make_table<T>(std::make_index_sequence<structure_type<T>::list.size>());
template <class T>
constinit const type_descriptor structure_type<T>::value{
    .kind = type_kind::structure, .fields = table.data(), .field_count = count};

#ifndef KCONTROL_HEADER_ONLY
// What nearly every kind uses is built once, in the library.
extern template struct descriptor<std::optional<bool>>;
extern template struct descriptor<std::optional<std::int32_t>>;
extern template struct descriptor<std::optional<std::int64_t>>;
extern template struct descriptor<std::optional<std::string>>;
extern template struct descriptor<std::vector<std::string>>;
extern template struct descriptor<std::map<std::string, std::string>>;
#endif

}  // namespace detail

/// The table of T: a scalar, a container, or a struct with a field list. A type without one does not compile.
template <class T>
const type_descriptor& describe() {
    return detail::descriptor<T>::value;
}

}  // namespace kcontrol
