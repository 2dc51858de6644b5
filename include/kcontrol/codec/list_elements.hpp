// Which elements of a list and of its edited copy are the same, so that what a type does not know of an element stays
// with it.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/model/resource.hpp>
#include <kcontrol/model/rules.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

namespace detail {
class builtin_type;
}  // namespace detail

/// A member that tells the elements of a list apart, alone or with others.
class list_key {
public:
    list_key(std::string_view name_, std::string default_) : name(name_), default_text(std::move(default_)) {}

    std::string_view name;     ///< in JSON
    std::string default_text;  ///< JSON of the value where the member is absent; empty: none
};

/// A place in the JSON of a kind: what a C++ type declares there, and what the kind's schema says of its lists. The
/// schema of Kubernetes' own kinds is known; that of other kinds is what the type's rules() say.
///
/// Thread-safety: immutable. Valid while the resource_info's type is, which is static for types.
class place_in_kind {
public:
    /// The whole object, as the kind's C++ type declares it. A dynamic object declares everything.
    KCONTROL_DECL explicit place_in_kind(const resource_info& info);
    /// The same where no C++ type is known: nothing is declared.
    KCONTROL_DECL explicit place_in_kind(const group_version_kind& gvk);

    /// The place of a member of the object or map that is here.
    KCONTROL_DECL place_in_kind member(std::string_view name) const;
    /// The place of the elements of the list that is here.
    KCONTROL_DECL place_in_kind element() const;

    /// Whether the C++ type has a member of that name in the object or map that is here.
    KCONTROL_DECL bool declares(std::string_view name) const;
    /// Whether the C++ type declares all members that there are at this place and below, as far as is known.
    KCONTROL_DECL bool declares_all() const;
    /// Whether a struct is here that is not written where nothing in it is set, though the object may have more there.
    KCONTROL_DECL bool omits_struct() const;
    /// Whether an object is here of which Kubernetes' own schema is known.
    bool is_builtin() const noexcept { return shape_ != nullptr; }
    /// Whether a list is here of which Kubernetes' own schema is known.
    bool is_builtin_list() const noexcept { return form_.starts_with("[]"); }

    /// Of a list: whether its schema is known. Without it keys() is empty, and nothing follows from that.
    KCONTROL_DECL bool knows_keys() const;
    /// Of a list: the keys of its elements; empty if the schema gives none.
    KCONTROL_DECL std::vector<list_key> keys() const;

private:
    enum class knowledge : unsigned char { by_type, nothing, everything };

    place_in_kind() = default;
    const field_rules* rules_of_keys() const;

    knowledge knows_ = knowledge::nothing;
    bool root_ = false;
    const type_descriptor* type_ = nullptr;        // counts if knows_ is by_type
    const field_rules* rules_ = nullptr;           // of the field that leads here
    std::string_view form_;                        // as builtin_lists has it; empty: unknown
    std::string_view keys_;                        // as builtin_lists has them
    const detail::builtin_type* shape_ = nullptr;  // of form_, if that is an object
};

/// What became of the elements of a list.
class element_match {
public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    std::vector<std::size_t> origins;  ///< of each element of the edited list: its index before; none: it is new
    /// Whether members that nobody sees could get to another element, or be lost, whatever is taken for the same.
    bool ambiguous = false;
    std::string remedy;  ///< if it is ambiguous: why, and what helps
};

/// Tells which elements of `to` are which of `from`. `list` is the place of both. Elements with equal keys are the same
/// where the schema has keys and the type declares all of them; if it is not known, `name`, `type`, `key` or `uid` is
/// the key that is a text and unique in both lists. Else those are the same whose declared members are all equal; equal
/// ones keep their order.
///
/// What is left before and what is left after could be one element that was edited, or two. That makes no difference
/// unless from[i] may have members that `from` does not show, which `hides(i)` is asked. Then two are two if they are
/// at different places between the others and have no member in common; else the result is ambiguous.
KCONTROL_DECL element_match match_elements(const place_in_kind& list, const json::array& from, const json::array& to,
                                           const std::function<bool(std::size_t)>& hides);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/list_elements.ipp>
#include <kcontrol/codec/impl/list_elements_match.ipp>
#endif
