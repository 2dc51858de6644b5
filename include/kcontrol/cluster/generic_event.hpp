// Generic events: what happened outside the cluster, about an object of it.
#pragma once

#include <kcontrol/cache/event.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

/// Something happened that concerns this object; controller-runtime's GenericEvent. It passes predicates on changes.
inline any_event generic_event(any_object object) {
    return any_event(event_type::generic, any_object(), std::move(object));
}

/// The same of an object of which no more is known than its name: the event has a metadata_object with that name and
/// namespace and nothing else.
KCONTROL_DECL any_event generic_event(const namespaced_name& key);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/generic_event.ipp>
#endif
