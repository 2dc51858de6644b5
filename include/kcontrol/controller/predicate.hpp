// Predicates: which events are worth a reconcile.
#pragma once

#include <kcontrol/cache/event.hpp>
#include <kcontrol/config.hpp>

#include <concepts>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// True if the event shall reach the event handler. Predicates act after the cache: they save reconciles, neither
/// memory nor bandwidth. An event at which one throws passes: a reconcile too many is better than one too few.
using predicate = std::function<bool(const any_event&)>;

// The first words of each say what it drops. Those on changes look at updates only: additions, deletions and generic
// events pass. controller/changed.hpp has those on fields and on the status, controller/selector_predicate.hpp those on
// labels, controller/dynamic_predicate.hpp those on kinds known at run time.

/// Drops updates that left the resource version alone: resyncs.
KCONTROL_DECL bool resource_version_changed(const any_event&);

/// Drops updates that left metadata.generation alone; controller-runtime's GenerationChangedPredicate. These are also
/// changes of finalizers, labels and annotations, and every update of a kind that has no generation (Pod, ConfigMap,
/// Secret…): prefer spec_changed.
KCONTROL_DECL bool generation_changed(const any_event&);

/// Drops updates of the status, labels and annotations alone, of kinds that have a generation: what is left is what a
/// reconciler has to act upon. The generation, the deletion timestamp, the finalizers or the uid changed, or, of a kind
/// without generation, anything at all. Resyncs pass, because they were asked for.
KCONTROL_DECL bool spec_changed(const any_event&);

/// Drops updates that left the labels alone.
KCONTROL_DECL bool label_changed(const any_event&);

/// Drops updates that left the annotations alone.
KCONTROL_DECL bool annotation_changed(const any_event&);

// Of these nothing passes but what they are named after.

/// Drops all but additions, those of the first list included.
KCONTROL_DECL bool create_only(const any_event&);

/// Drops all but the deletion of an object: the update in which its deletion timestamp appears, or that made another
/// object of it, an addition that is being deleted already, and its end.
KCONTROL_DECL bool deletion(const any_event&);

/// Drops all but resyncs. `not_(resync_only)` drops resyncs and nothing else.
KCONTROL_DECL bool resync_only(const any_event&);

namespace detail {

/// A predicate from a function that is to see the events of every kind.
template <class F>
predicate untyped_predicate(F f) {
    constexpr bool is_predicate = std::convertible_to<F, predicate>;
    static_assert(is_predicate,
                  "kcontrol: a predicate on the events of every kind takes const kcontrol::any_event& and returns "
                  "bool; one on a kind stands beside it, as in for_<K>(p), or is made by kcontrol::predicate_on<K>(p)");
    if constexpr (is_predicate) {
        return predicate(std::move(f));
    } else {
        return nullptr;
    }
}

/// What becomes a predicate as soon as the kind is known that it stands beside: it has `on<K>()`.
template <class F, class T>
concept bound_by_kind = requires(const F& f) {
    { f.template on<T>() } -> std::same_as<predicate>;
};

KCONTROL_DECL predicate all_of(std::vector<predicate> predicates);
KCONTROL_DECL predicate any_of(std::vector<predicate> predicates);
KCONTROL_DECL predicate none_of(std::vector<predicate> predicates);

// Calls f with the objects of an event one after the other, until one passes.
KCONTROL_DECL bool passes_either(const any_event& e, const std::function<bool(const any_object&)>& f);

}  // namespace detail

/// Drops events about objects for which `f` is false, before the change as well as after it: an object that `f` no
/// longer holds for is told once more. For kinds known at run time; beside a kind K a function of `const K&` is such a
/// predicate by itself.
KCONTROL_DECL predicate before_or_after(std::function<bool(const any_object&)> f);

/// A predicate from a function of what is known to be a T: of `const event<T>&`, of `const any_event&`, or of the
/// object alone, `const T&`. The last is asked about the object before the change and after it, and drops the event if
/// it is false for both, so that what leaves a selection is told once more.
template <class T, class F>
predicate predicate_on(F f) {
    if constexpr (detail::bound_by_kind<F, T>) {
        return f.template on<T>();
    } else if constexpr (std::convertible_to<F, predicate>) {
        return predicate(std::move(f));
    } else if constexpr (std::predicate<const F&, const event<T>&>) {
        return [f = std::move(f)](const any_event& e) { return static_cast<bool>(f(event<T>(e))); };
    } else {
        constexpr bool is_predicate = std::predicate<const F&, const T&>;
        static_assert(is_predicate,
                      "kcontrol: a predicate on a kind K is a const function of const K&, const kcontrol::event<K>& or "
                      "const kcontrol::any_event&, and returns bool");
        if constexpr (is_predicate) {
            return before_or_after(
                [f = std::move(f)](const any_object& o) { return static_cast<bool>(f(o.template get<T>())); });
        } else {
            return nullptr;
        }
    }
}

namespace detail {

/// Predicates of which some wait for their kind, and what to make of them then.
template <predicate (*Combine)(std::vector<predicate>), class... P>
class combination {
public:
    explicit combination(P... parts) : parts_(std::move(parts)...) {}

    template <class T>
    predicate on() const {
        std::vector<predicate> bound;
        std::apply([&bound](const P&... p) { (bound.push_back(predicate_on<T>(p)), ...); }, parts_);
        return Combine(std::move(bound));
    }

private:
    std::tuple<P...> parts_;
};

template <predicate (*Combine)(std::vector<predicate>), class... P>
auto combine(P... predicates) {
    if constexpr ((std::convertible_to<P, predicate> && ...)) {
        std::vector<predicate> all;
        (all.push_back(predicate(std::move(predicates))), ...);
        return Combine(std::move(all));
    } else {
        return combination<Combine, P...>(std::move(predicates)...);
    }
}

}  // namespace detail

/// Drops what any of them drops; asks in order, up to the first that does. They may be predicates on a kind, and the
/// whole is one then: `for_<job>(and_(spec_changed, [](const job& j) { … }))`.
template <class... P>
auto and_(P... predicates) {
    return detail::combine<detail::all_of>(std::move(predicates)...);
}

/// Drops what all of them drop; asks in order, up to the first that does not. Mind that additions and deletions pass
/// the predicates on changes.
template <class... P>
auto or_(P... predicates) {
    return detail::combine<detail::any_of>(std::move(predicates)...);
}

/// Drops what passes that predicate.
template <class P>
auto not_(P wanted) {
    return detail::combine<detail::none_of>(std::move(wanted));
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/predicate.ipp>
#endif
