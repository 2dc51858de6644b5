// Predicates: which events are worth a reconcile.
#pragma once

#include <kcontrol/cache/event.hpp>
#include <kcontrol/config.hpp>

#include <concepts>
#include <functional>
#include <utility>

namespace kcontrol {

/// True if the event shall reach the event handler. Predicates act after the cache: they save reconciles, neither
/// memory nor bandwidth. An event at which one throws passes: a reconcile too many is better than one too few.
using predicate = std::function<bool(const any_event&)>;

// Each of the following looks at updates only; additions and deletions always pass.

/// The resource version differs: drops resyncs.
KCONTROL_DECL bool resource_version_changed(const any_event&);

/// metadata.generation differs; controller-runtime's GenerationChangedPredicate. It also drops changes of finalizers,
/// labels and annotations, and every update of a kind that has no generation (Pod, ConfigMap, Secret…):
/// prefer spec_changed.
KCONTROL_DECL bool generation_changed(const any_event&);

/// Something a reconciler has to act upon changed, but not only the status: the generation, the deletion timestamp, the
/// finalizers, or, for a kind without generation, anything at all. Resyncs pass, because they were asked for.
KCONTROL_DECL bool spec_changed(const any_event&);

KCONTROL_DECL bool label_changed(const any_event&);
KCONTROL_DECL bool annotation_changed(const any_event&);

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

}  // namespace detail

/// All of them; stops at the first that refuses.
template <class... P>
predicate and_(P... predicates) {
    return [... p = detail::untyped_predicate(std::move(predicates))](const any_event& e) { return (p(e) && ...); };
}

/// Any of them; stops at the first that accepts.
template <class... P>
predicate or_(P... predicates) {
    return [... p = detail::untyped_predicate(std::move(predicates))](const any_event& e) { return (p(e) || ...); };
}

template <class P>
predicate not_(P wanted) {
    return [p = detail::untyped_predicate(std::move(wanted))](const any_event& e) { return !p(e); };
}

/// A predicate from a function of what is known to be a T: of `const event<T>&`, or of the object alone (`const T&`,
/// the new one of an update), or of `const any_event&`.
template <class T, class F>
predicate predicate_on(F f) {
    if constexpr (std::convertible_to<F, predicate>) {
        return predicate(std::move(f));
    } else if constexpr (std::predicate<const F&, const event<T>&>) {
        return [f = std::move(f)](const any_event& e) { return static_cast<bool>(f(event<T>(e))); };
    } else {
        constexpr bool is_predicate = std::predicate<const F&, const T&>;
        static_assert(is_predicate,
                      "kcontrol: a predicate on a kind K is a const function of const K&, const kcontrol::event<K>& or "
                      "const kcontrol::any_event&, and returns bool");
        if constexpr (is_predicate) {
            return
                [f = std::move(f)](const any_event& e) { return static_cast<bool>(f(e.object().template get<T>())); };
        } else {
            return nullptr;
        }
    }
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/predicate.ipp>
#endif
