// A handler of the objects that a function selects: one that comes to be selected is an addition, one that no longer is
// a deletion.
#pragma once

#include <kcontrol/cache/event.hpp>
#include <kcontrol/cache/event_consumer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Whether a handler wants an object.
using object_filter = std::function<bool(const any_object&)>;

/// What an event is to a handler of the selected objects; nothing: none of its. Of an update of an object that is
/// selected now and was not before it makes an addition; in the other direction a deletion, whose object is the last
/// one that was selected. `selects` is called for both objects of an update.
KCONTROL_DECL std::optional<any_event> filter_event(const any_event& e, const object_filter& selects);

/// `handler`, of the objects that `selects` returns true for: for any_informer::subscribe(). What the function throws
/// counts as thrown by the handler. It returns the same for the same object at all times, as it is asked for the old
/// object again.
///
/// Thread-safety, object lifetime: the result owns both functions; they are called where the handler would be.
/// Source: client-go, tools/cache.FilteringResourceEventHandler.
KCONTROL_DECL event_consumer filter_events(object_filter selects, event_consumer handler);

/// The same with a function of `const T&`; of a T that is not one it throws, as event<T> does.
template <class T, class Selects>
requires std::is_invocable_r_v<bool, Selects&, const T&> event_consumer filter_events(Selects selects,
                                                                                      event_consumer handler) {
    auto shared = std::make_shared<Selects>(std::move(selects));
    return filter_events([shared](const any_object& one) { return static_cast<bool>((*shared)(one.get<T>())); },
                         std::move(handler));
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cache/impl/filter_events.ipp>
#endif
