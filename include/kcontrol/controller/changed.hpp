// Predicates on what changed within an object: `changed(&website_spec::replicas)`, and the status.
#pragma once

#include <kcontrol/codec/equal.hpp>
#include <kcontrol/controller/predicate.hpp>
#include <kcontrol/model/describe.hpp>
#include <kcontrol/model/field_path.hpp>

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

template <class T>
using stepped = typename path_step<std::remove_cvref_t<T>>::type;

// Where in a T there is an Owner.
template <class T, class Owner>
concept is_itself = std::derived_from<T, Owner>;
template <class T, class Owner>
concept in_spec = requires(const T& o) {
    requires std::derived_from<stepped<decltype(o.spec)>, Owner>;
};
template <class T, class Owner>
concept in_status = requires(const T& o) {
    requires std::derived_from<stepped<decltype(o.status)>, Owner>;
};
template <class T, class Owner>
concept in_metadata = requires(const T& o) {
    requires std::derived_from<stepped<decltype(o.metadata)>, Owner>;
};

/// What a member leads to, through optionals; null where there is none.
template <class T>
const auto* look_into(const T& at) {
    if constexpr (std::same_as<stepped<T>, T>) {
        return &at;
    } else {
        using found = decltype(look_into(*at));
        return at ? look_into(*at) : found(nullptr);
    }
}

template <class Owner, class T>
const Owner* find_owner(const T& object) {
    if constexpr (is_itself<T, Owner>) {
        return &object;
    } else if constexpr (in_spec<T, Owner>) {
        return look_into(object.spec);
    } else if constexpr (in_status<T, Owner>) {
        return look_into(object.status);
    } else {
        return look_into(object.metadata);
    }
}

template <class Owner, class Member, class... More>
bool differ_at(const Owner* before, const Owner* after, Member Owner::*member, More... more) {
    if (before == nullptr || after == nullptr) return before != after;
    if constexpr (sizeof...(More) == 0) {
        return !equal(describe<Member>(), &(before->*member), &(after->*member));
    } else {
        return differ_at(look_into(before->*member), look_into(after->*member), more...);
    }
}

// Beside a type that lists its fields: one that is not listed is not read, and never changes.
template <class Owner, class Member>
consteval void require_listed(Member Owner::*member) {
    if constexpr (has_own_fields<Owner> || has_foreign_fields<Owner>) static_cast<void>(name_of_member(member));
}

template <class Step>
struct step_of;
template <class Owner, class Member>
struct step_of<Member Owner::*> {
    using owner = Owner;
    using member = Member;
};
template <class From>
constexpr bool leads_on() {
    return true;
}
template <class From, class Step, class... More>
constexpr bool leads_on() {
    return std::derived_from<stepped<From>, typename step_of<Step>::owner> &&
           leads_on<typename step_of<Step>::member, More...>();
}

template <class Owner, class First, class... More>
class field_change {
public:
    explicit consteval field_change(First Owner::*first, More... more) : steps_(first, more...) {
        static_assert(is_a_way,
                      "kcontrol: changed(&A::b, &B::c) needs each member to be one of the type of the member before "
                      "it; a path can't lead through a list or a map, whose changes are seen as a whole");
        require_listed(first);
        if constexpr (is_a_way) (require_listed(more), ...);
    }

    template <class T>
    predicate on() const {
        constexpr int within_t = int{in_spec<T, Owner>} + int{in_status<T, Owner>} + int{in_metadata<T, Owner>};
        constexpr bool has_one_place = is_itself<T, Owner> || within_t == 1;
        static_assert(has_one_place,
                      "kcontrol: changed(&S::member) beside a kind K needs S to be K, or the type of either the spec, "
                      "the status or the metadata of K; otherwise spell the way: changed(&K::spec, &S::member)");
        if constexpr (has_one_place && is_a_way) {
            return [steps = steps_](const any_event& e) {
                if (e.type != event_type::updated || !e.old_object || !e.new_object) return true;
                const Owner* const before = find_owner<Owner>(e.old_object.get<T>());
                const Owner* const after = find_owner<Owner>(e.new_object.get<T>());
                return std::apply([&](auto... step) { return differ_at(before, after, step...); }, steps);
            };
        } else {
            return nullptr;
        }
    }

private:
    static constexpr bool is_a_way = leads_on<First, More...>();
    std::tuple<First Owner::*, More...> steps_;
};

class status_change {
public:
    template <class T>
    predicate on() const {
        constexpr bool has_a_status = requires(const T& o) { o.status; };
        static_assert(has_a_status,
                      "kcontrol: status_changed beside a kind K needs K to have a member `status`; for a kind known at "
                      "run time say kcontrol::content_changed({\"status\"})");
        if constexpr (has_a_status) {
            return [](const any_event& e) {
                if (e.type != event_type::updated || !e.old_object || !e.new_object) return true;
                const auto& before = e.old_object.get<T>().status;
                const auto& after = e.new_object.get<T>().status;
                return !equal(describe<std::remove_cvref_t<decltype(after)>>(), &before, &after);
            };
        } else {
            return nullptr;
        }
    }
};

}  // namespace detail

/// Drops updates that left that field alone, with all that is in it. Additions, deletions and generic events pass.
///
/// `changed(&website::spec, &website_spec::replicas)` names every step; steps through std::optional, boxed and nullable
/// need nothing special, and the absence of one is a value like another. `changed(&website_spec::replicas)` means the
/// same beside a kind whose spec, status or metadata is of that type:
/// `for_<website>(changed(&website_spec::replicas))`, `for_<website>(changed(&object_meta::labels))`. For several
/// fields: `or_(changed(…), changed(…))`.
///
/// Members are given as constants, and are in the field lists of their types: that is checked when it is compiled.
template <class Owner, class Member, class... More>
consteval auto changed(Member Owner::*first, More... more) {
    return detail::field_change<Owner, Member, More...>(first, more...);
}

/// Drops updates that left the status alone. Additions, deletions and generic events pass. The kind that it stands
/// beside has a member `status`.
inline constexpr detail::status_change status_changed;

}  // namespace kcontrol
