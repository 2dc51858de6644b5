// The tables of generated types in a header of one file, inline. For the output of kcontrol-gen; see generated.hpp.
//
//     template <>
//     inline constexpr kcontrol::type_descriptor kcontrol::detail::generated_parts<example::widget_spec>[] = {
//         KCONTROL_GENERATED_HANDLE(list, example::widget_part),
//     };
//     template <>
//     inline constexpr kcontrol::field_descriptor kcontrol::detail::generated_fields<example::widget_spec>[] = {
//         KCONTROL_GENERATED_FIELD(example::widget_spec, "color", color),
//         KCONTROL_GENERATED_PART(0, example::widget_spec, "parts", parts, .required = true),
//     };
//     template <>
//     inline constinit const kcontrol::type_descriptor kcontrol::detail::generated_type<example::widget_spec>::value =
//         generated_structure<example::widget_spec>(generated_fields<example::widget_spec>);
//
// generated_parts has the list, dict and boxed members of generated structs: written out, for instantiating a template
// for each costs more.
#pragma once

#include <kcontrol/model/generated.hpp>

/// KCONTROL_GENERATED_FIELD of a member whose table is that one of generated_parts<owner>.
#define KCONTROL_GENERATED_PART(index, owner, json_name, member, ...)                      \
    ::kcontrol::field_descriptor {                                                         \
        .name = (json_name), .type = ::kcontrol::detail::generated_parts<owner> + (index), \
        .offset = offsetof(owner, member) __VA_OPT__(, ) __VA_ARGS__                       \
    }

/// The table of list<element>, of dict<element> (map) or of boxed<element> (optional); `element` is a generated type.
#define KCONTROL_GENERATED_HANDLE(of_kind, of_element)                                                           \
    ::kcontrol::type_descriptor {                                                                                \
        .kind = ::kcontrol::type_kind::of_kind, .handle = true, .size = sizeof(::kcontrol::detail::handle_word), \
        .element = &::kcontrol::detail::generated_type<of_element>::value                                        \
    }

namespace kcontrol::inline v0_1::detail {

/// Specialised for each type of a generated header, at global scope: what is instantiated inside a namespace costs g++
/// a walk over all names of that namespace, and thousands of types make that quadratic.
template <class T>
inline constexpr field_descriptor generated_fields[1] = {};
template <class T>
inline constexpr type_descriptor generated_parts[1] = {};

}  // namespace kcontrol::detail
