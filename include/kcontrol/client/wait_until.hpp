// Waiting for what becomes of objects: until a condition holds, until an event comes, until an object is gone.
#pragma once

#include <kcontrol/client/client.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace kcontrol::inline v0_1 {

/// How long is waited, and what ends it: deadline(), 30 s if nothing is said, and stop().
class wait_options : public call_options<wait_options> {};

// All of them ask the server, never a cache, and go on over whatever passes: lost connections, 429, 5xx, versions that
// expired. They end with
//     timeout           at the deadline; the text says how the object was last, or what stood in the way
//     stopped           when the stop token is triggered
//     callback_failed   if the program's function threw
//     decode_failed     if the object does not decode
// and with those of client that waiting does not mend: access_denied, invalid_argument, not_found for a missing kind.
//
// Thread-safety: as the client's verbs. Object lifetime: arguments are copied; `info` outlives the call.

/// Waits until `holds` says so of the object, which is empty while there is none; the object as it is then. It needs
/// the right to list and watch that one name.
KCONTROL_DECL awaitable<result<any_object>> wait_until(client c, const resource_info& info, namespaced_name key,
                                                       std::function<bool(const any_object&)> holds,
                                                       wait_options options);

/// Waits for an event after from.resource_version() of which `holds` says so; that event. Bookmarks are not told.
/// Errors, besides: condition::expired where the server no longer knows that version.
KCONTROL_DECL awaitable<result<watch_event>> until(client c, const resource_info& info, watch_options from,
                                                   std::function<bool(const watch_event&)> holds, wait_options options);

/// Deletes the object and waits until it is gone: its finalizers have done their work, and another object of its name
/// is another one. `how` has its own deadline, and none of it counts against that of `options`. With how.dry_run()
/// nothing is waited for. Errors, besides: not_found, unless how.ignore_not_found(); conflict, if a precondition of
/// `how` does not hold.
KCONTROL_DECL awaitable<result<void>> delete_and_wait(client c, const resource_info& info, namespaced_name key,
                                                      delete_options how, wait_options options);

/// wait_until() with a type: `holds` is called with a const T*, null while there is no object.
///
///     auto ready = co_await wait_until<pod>(c, key, [](const pod* p) { return p && p->status.phase == "Running"; });
///
/// On g++ 12 a lambda that captures is named first (docs/testing.md).
template <resource T>
awaitable<result<std::shared_ptr<const T>>> wait_until(client c, namespaced_name key,
                                                       std::function<bool(const T*)> holds, wait_options options = {}) {
    auto typed = [holds = std::move(holds)](const any_object& object) {
        return holds(object ? &object.template get<T>() : nullptr);
    };
    return detail::as_shared<T>(
        wait_until(std::move(c), resource_of<T>(), std::move(key), std::move(typed), std::move(options)));
}

namespace detail {

template <class T>
awaitable<result<object_event<T>>> as_typed_event(awaitable<result<watch_event>> call) {
    auto event = co_await std::move(call);
    if (!event) co_return event.error();
    co_return object_event<T>(std::move(*event));
}

}  // namespace detail

template <resource T>
awaitable<result<object_event<T>>> until(client c, watch_options from,
                                         std::function<bool(const object_event<T>&)> holds, wait_options options = {}) {
    auto typed = [holds = std::move(holds)](const watch_event& event) { return holds(object_event<T>(event)); };
    return detail::as_typed_event<T>(
        until(std::move(c), resource_of<T>(), std::move(from), std::move(typed), std::move(options)));
}

template <resource T>
awaitable<result<void>> delete_and_wait(client c, namespaced_name key, delete_options how = {},
                                        wait_options options = {}) {
    return delete_and_wait(std::move(c), resource_of<T>(), std::move(key), std::move(how), std::move(options));
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/wait_until.ipp>
#endif
