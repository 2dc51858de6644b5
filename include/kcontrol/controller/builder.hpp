// The builder of controllers: says in one sentence which objects a controller is for and what else it looks at.
#pragma once

#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/controller/controller.hpp>
#include <kcontrol/controller/host.hpp>

#include <concepts>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

class dynamic_object;

/// Stands beside a kind of which no more than the metadata is wanted: `owns<pod>(metadata_only)`. Its objects are
/// metadata_object then, in predicates, maps and handlers, too.
struct metadata_only_t {
    explicit metadata_only_t() = default;
};
inline constexpr metadata_only_t metadata_only{};

/// What objects of a kind that is known at run time can be: those of dynamic_resource(), and of metadata_resource().
template <class T>
concept run_time_object = std::same_as<T, dynamic_object> || std::same_as<T, metadata_object>;

namespace detail {

// `resource` is not asked about those, for it refuses in words.
template <class T>
concept typed_kind = !run_time_object<T> && resource<T>;
template <class T>
concept run_time_kind = run_time_object<T> || std::same_as<T, any_object>;

// The part of a builder that does not depend on types.
class builder_core {
public:
    builder_core(controller_host& host, std::string name) : host_(&host), name_(std::move(name)) {}

    /// Null where the options can't be had: complete() says why.
    KCONTROL_DECL std::shared_ptr<cached_source> source_of(const resource_info& kind, const kind_options* how);
    KCONTROL_DECL void watch(std::shared_ptr<event_source> source, event_handler<request> handler,
                             std::vector<predicate> predicates);
    KCONTROL_DECL result<std::shared_ptr<controller>> complete(reconciler<request> reconcile);

    controller_options options;
    std::vector<predicate> event_filter;

private:
    struct watched {
        std::shared_ptr<event_source> source;
        event_handler<request> handler;
        std::vector<predicate> predicates;
    };
    controller_host* host_;
    std::string name_;
    std::vector<watched> watched_;
    std::optional<error> refused_;
};

// What stands beside a kind and is no predicate.
template <class A>
concept kind_setting =
    std::same_as<A, kind_options> || std::same_as<A, owner_match> || std::same_as<A, metadata_only_t>;

template <class A, class... P>
inline constexpr bool one_is = (std::same_as<A, P> || ...);

template <class... P>
constexpr void allow_options_alone() {
    static_assert(!one_is<metadata_only_t, P...> && !one_is<owner_match, P...>,
                  "kcontrol: objects that another cluster or source has are whole and have no owner here: neither "
                  "metadata_only nor owner_match stands beside their kind");
}

template <class... P>
constexpr void refuse_metadata_only() {
    static_assert(!one_is<metadata_only_t, P...>,
                  "kcontrol::controller_builder: beside a kind known at run time there is no metadata_only; give "
                  "metadata_resource(gvk, …) as the kind");
}

// The setting of type A among what stands beside a kind; null if there is none.
template <class A, class... P>
const A* setting_among(const P&... beside) {
    static_assert(
        (0 + ... + (std::same_as<A, P> ? 1 : 0)) <= 1,
        "kcontrol::controller_builder: one setting of a type stands beside a kind (kind_options, owner_match, "
        "metadata_only), and here are two");
    const A* out = nullptr;
    [[maybe_unused]] const auto take = [&out](const auto& one) {
        if constexpr (std::same_as<std::decay_t<decltype(one)>, A>) out = &one;
    };
    (take(beside), ...);
    return out;
}

// Takes the predicates, and leaves the settings. Beside a kind known at run time (T is any_object) they see events of
// any kind.
template <class T, class... P>
std::vector<predicate> predicates_on(P&&... beside) {
    std::vector<predicate> out;
    [[maybe_unused]] const auto take = [&out](auto& one) {
        if constexpr (kind_setting<std::decay_t<decltype(one)>>) {
        } else if constexpr (std::same_as<T, any_object>) {
            out.push_back(untyped_predicate(std::move(one)));
        } else {
            out.push_back(predicate_on<T>(std::move(one)));
        }
    };
    (take(beside), ...);
    return out;
}

// What a reconciler of objects gets: of a kind known at run time, an any_object.
template <class T>
struct reconciled {
    using type = std::shared_ptr<const T>;
    static type of(const any_object& found) { return found.as<T>(); }
};
template <>
struct reconciled<any_object> {
    using type = any_object;
    static type of(const any_object& found) { return found; }
};
template <class T>
using reconciled_object = typename reconciled<T>::type;

// The object that a reconciler gets. `whole_from` is null, unless the cache keeps metadata alone. Empty: it is gone.
inline awaitable<result<any_object>> whole_object(std::shared_ptr<cached_source> whole_from, namespaced_name key,
                                                  any_object found, std::stop_token stop) {
    if (!found || !whole_from) co_return found;
    auto whole = co_await whole_from->fetch(std::move(key), std::move(stop));
    if (!whole && whole.error() == api_errc::not_found) co_return any_object();
    co_return whole;
}

// A reconciler that gets the cached object instead of its name, and is not called once the object is gone.
template <class T, class F>
reconciliation reconcile_cached(F& f, std::shared_ptr<cached_source> whole_from, namespaced_name key, any_object found,
                                reconcile_context ctx) {
    auto whole = co_await whole_object(std::move(whole_from), std::move(key), std::move(found), ctx.stop());
    if (!whole) co_return whole.error();
    if (!*whole) co_return reconcile_result::done();
    auto object = reconciled<T>::of(*whole);
    result<reconcile_result> outcome =
        co_await call_reconciler<F, reconcile_context, reconciled_object<T>>(f, std::move(ctx), std::move(object));
    co_return outcome;
}

// One that gets both, and nothing in place of an object that is gone.
template <class T, class F>
reconciliation reconcile_looked_up(F& f, std::shared_ptr<cached_source> whole_from, request req, any_object found,
                                   reconcile_context ctx) {
    namespaced_name key = req;
    auto whole = co_await whole_object(std::move(whole_from), std::move(key), std::move(found), ctx.stop());
    if (!whole) co_return whole.error();
    auto object = *whole ? reconciled<T>::of(*whole) : reconciled_object<T>();
    result<reconcile_result> outcome = co_await call_reconciler<F, reconcile_context, request, reconciled_object<T>>(
        f, std::move(ctx), std::move(req), std::move(object));
    co_return outcome;
}

// The source is asked by these, on the controller's executor: the coroutine may run elsewhere.
inline std::shared_ptr<cached_source> if_metadata_only(const std::shared_ptr<cached_source>& source) {
    return source->metadata_only() ? source : nullptr;
}

template <class T, class F>
reconciler<request> make_looking_reconciler(std::shared_ptr<cached_source> source, F f) {
    return [source = std::move(source), f = std::move(f)](reconcile_context ctx, request req) mutable {
        any_object found = source->get(req);
        return reconcile_looked_up<T, F>(f, if_metadata_only(source), std::move(req), std::move(found), std::move(ctx));
    };
}

template <class T, class F>
reconciler<request> make_object_reconciler(std::shared_ptr<cached_source> source, F f) {
    return [source = std::move(source), f = std::move(f)](reconcile_context ctx, request req) mutable {
        any_object found = source->get(req);
        return reconcile_cached<T, F>(f, if_metadata_only(source), std::move(req), std::move(found), std::move(ctx));
    };
}

}  // namespace detail

/// A controller for objects of type T in the making; T is any_object where the kind is known at run time. Predicates
/// may be functions of `const any_event&`, of `const event<K>&` or of `const K&`, where K is the type they stand
/// beside; all of them must agree. Beside a kind known at run time whose type is not said they are functions of
/// `const any_event&`. A resource_info outlives the controller's host.
///
/// Among the predicates there may be, in any order:
/// - `kind_options`: how the objects of that kind are cached, in place of what the cluster's cache_options say of it:
///   `owns<pod>(kind_options().label_selector("app=web"))`
/// - `metadata_only`: of the objects only the metadata is read and kept. They are metadata_object then
/// - `owner_match`, in owns(): which owners count. The default is the one that controls the object
template <class T>
class controller_builder_for {
public:
    /// Looks at objects of kind U that a T owns, and reconciles their owner.
    template <detail::typed_kind U, class... P>
    controller_builder_for& owns(P... beside) {
        if constexpr (detail::one_is<metadata_only_t, P...>) {
            return owns_kind<metadata_object>(metadata_resource_of<U>(), std::move(beside)...);
        } else {
            return owns_kind<U>(resource_of<U>(), std::move(beside)...);
        }
    }
    /// The same of a kind known at run time: its objects are any_object. `owns<dynamic_object>(info)` says of what type
    /// they are.
    template <detail::run_time_kind U = any_object, class... P>
    controller_builder_for& owns(const resource_info& kind, P... beside) {
        detail::refuse_metadata_only<P...>();
        return owns_kind<U>(kind, std::move(beside)...);
    }

    /// Looks at objects of kind V, and reconciles what `map` makes of each: a request, or a range of requests or names.
    /// In its place there may be an event handler, a function of `const event<V>&` (or `const any_event&`) and
    /// `request_sink<request>&`, which sees the old object and the new one and says when, and how urgently.
    template <detail::typed_kind V, class F, class... P>
    controller_builder_for& watches(F map, P... beside) {
        if constexpr (std::same_as<F, metadata_only_t>) {
            return watches_kind<metadata_object>(metadata_resource_of<V>(), std::move(beside)...);
        } else if constexpr (detail::one_is<metadata_only_t, P...>) {
            return watches_kind<metadata_object>(metadata_resource_of<V>(), std::move(map), std::move(beside)...);
        } else {
            return watches_kind<V>(resource_of<V>(), std::move(map), std::move(beside)...);
        }
    }
    /// The same of a kind known at run time. `map` takes `const any_object&`, or, in
    /// `watches<dynamic_object>(info, map)`, `const dynamic_object&`.
    template <detail::run_time_kind V = any_object, class F, class... P>
    controller_builder_for& watches(const resource_info& kind, F map, P... beside) {
        detail::refuse_metadata_only<F, P...>();
        return watches_kind<V>(kind, std::move(map), std::move(beside)...);
    }

    /// Looks at any other source of events.
    controller_builder_for& watches_source(std::shared_ptr<event_source> source, event_handler<request> handler,
                                           std::vector<predicate> predicates = {}) {
        core_.watch(std::move(source), std::move(handler), std::move(predicates));
        return *this;
    }

    /// A predicate on the events of every kind.
    template <class P>
    controller_builder_for& with_event_filter(P p) {
        return core_.event_filter.push_back(detail::untyped_predicate(std::move(p))), *this;
    }
    /// In place of the defaults; a logger that they do not set is that of the host's cluster.
    controller_builder_for& with_options(controller_options o) { return core_.options = std::move(o), *this; }

    /// Makes the controller and hands it to its host, which runs it. The reconciler takes a reconcile_context and
    /// a `request`, or the cached object, a `std::shared_ptr<const T>` (of a kind known at run time an any_object), or
    /// both. With the object alone it is not called for objects that are gone, with both it gets null in its place. It
    /// is a coroutine that returns `reconciliation`, or a plain function.
    /// Errors: invalid_argument (the name is taken; the options of a kind come too late), unavailable (the host is
    /// stopping).
    template <class F>
    result<std::shared_ptr<controller>> complete(F reconcile) {
        detail::assert_reconciles<F, request, detail::reconciled_object<T>>();
        if constexpr (reconciles<F, request, detail::reconciled_object<T>>) {
            return core_.complete(detail::make_looking_reconciler<T>(source_, std::move(reconcile)));
        } else if constexpr (reconciles<F, request>) {
            return core_.complete(make_reconciler<request>(std::move(reconcile)));
        } else if constexpr (reconciles<F, detail::reconciled_object<T>>) {
            return core_.complete(detail::make_object_reconciler<T>(source_, std::move(reconcile)));
        } else {
            std::terminate();  // in no program: the assertion has failed
        }
    }

private:
    friend class controller_builder;
    controller_builder_for(detail::builder_core core, const resource_info& kind, std::vector<predicate> predicates,
                           const kind_options* how)
        : core_(std::move(core)), info_(&kind), source_(core_.source_of(kind, how)) {
        core_.watch(source_, enqueue_for_object, std::move(predicates));
    }
    controller_builder_for(detail::builder_core core, const resource_info& kind, std::vector<predicate> predicates,
                           std::shared_ptr<cached_source> source)
        : core_(std::move(core)), info_(&kind), source_(std::move(source)) {
        core_.watch(source_, enqueue_for_object, std::move(predicates));
    }

    template <class U, class... P>
    controller_builder_for& owns_kind(const resource_info& kind, P... beside) {
        const auto* const match = detail::setting_among<owner_match>(beside...);
        auto source = core_.source_of(kind, detail::setting_among<kind_options>(beside...));
        core_.watch(std::move(source),
                    enqueue_for_owner(info_->gvk, info_->scope, match ? *match : owner_match::controller),
                    detail::predicates_on<U>(std::move(beside)...));
        return *this;
    }
    template <class V, class F, class... P>
    controller_builder_for& watches_kind(const resource_info& kind, F map, P... beside) {
        static_assert(!detail::one_is<owner_match, P...>,
                      "kcontrol::controller_builder: owner_match stands in owns(); watches() has a map");
        auto source = core_.source_of(kind, detail::setting_among<kind_options>(beside...));
        core_.watch(std::move(source), handler_on<V>(std::move(map)), detail::predicates_on<V>(std::move(beside)...));
        return *this;
    }

    detail::builder_core core_;
    const resource_info* info_;
    std::shared_ptr<cached_source> source_;
};

/// Begins to build a controller:
/// `controller_builder(m, "jobs").for_<job>(spec_changed).owns<pod>().complete(reconcile)`.
class controller_builder {
public:
    /// `host` is a manager, or an engaged cluster of a multicluster_manager. `name` appears in logs and metrics, and is
    /// unique in its host.
    controller_builder(controller_host& host, std::string name) : core_(host, std::move(name)) {}

    /// The kind the controller is for. With `metadata_only` the reconciler gets a
    /// `std::shared_ptr<const metadata_object>`.
    template <detail::typed_kind T, class... P>
    auto for_(P... beside) {
        if constexpr (detail::one_is<metadata_only_t, P...>) {
            return made<metadata_object>(metadata_resource_of<T>(), std::move(beside)...);
        } else {
            return made<T>(resource_of<T>(), std::move(beside)...);
        }
    }
    /// The same where the kind is known at run time: its objects are any_object, for the reconciler, too.
    /// `for_<dynamic_object>(info)` says of what type they are.
    template <detail::run_time_kind T = any_object, class... P>
    controller_builder_for<T> for_(const resource_info& kind, P... beside) {
        detail::refuse_metadata_only<P...>();
        return made<T>(kind, std::move(beside)...);
    }

    /// Objects of that kind that are kept elsewhere than in the host's cluster, for one another cluster's: `source` has
    /// them, and the requests are of the host's cluster nonetheless.
    template <detail::typed_kind T, class... P>
    controller_builder_for<T> for_source(std::shared_ptr<cached_source> source, P... predicates) {
        detail::allow_options_alone<P...>();
        return controller_builder_for<T>(std::move(core_), resource_of<T>(),
                                         detail::predicates_on<T>(std::move(predicates)...), std::move(source));
    }

private:
    template <class T, class... P>
    controller_builder_for<T> made(const resource_info& kind, P... beside) {
        static_assert(!detail::one_is<owner_match, P...>,
                      "kcontrol::controller_builder: owner_match stands in owns(), for_() has no owner");
        const kind_options* const how = detail::setting_among<kind_options>(beside...);
        return controller_builder_for<T>(std::move(core_), kind, detail::predicates_on<T>(std::move(beside)...), how);
    }

    detail::builder_core core_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/builder.ipp>
#endif
