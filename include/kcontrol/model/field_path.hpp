// path(&widget::spec, &widget_spec::replicas): the place of a field, from the members that lead to it.
#pragma once

#include <kcontrol/model/describe.hpp>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// The JSON names that lead from an object to one of its fields. A literal type; the names belong to the field lists.
class field_path {
public:
    static constexpr std::size_t max_depth = 8;  ///< steps, at most

    constexpr field_path() = default;

    constexpr bool empty() const { return size_ == 0; }
    constexpr std::size_t size() const { return size_; }
    constexpr const std::string_view* begin() const { return names_.data(); }
    constexpr const std::string_view* end() const { return names_.data() + size_; }
    /// The JSON name of that step; index < size().
    constexpr std::string_view operator[](std::size_t index) const { return names_[index]; }

    /// The type of the field in OpenAPI ("integer", "string", "date" for a time…); empty if it has no single one.
    constexpr std::string_view type() const { return type_; }
    constexpr void type(std::string_view name) { type_ = name; }  ///< states that type; path() does it
    /// Adds a step. Throws std::length_error beyond max_depth; in a constant expression a compile error.
    constexpr void push(std::string_view name) {
        if (size_ == max_depth) throw std::length_error("kcontrol::path: a path has at most 8 steps");
        names_[size_++] = name;
    }

    /// `spec.replicas`.
    KCONTROL_DECL std::string str() const;
    /// The JSON Pointer (RFC 6901): `/spec/replicas`.
    KCONTROL_DECL std::string pointer() const;
    /// As the columns and subresources of a CRD have it: `.spec.replicas`, with `\.` for a dot in a name.
    KCONTROL_DECL std::string json_path() const;

    friend constexpr bool operator==(const field_path& a, const field_path& b) {
        if (a.size_ != b.size_) return false;
        for (std::size_t i = 0; i < a.size_; ++i) {
            if (a.names_[i] != b.names_[i]) return false;
        }
        return true;
    }

private:
    std::array<std::string_view, max_depth> names_{};
    std::size_t size_ = 0;
    std::string_view type_;
};

namespace detail {

template <class T>
struct path_step {
    using type = T;
};
template <class T>
struct path_step<std::optional<T>> : path_step<T> {};
template <class T>
struct path_step<kcontrol::boxed<T>> : path_step<T> {};
template <class T>
struct path_step<kcontrol::nullable<T>> : path_step<T> {};

template <class Entry, class Owner, class Member>
constexpr bool is_entry_of(const Entry& entry, Member Owner::*member) {
    if constexpr (std::same_as<decltype(entry.member), Member Owner::*const> ||
                  std::same_as<decltype(entry.member), Member Owner::*>) {
        return entry.member == member;
    } else {
        return false;
    }
}

template <class Owner, class Member, class List, std::size_t... Index>
constexpr std::string_view name_in_list(Member Owner::*member, const List& list, std::index_sequence<Index...>) {
    std::string_view name;
    (void)((is_entry_of(field_at<Index>(list), member) ? (name = field_at<Index>(list).name, true) : false) || ...);
    return name;
}

template <class Owner, class Member>
constexpr std::string_view name_of_member(Member Owner::*member) {
    if constexpr (has_resource_name<Owner> && requires { &Owner::metadata; }) {
        if constexpr (std::same_as<decltype(&Owner::metadata), Member Owner::*>) {
            if (member == &Owner::metadata) return "metadata";
        }
    }
    constexpr auto list = get_fields<Owner>();
    const std::string_view name = name_in_list(member, list, std::make_index_sequence<list.size>());
    if (name.empty()) throw std::invalid_argument("kcontrol::path: this member is not in the field list of its struct");
    return name;
}

template <class T>
constexpr std::string_view openapi_type() {
    using bare = typename path_step<T>::type;
    constexpr schema_shape shape = shape_of<bare>::value;
    if constexpr (std::same_as<bare, timestamp> || std::same_as<bare, micro_time> || std::same_as<bare, date_time>) {
        return "date";
    }
    if constexpr (std::same_as<bare, double>) return "number";
    if constexpr (shape == schema_shape::boolean) return "boolean";
    if constexpr (shape == schema_shape::numeric) return "integer";
    if constexpr (shape == schema_shape::string || shape == schema_shape::number_or_string) return "string";
    return {};
}

template <class From>
constexpr void walk_path(field_path&) {}

template <class From, class Owner, class Member, class... More>
constexpr void walk_path(field_path& path, Member Owner::*member, More... more) {
    static_assert(std::same_as<From, void> || std::same_as<typename path_step<From>::type, Owner>,
                  "kcontrol::path: each member is one of the struct before it. A path can't lead through a list or a "
                  "map; where Kubernetes takes a JSONPath, write that as text");
    path.push(name_of_member(member));
    path.type(openapi_type<Member>());
    walk_path<Member>(path, more...);
}

}  // namespace detail

/// The path of a field: `path(&widget::spec, &widget_spec::replicas)` is `spec.replicas`. Steps through std::optional
/// and boxed need nothing special. Throws std::invalid_argument for a member that its field list lacks, and
/// std::length_error beyond 8 steps; in a constant expression both are compile errors.
template <class Owner, class Member, class... More>
constexpr field_path path(Member Owner::*member, More... more) {
    field_path made;
    detail::walk_path<void>(made, member, more...);
    return made;
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/model/impl/field_path.ipp>
#endif
