// describe<T>(): the table of a type, made at compile time from its field list.
#pragma once

#include <kcontrol/model/detail/describe_containers.hpp>
#include <kcontrol/model/detail/rule_fit.hpp>
#include <kcontrol/model/field.hpp>
#include <kcontrol/values/boxed.hpp>
#include <kcontrol/values/date_time.hpp>
#include <kcontrol/values/dict.hpp>
#include <kcontrol/values/int_or_string.hpp>
#include <kcontrol/values/list.hpp>
#include <kcontrol/values/micro_time.hpp>
#include <kcontrol/values/quantity_text.hpp>
#include <kcontrol/values/raw_json.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/timestamp.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <array>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace kcontrol::inline v0_1 {

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
concept has_fields = has_own_fields<T> || has_foreign_fields<T> || has_generated_fields<T>;
template <class T>
concept has_custom_codec = requires {
    &custom_codec<T>::decode;
};
template <class T>
concept has_own_rules = requires {
    T::kcontrol_rules();
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
struct own_rules {
    static constexpr field_rules value = T::kcontrol_rules();
    static_assert((assert_fit<find_misfit(value, schema_shape::object, schema_shape::any)>(), true));
};
template <class T>
constexpr const field_rules* find_own_rules() {
    if constexpr (has_own_rules<T>) {
        return &own_rules<T>::value;
    } else {
        return nullptr;
    }
}

/// The rules of an entry of a field list that lives for ever, or null.
template <class Entry>
constexpr const field_rules* rules_of(const Entry& entry) {
    if constexpr (requires { entry.rules; }) {
        return entry.rules.level.data();
    } else {
        return nullptr;
    }
}

// Not by comparing the pointer with null: under UBSan g++ 12 takes that for no constant.
template <class Entry>
constexpr bool is_required(const Entry& entry) {
    if constexpr (requires { entry.rules; }) {
        return entry.rules.level[0].is_required;
    } else {
        return false;
    }
}

template <class T>
struct structure_type {
    static constexpr auto list = get_fields<T>();
    static constexpr std::size_t own = has_resource_name<T> ? 1 : 0;  // metadata comes before the list
    static constexpr std::size_t count = list.size + own;
    using table_type = std::array<field_descriptor, count>;

    static bool fresh_is_zero() {
        // Padding is not written by a constructor.
        alignas(T) unsigned char bytes[sizeof(T)] = {};
        // A constructor begins a new life, so g++ -O2 takes the zeroes for dead stores unless somebody may read them.
        __asm__ volatile("" : : "r"(bytes) : "memory");
        T* fresh = ::new (static_cast<void*>(bytes)) T();
        bool zero = true;
        for (const unsigned char byte : bytes) zero = zero && byte == 0;
        fresh->~T();
        return zero;
    }

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

    static constexpr std::string_view schema() {
        if constexpr (requires { custom_codec<T>::schema; }) {
            return custom_codec<T>::schema;
        } else {
            return {};
        }
    }

    static constexpr custom_operations operations{decode, encode, empty, equal, schema()};
    static constexpr type_descriptor value{.kind = type_kind::custom, .size = sizeof(T), .custom = &operations};
};

template <type_kind Kind, class T>
struct scalar_type {
    static constexpr type_descriptor value{.kind = Kind, .size = sizeof(T)};
};

struct date_time_type {
    static constexpr field_rules rules = field_rules().format("date-time");
    static constexpr type_descriptor value{.kind = type_kind::text, .size = sizeof(date_time), .rules = &rules};
};

template <class T>
constexpr type_descriptor describe_nothing() {
    constexpr bool has_field_list = !std::same_as<T, T>;
    static_assert(
        has_field_list,
        "kcontrol: this type has no field list. Give the struct `static constexpr auto kcontrol_fields() { "
        "return kcontrol::fields(kcontrol::field(\"name\", &S::name), ...); }`, or specialise "
        "kcontrol::field_list_of or kcontrol::custom_codec for it. Members may be bool, 32- and 64-bit signed "
        "integers, double, std::string, and std::optional, std::vector and std::map<std::string, T> of these.");
    return {};
}

// Asserted in a function: after a class that failed, clang takes the tables around it for no constants, and says so.
template <class T>
struct undescribed_type {
    static constexpr type_descriptor value = describe_nothing<T>();
};

template <class T>
constexpr auto choose_type() {
    if constexpr (has_custom_codec<T>) {
        return std::type_identity<custom_type<T>>();
    } else if constexpr (std::same_as<T, bool>) {
        return std::type_identity<scalar_type<type_kind::boolean, T>>();
    } else if constexpr (std::signed_integral<T> && sizeof(T) == 4) {
        return std::type_identity<scalar_type<type_kind::int32, T>>();
    } else if constexpr (std::signed_integral<T> && sizeof(T) == 8) {
        return std::type_identity<scalar_type<type_kind::int64, T>>();
    } else if constexpr (std::same_as<T, double>) {
        return std::type_identity<scalar_type<type_kind::number, T>>();
    } else if constexpr (std::same_as<T, std::string>) {
        return std::type_identity<scalar_type<type_kind::string, T>>();
    } else if constexpr (std::same_as<T, text>) {
        return std::type_identity<scalar_type<type_kind::text, T>>();
    } else if constexpr (std::same_as<T, date_time>) {
        return std::type_identity<date_time_type>();
    } else if constexpr (std::same_as<T, quantity_text>) {
        return std::type_identity<scalar_type<type_kind::quantity, T>>();
    } else if constexpr (std::same_as<T, timestamp>) {
        return std::type_identity<scalar_type<type_kind::timestamp, T>>();
    } else if constexpr (std::same_as<T, micro_time>) {
        return std::type_identity<scalar_type<type_kind::microseconds, T>>();
    } else if constexpr (std::same_as<T, int_or_string>) {
        return std::type_identity<scalar_type<type_kind::int_or_string, T>>();
    } else if constexpr (std::same_as<T, raw_json>) {
        return std::type_identity<scalar_type<type_kind::raw, T>>();
    } else if constexpr (has_fields<T>) {
        return std::type_identity<structure_type<T>>();
    } else {
        return std::type_identity<undescribed_type<T>>();
    }
}

template <class T>
struct descriptor : decltype(choose_type<T>())::type {};
// Said at once, and not by choose_type: a generated header may have thousands of them.
template <has_generated_fields T>
struct descriptor<T> : generated_type<T> {};

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

template <class T, std::size_t Index>
constexpr bool rules_fit() {
    constexpr const auto& entry = field_at<Index>(structure_type<T>::list);
    if constexpr (requires { entry.rules; }) {
        using member = typename std::remove_cvref_t<decltype(entry)>::member_type;
        assert_fit<find_misfit<member>(entry.rules.level.data())>();
    }
    return true;
}

template <class T, std::size_t... Index>
constexpr typename structure_type<T>::table_type make_table(std::index_sequence<Index...> indices) {
    using self = structure_type<T>;
    static_assert(
        names_are_unique<T>(decltype(indices)()),
        "kcontrol: a field list has an empty name, or one twice (the metadata of a resource is listed by itself)");
    if constexpr ((requires { field_at<Index>(self::list).rules; } || ...)) {
        static_assert((rules_fit<T, Index>() && ...));
    }
    if constexpr (self::own == 1) {
        using meta = std::remove_cvref_t<decltype(std::declval<T&>().metadata)>;
        return {
            {field_descriptor{"metadata", &descriptor<meta>::value, access_member<T, &T::metadata>},
             field_descriptor{
                 field_at<Index>(self::list).name,
                 &descriptor<typename std::remove_cvref_t<decltype(field_at<Index>(self::list))>::member_type>::value,
                 access_member<T, field_at<Index>(self::list).member>, 0, is_required(field_at<Index>(self::list)),
                 rules_of(field_at<Index>(self::list))}...}};
    } else {
        return {{field_descriptor{
            field_at<Index>(self::list).name,
            &descriptor<typename std::remove_cvref_t<decltype(field_at<Index>(self::list))>::member_type>::value,
            access_member<T, field_at<Index>(self::list).member>, 0, is_required(field_at<Index>(self::list)),
            rules_of(field_at<Index>(self::list))}...}};
    }
}

template <class T>
constinit const typename structure_type<T>::table_type structure_type<T>::table =
    make_table<T>(std::make_index_sequence<structure_type<T>::list.size>());
template <class T>
constinit const type_descriptor structure_type<T>::value{.kind = type_kind::structure,
                                                         .size = sizeof(T),
                                                         .fields = table.data(),
                                                         .field_count = count,
                                                         .fresh_is_zero = fresh_is_zero,
                                                         .rules = find_own_rules<T>()};

}  // namespace detail

/// The table of T: a scalar, a container, or a struct with a field list. A type without one does not compile.
template <class T>
const type_descriptor& describe() {
    return detail::descriptor<T>::value;
}

namespace detail {

template <class T>
inline constexpr char undescribed_tag = 0;

// Says which type an object is of: the address of its table, or, of a type without one, of something of its own.
template <class T>
const void* type_tag() noexcept {
    if constexpr (has_fields<T>) {
        return &describe<T>();
    } else {
        return &undescribed_tag<T>;
    }
}

}  // namespace detail

}  // namespace kcontrol
