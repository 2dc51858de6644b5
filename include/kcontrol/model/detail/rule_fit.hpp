// Whether rules suit the type of a member; asked by the compiler, of ruled fields only.
#pragma once

#include <kcontrol/model/rules.hpp>
#include <kcontrol/values/boxed.hpp>
#include <kcontrol/values/date_time.hpp>
#include <kcontrol/values/dict.hpp>
#include <kcontrol/values/int_or_string.hpp>
#include <kcontrol/values/list.hpp>
#include <kcontrol/values/micro_time.hpp>
#include <kcontrol/values/nullable.hpp>
#include <kcontrol/values/quantity_text.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/timestamp.hpp>

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

enum class schema_shape { boolean, numeric, string, number_or_string, array, map, object, any };

template <class T>
constexpr schema_shape scalar_shape() {
    if constexpr (std::same_as<T, bool>) return schema_shape::boolean;
    if constexpr (std::integral<T> || std::floating_point<T>) return schema_shape::numeric;
    if constexpr (std::same_as<T, std::string> || std::same_as<T, text> || std::same_as<T, date_time> ||
                  std::same_as<T, timestamp> || std::same_as<T, micro_time>) {
        return schema_shape::string;
    }
    if constexpr (std::same_as<T, quantity_text> || std::same_as<T, int_or_string>) {
        return schema_shape::number_or_string;
    }
    if constexpr (
        requires { typename T::kcontrol_generated; } || requires { T::kcontrol_fields(); }) {
        return schema_shape::object;
    }
    return schema_shape::any;
}

template <class T>
struct shape_of {
    static constexpr schema_shape value = scalar_shape<T>();
    using element = void;
};
template <class T>
struct shape_of<std::optional<T>> : shape_of<T> {};
template <class T>
struct shape_of<boxed<T>> : shape_of<T> {};
template <class T>
struct shape_of<nullable<T>> : shape_of<T> {};
template <class T, schema_shape Shape>
struct container_shape {
    static constexpr schema_shape value = Shape;
    using element = T;
};
template <class T>
struct shape_of<std::vector<T>> : container_shape<T, schema_shape::array> {};
template <class T>
struct shape_of<list<T>> : container_shape<T, schema_shape::array> {};
template <class T, class Compare>
struct shape_of<std::map<std::string, T, Compare>> : container_shape<T, schema_shape::map> {};
template <class T>
struct shape_of<dict<T>> : container_shape<T, schema_shape::map> {};

enum class misfit {
    none,
    number,
    string,
    item_count,
    property_count,
    list,
    map,
    keys,
    object,
    choice,
    default_text,
    items
};

constexpr misfit find_misfit(const field_rules& r, schema_shape is, schema_shape element) {
    using enum schema_shape;
    const bool textual = is == string || is == number_or_string || is == any;
    const bool scalar = is != array && is != map && is != object;
    if ((r.lowest || r.highest || r.factor) && is != numeric && is != number_or_string && is != any) {
        return misfit::number;
    }
    if ((r.shortest >= 0 || r.longest >= 0 || !r.pattern_text.empty() || !r.format_name.empty()) && !textual) {
        return misfit::string;
    }
    if ((r.fewest_items >= 0 || r.most_items >= 0) && is != array && is != any) return misfit::item_count;
    if ((r.fewest_properties >= 0 || r.most_properties >= 0) && is != map && is != object && is != any) {
        return misfit::property_count;
    }
    if (r.list != list_type_rule::unset && is != array) return misfit::list;
    if (r.list == list_type_rule::map && element != object && element != any) return misfit::list;
    if (r.map != map_type_rule::unset && is != map && is != object) return misfit::map;
    if ((r.keeps_unknown_fields || r.is_embedded_resource) && is != object && is != any) return misfit::object;
    if (r.is_int_or_string && !textual) return misfit::object;
    if (!r.allowed.empty() && !scalar) return misfit::choice;
    if (r.default_is == default_kind::string && !textual) return misfit::default_text;
    if (r.has_items && is != array && is != map) return misfit::items;
    return misfit::none;
}

template <class T>
constexpr misfit find_misfit(const field_rules* rules) {
    if (!rules->list_keys.empty() && rules->list != list_type_rule::map) return misfit::keys;
    using element = typename shape_of<T>::element;
    if constexpr (std::is_void_v<element>) {
        return find_misfit(*rules, shape_of<T>::value, schema_shape::any);
    } else {
        const misfit found = find_misfit(*rules, shape_of<T>::value, shape_of<element>::value);
        if (found != misfit::none || !rules->has_items) return found;
        return find_misfit<element>(rules->elements());
    }
}

template <misfit Found>
constexpr void assert_fit() {
    static_assert(Found != misfit::number, "kcontrol: minimum, maximum and multiple_of are rules for numbers");
    static_assert(Found != misfit::string, "kcontrol: lengths, pattern and format are rules for strings");
    static_assert(Found != misfit::item_count, "kcontrol: min_items and max_items are rules for lists");
    static_assert(Found != misfit::property_count,
                  "kcontrol: min_properties and max_properties are rules for maps and structs");
    static_assert(Found != misfit::list,
                  "kcontrol: list_type_atomic, _set and _map are rules for lists, the last one for lists of structs");
    static_assert(Found != misfit::map, "kcontrol: map_type_atomic and _granular are rules for maps and structs");
    static_assert(
        Found != misfit::keys,
        "kcontrol: keyed_by() is a rule for a struct, in its kcontrol_rules(); say list_type_map(\"name\") of "
        "a list");
    static_assert(Found != misfit::object,
                  "kcontrol: preserve_unknown_fields and embedded_resource are rules for structs and raw_json, "
                  "int_or_string is one for raw_json and text");
    static_assert(Found != misfit::choice,
                  "kcontrol: enum_values is a rule for scalars; say items(rules().enum_values("
                  "...)) for the elements of a list");
    static_assert(Found != misfit::default_text, "kcontrol: default_string is for strings; say default_json(\"...\")");
    static_assert(Found != misfit::items, "kcontrol: items() are rules for the elements of lists and maps");
}

}  // namespace kcontrol::detail
