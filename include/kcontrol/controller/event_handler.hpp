// Event handlers: from an event to the requests it is about.
#pragma once

#include <kcontrol/cache/event.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/controller/request.hpp>
#include <kcontrol/workqueue/add_options.hpp>

#include <concepts>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

namespace kcontrol {

/// Takes requests into a controller's queue. What an add does not say follows from the event: a first list and resyncs
/// have low_priority, all else has 0; and the event is the cause.
///
/// Thread-safety: shared objects unsafe; use it on the controller's executor.
template <class Request>
class request_sink {
public:
    virtual ~request_sink() = default;

    /// Reconcile it as soon as its turn comes.
    void add(Request req) { enqueue(std::move(req), add_options()); }
    void add(Request req, const add_options& how) { enqueue(std::move(req), how); }
    /// Not before `delay` has passed. Of several delays of a request the shortest counts.
    void add_after(Request req, duration delay) { enqueue(std::move(req), add_options().after(delay)); }
    /// Counts a failure of the request, and waits as the controller's rate limiter says.
    void add_rate_limited(Request req) { enqueue(std::move(req), add_options().rate_limited()); }

protected:
    virtual void enqueue(Request req, const add_options& how) = 0;
};

/// Turns an event into requests. The sink is valid during the call only. If it throws, the requests it has not added
/// are lost, until the next event of the object.
template <class Request>
using event_handler = std::function<void(const any_event&, request_sink<Request>&)>;

/// Which owners of an object count.
enum class owner_match {
    controller,  ///< the one with `controller: true`
    any,         ///< every owner of the kind
};

/// The object itself.
KCONTROL_DECL void enqueue_for_object(const any_event&, request_sink<request>&);

/// The owners of the object that are of the given kind. Group and kind count, the version does not. An update maps the
/// old and the new object, so that an owner that lost the object is reconciled as well.
KCONTROL_DECL event_handler<request> enqueue_for_owner(group_version_kind owner, resource_scope scope,
                                                       owner_match match = owner_match::controller);

template <resource Owner>
event_handler<request> enqueue_for_owner(owner_match match = owner_match::controller) {
    const resource_info& info = resource_of<Owner>();
    return enqueue_for_owner(info.gvk, info.scope, match);
}

namespace detail {

template <class Range, class Request>
concept range_of = requires(Range& range) {
    requires std::constructible_from<Request, decltype(*std::begin(range))>;
    std::end(range);
};

template <class Mapped, class Request>
concept requests = std::convertible_to<Mapped, Request> || range_of<std::remove_reference_t<Mapped>, Request>;

/// Refuses, at compile time and in words, a function that no requests come from.
template <class F, class T, class Request>
constexpr bool assert_maps() {
    constexpr bool takes_the_object = std::invocable<const F&, const T&>;
    static_assert(takes_the_object, "kcontrol: the map of watches<K>(map) is a const function that takes const K&");
    if constexpr (takes_the_object) {
        constexpr bool returns_requests = requests<std::invoke_result_t<const F&, const T&>, Request>;
        static_assert(returns_requests,
                      "kcontrol: the map of watches<K>(map) returns a kcontrol::request, or a range of requests or of "
                      "kcontrol::namespaced_name");
        return returns_requests;
    } else {
        return false;
    }
}

template <class T>
const T& object_as(const any_object& object) {
    if constexpr (std::same_as<T, any_object>) {
        return object;
    } else {
        return object.get<T>();
    }
}

template <class Request, class Mapped>
void add_all(Mapped&& mapped, request_sink<Request>& sink) {
    if constexpr (std::convertible_to<Mapped, Request>) {
        sink.add(std::forward<Mapped>(mapped));
    } else {
        for (auto&& one : mapped) sink.add(Request(std::forward<decltype(one)>(one)));
    }
}

/// Calls f with the old object and with the new one, if that is another, also when the first call throws.
template <class F>
void for_both_objects(const any_event& e, const F& f) {
    const bool two = e.new_object && e.new_object != e.old_object;
    try {
        if (e.old_object) f(e.old_object);
    } catch (...) {
        if (two) f(e.new_object);
        throw;
    }
    if (two) f(e.new_object);
}

}  // namespace detail

/// What `map` makes of the object: a request, or a range of requests or of namespaced names. An update maps the old and
/// the new object, and one of them at which `map` throws does not keep it from the other. `map` takes `const T&`; where
/// T is any_object, objects of any kind.
template <class T, class Request = request, class F>
event_handler<Request> enqueue_mapped(F map) {
    if constexpr (detail::assert_maps<F, T, Request>()) {
        return [map = std::move(map)](const any_event& e, request_sink<Request>& sink) {
            const auto add = [&map, &sink](const any_object& object) {
                detail::add_all<Request>(map(detail::object_as<T>(object)), sink);
            };
            detail::for_both_objects(e, add);
        };
    } else {
        return nullptr;
    }
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/event_handler.ipp>
#endif
