// What generated types are made of. For the output of kcontrol-gen; types written by hand use a field list (field.hpp).
//
// A type is a plain struct with a mark; behind it stands the declaration of its table:
//
//     namespace example {
//     struct widget_spec {
//         using kcontrol_generated = void;
//         kcontrol::text color;
//         kcontrol::list<example::widget_part> parts;
//     };
//     }
//     template <>
//     const kcontrol::type_descriptor kcontrol::detail::generated_type<example::widget_spec>::value;
//
// The table is plain data, which costs the compiler next to nothing. Where it is defined once (an .ipp of the library),
// or inline (a header of one file):
//
//     namespace kcontrol::detail {
//     inline constexpr field_descriptor example_widget_spec_fields[] = {
//         KCONTROL_GENERATED_FIELD(example::widget_spec, "color", color),
//         KCONTROL_GENERATED_FIELD(example::widget_spec, "parts", parts, .required = true),
//     };
//     template <>
//     inline constinit const type_descriptor generated_type<example::widget_spec>::value =
//         generated_structure<example::widget_spec>(example_widget_spec_fields);
//     }
//
// A resource has `static constexpr kcontrol::resource_name kcontrol_resource` and lists its metadata first. A struct
// without fields: generated_structure<T>().
//
// Members are text, list, dict, boxed, timestamp, micro_time, int_or_string, raw_json, quantity_text, generated structs
// by value, and std::optional of bool, std::int32_t, std::int64_t and double: all of them are zero bytes when they are
// fresh.
#pragma once

#include <kcontrol/model/resource.hpp>
#include <kcontrol/values/quantity_text.hpp>

#include <cstddef>

// A struct with a std::optional has no standard layout by the letter; g++ and clang know its offsets all the same.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

/// An entry of a table. What follows the member are further initialisers of field_descriptor.
#define KCONTROL_GENERATED_FIELD(owner, json_name, member, ...)                                       \
    ::kcontrol::field_descriptor {                                                                    \
        .name = (json_name), .type = &::kcontrol::detail::descriptor<decltype(owner::member)>::value, \
        .offset = offsetof(owner, member) __VA_OPT__(, ) __VA_ARGS__                                  \
    }

namespace kcontrol::inline v0_1::detail {

template <class T, std::size_t Count>
constexpr type_descriptor generated_structure(const field_descriptor (&fields)[Count]) {
    return {.kind = type_kind::structure, .size = sizeof(T), .fields = fields, .field_count = Count};
}
template <class T>
constexpr type_descriptor generated_structure() {
    return {.kind = type_kind::structure, .size = sizeof(T)};
}

}  // namespace kcontrol::detail
