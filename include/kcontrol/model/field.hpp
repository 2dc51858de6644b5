// The field list of a struct: which members it has and what they are called in JSON. All else follows from it.
#pragma once

#include <kcontrol/model/rules.hpp>
#include <kcontrol/values/custom_codec.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {

/// One member: `field("nodeName", &pod_spec::node_name)`.
template <class Owner, class Member>
struct field_entry {
    using member_type = Member;  ///< the member's C++ type
    std::string_view name;       ///< in JSON; it must live as long as the program
    Member Owner::*member;       ///< which member of Owner
};

/// One member with rules for its schema (rules.hpp).
template <class Owner, class Member, std::size_t Levels>
struct ruled_field_entry : field_entry<Owner, Member> {
    rule_levels<Levels> rules;  ///< for the member, and behind them those for its elements
};

namespace detail {

template <std::size_t Index, class Entry>
struct field_slot {
    Entry entry;
};

template <std::size_t Index, class Entry>
constexpr const Entry& field_at(const field_slot<Index, Entry>& slot) {
    return slot.entry;
}

template <class Indices, class... Entries>
struct field_slots;

// A std::tuple would do the same and take three times as long to compile.
template <std::size_t... Index, class... Entries>
struct field_slots<std::index_sequence<Index...>, Entries...> : field_slot<Index, Entries>... {
    constexpr explicit field_slots(const Entries&... entries) : field_slot<Index, Entries>{entries}... {}
};

}  // namespace detail

/// What kcontrol_fields() returns.
template <class... Entries>
struct field_list : detail::field_slots<std::index_sequence_for<Entries...>, Entries...> {
    static constexpr std::size_t size = sizeof...(Entries);  ///< how many members are listed
    using detail::field_slots<std::index_sequence_for<Entries...>, Entries...>::field_slots;
};

template <class Owner, class Member>
constexpr field_entry<Owner, Member> field(std::string_view json_name, Member Owner::*member) {
    static_assert(std::is_object_v<Member>, "kcontrol::field takes a data member, not a function");
    return {json_name, member};
}

/// A member with rules: `field("replicas", &widget_spec::replicas, rules().minimum(0).describe("How many."))`.
template <class Owner, class Member>
constexpr ruled_field_entry<Owner, Member, 1> field(std::string_view json_name, Member Owner::*member,
                                                    const field_rules& rules) {
    return {field(json_name, member), {{rules}}};
}
template <class Owner, class Member, std::size_t Levels>
constexpr ruled_field_entry<Owner, Member, Levels> field(std::string_view json_name, Member Owner::*member,
                                                         const rule_levels<Levels>& rules) {
    return {field(json_name, member), rules};
}

/// The list, in the order in which the members are written.
template <class... Entries>
constexpr field_list<Entries...> fields(const Entries&... entries) {
    return field_list<Entries...>(entries...);
}

/// The field list of a type that can't be changed: specialise it with
/// `static constexpr auto get() { return kcontrol::fields(…); }`.
template <class T>
struct field_list_of {};

}  // namespace kcontrol
