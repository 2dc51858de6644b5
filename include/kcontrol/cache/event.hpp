// The events that the handlers of an informer, or of another source, get.
#pragma once

#include <kcontrol/model/any_object.hpp>
#include <kcontrol/model/describe.hpp>

#include <cstdint>
#include <memory>

namespace kcontrol::inline v0_1 {

enum class event_type {
    added,
    updated,
    deleted,
    generic,  ///< something outside the cluster happened that concerns the object; no informer tells it
};

/// A change of the local copy, or, of type generic, of something else.
class any_event {
public:
    any_event() = default;
    /// An empty object stands for the one that the type does not have.
    any_event(event_type t, any_object old_one, any_object new_one)
        : type(t), old_object(std::move(old_one)), new_object(std::move(new_one)) {}

    event_type type = event_type::added;  ///< says which of the two objects there are
    any_object old_object;                ///< of updated and deleted
    any_object new_object;                ///< of added, updated and generic
    bool initial = false;              ///< added: it was there when the handler subscribed, or came with the first list
    bool resync = false;               ///< updated: nothing changed, the resync period passed
    bool final_state_unknown = false;  ///< deleted: seen by its absence from a list; old_object is the last known state
    std::uint64_t generation = 0;      ///< of the informer when it observed the change

    /// The object the event is about: the new one, or the last known one of a deletion.
    const any_object& object() const noexcept { return new_object ? new_object : old_object; }
};

/// The same with the type known.
template <class T>
class event {
public:
    /// Throws kcontrol::exception if the event is not about a T.
    explicit event(const any_event& e)
        : type(e.type),
          old_object(e.old_object.as<T>()),
          new_object(e.new_object.as<T>()),
          initial(e.initial),
          resync(e.resync),
          final_state_unknown(e.final_state_unknown) {
        (void)e.object().template get<T>();
    }

    event_type type;                      ///< says which of the two objects there are
    std::shared_ptr<const T> old_object;  ///< of updated and deleted; else null
    std::shared_ptr<const T> new_object;  ///< of added, updated and generic; else null
    bool initial;              ///< added: it was there when the handler subscribed, or came with the first list
    bool resync;               ///< updated: nothing changed, the resync period passed
    bool final_state_unknown;  ///< deleted: seen by its absence from a list; old_object is the last known state

    /// The new object, or the last known one of a deletion.
    const T& object() const noexcept { return new_object ? *new_object : *old_object; }
};

}  // namespace kcontrol
