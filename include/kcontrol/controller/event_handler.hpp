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

namespace kcontrol::inline v0_1 {

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
    /// `how` says when, and how urgent it is.
    void add(Request req, const add_options& how) { enqueue(std::move(req), how); }
    /// Not before `delay` has passed. Of several delays of a request the shortest counts.
    void add_after(Request req, duration delay) { enqueue(std::move(req), add_options().after(delay)); }
    /// Counts a failure of the request, and waits as the controller's rate limiter says.
    void add_rate_limited(Request req) { enqueue(std::move(req), add_options().rate_limited()); }

protected:
    virtual void enqueue(Request req, const add_options& how) = 0;  ///< what each add comes down to
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
    static_assert(
        takes_the_object,
        "kcontrol: the map of watches<K>(map) is a const function that takes const K&; an event handler is one "
        "that takes (const kcontrol::event<K>&, kcontrol::request_sink<kcontrol::request>&)");
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

/// Adds to another sink what is added to it, with options for those that come without.
template <class Request>
class sink_with final : public request_sink<Request> {
public:
    sink_with(request_sink<Request>& to, const add_options& how) : to_(to), how_(how) {}

protected:
    void enqueue(Request req, const add_options& said) override {
        add_options with = said;
        if (!with.priority() && how_.priority()) with.priority(*how_.priority());
        if (said.after() <= duration::zero() && !said.rate_limited()) {
            with.after(how_.after()).rate_limited(how_.rate_limited());
        }
        to_.add(std::move(req), with);
    }

private:
    request_sink<Request>& to_;
    const add_options how_;
};

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

/// An event handler from a function of what is known to be about a T: of `const event<T>&` and a sink, with the old
/// object and the new one, or of `const any_event&` and a sink; or a map as of enqueue_mapped, which takes the object
/// alone. The functions are const: one that keeps something keeps it elsewhere.
template <class T, class Request = request, class F>
event_handler<Request> handler_on(F f) {
    if constexpr (!std::same_as<T, any_object> && std::invocable<const F&, const event<T>&, request_sink<Request>&>) {
        return [f = std::move(f)](const any_event& e, request_sink<Request>& sink) { f(event<T>(e), sink); };
    } else if constexpr (std::invocable<const F&, const any_event&, request_sink<Request>&>) {
        return event_handler<Request>(std::move(f));
    } else {
        return enqueue_mapped<T, Request>(std::move(f));
    }
}

/// The requests of another handler, added as `how` says: `enqueue_with(add_options().priority(100),
/// enqueue_for_object)`. What that handler says by itself about a request counts instead where it says anything.
template <class Request = request>
event_handler<Request> enqueue_with(add_options how, event_handler<std::type_identity_t<Request>> handler) {
    return [how, handler = std::move(handler)](const any_event& e, request_sink<Request>& sink) {
        detail::sink_with<Request> with(sink, how);
        handler(e, with);
    };
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/event_handler.ipp>
#endif
