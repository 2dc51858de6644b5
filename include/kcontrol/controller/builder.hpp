// The builder of controllers: says in one sentence which objects a controller is for and what else it looks at.
#pragma once

#include <kcontrol/controller/controller.hpp>
#include <kcontrol/controller/host.hpp>

#include <concepts>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol {
namespace detail {

// The part of a builder that does not depend on types.
class builder_core {
public:
    builder_core(controller_host& host, std::string name) : host_(&host), name_(std::move(name)) {}

    std::shared_ptr<cached_source> source_of(const resource_info& kind) { return host_->get_cluster().source_of(kind); }
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
};

// Beside a kind known at run time (T is any_object) they see events of any kind.
template <class T, class... P>
std::vector<predicate> predicates_on(P... predicates) {
    std::vector<predicate> out;
    if constexpr (std::same_as<T, any_object>) {
        (out.push_back(untyped_predicate(std::move(predicates))), ...);
    } else {
        (out.push_back(predicate_on<T>(std::move(predicates))), ...);
    }
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

// A reconciler that gets the cached object instead of its name, and is not called once the object is gone.
template <class T, class F>
reconciliation reconcile_cached(F& f, const cached_source& source, reconcile_context ctx, request req) {
    const any_object found = source.get(req);
    if (!found) co_return reconcile_result::done();
    auto object = reconciled<T>::of(found);
    result<reconcile_result> outcome =
        co_await call_reconciler<F, reconcile_context, reconciled_object<T>>(f, std::move(ctx), std::move(object));
    co_return outcome;
}

template <class T, class F>
reconciler<request> make_object_reconciler(std::shared_ptr<cached_source> source, F f) {
    return [source = std::move(source), f = std::move(f)](reconcile_context ctx, request req) mutable {
        return reconcile_cached<T, F>(f, *source, std::move(ctx), std::move(req));
    };
}

}  // namespace detail

/// A controller for objects of type T in the making; T is any_object where the kind is known at run time. Predicates
/// may be functions of `const any_event&`, of `const event<K>&` or of `const K&`, where K is the type they stand
/// beside; all of them must agree. Beside a kind known at run time they are functions of `const any_event&`, such as
/// predicate_on<dynamic_object>(p) makes. A resource_info outlives the controller's host.
template <class T>
class controller_builder_for {
public:
    /// Looks at objects of kind U that a T owns, and reconciles their owner.
    template <resource U, class... P>
    controller_builder_for& owns(P... predicates) {
        return owns<U>(owner_match::controller, std::move(predicates)...);
    }
    template <resource U, class... P>
    controller_builder_for& owns(owner_match match, P... predicates) {
        return owns_kind<U>(resource_of<U>(), match, std::move(predicates)...);
    }
    /// The same of a kind known at run time.
    template <class... P>
    controller_builder_for& owns(const resource_info& kind, P... predicates) {
        return owns(kind, owner_match::controller, std::move(predicates)...);
    }
    template <class... P>
    controller_builder_for& owns(const resource_info& kind, owner_match match, P... predicates) {
        return owns_kind<any_object>(kind, match, std::move(predicates)...);
    }

    /// Looks at objects of kind V, and reconciles what `map` makes of each: a request, or a range of requests or names.
    template <resource V, class F, class... P>
    controller_builder_for& watches(F map, P... predicates) {
        return watches_kind<V>(resource_of<V>(), std::move(map), std::move(predicates)...);
    }
    /// The same of a kind known at run time; `map` takes `const any_object&`.
    template <class F, class... P>
    controller_builder_for& watches(const resource_info& kind, F map, P... predicates) {
        return watches_kind<any_object>(kind, std::move(map), std::move(predicates)...);
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
    controller_builder_for& with_options(controller_options o) { return core_.options = std::move(o), *this; }

    /// Makes the controller and hands it to its host, which runs it. The reconciler takes a reconcile_context and
    /// either a `request` or the cached object, a `std::shared_ptr<const T>` (of a kind known at run time an
    /// any_object); with the latter it is not called for objects that are gone. It is a coroutine that returns
    /// `reconciliation`, or a plain function.
    /// Errors: invalid_argument (the name is taken), unavailable (the host is stopping).
    template <class F>
    result<std::shared_ptr<controller>> complete(F reconcile) {
        detail::assert_reconciles<F, request, detail::reconciled_object<T>>();
        if constexpr (reconciles<F, request>) {
            return core_.complete(make_reconciler<request>(std::move(reconcile)));
        } else if constexpr (reconciles<F, detail::reconciled_object<T>>) {
            return core_.complete(detail::make_object_reconciler<T>(source_, std::move(reconcile)));
        } else {
            std::terminate();  // in no program: the assertion has failed
        }
    }

private:
    friend class controller_builder;
    controller_builder_for(detail::builder_core core, const resource_info& kind, std::vector<predicate> predicates)
        : core_(std::move(core)), info_(&kind), source_(core_.source_of(kind)) {
        core_.watch(source_, enqueue_for_object, std::move(predicates));
    }

    template <class U, class... P>
    controller_builder_for& owns_kind(const resource_info& kind, owner_match match, P... predicates) {
        core_.watch(core_.source_of(kind), enqueue_for_owner(info_->gvk, info_->scope, match),
                    detail::predicates_on<U>(std::move(predicates)...));
        return *this;
    }
    template <class V, class F, class... P>
    controller_builder_for& watches_kind(const resource_info& kind, F map, P... predicates) {
        core_.watch(core_.source_of(kind), enqueue_mapped<V>(std::move(map)),
                    detail::predicates_on<V>(std::move(predicates)...));
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

    /// The kind the controller is for.
    template <resource T, class... P>
    controller_builder_for<T> for_(P... predicates) {
        return controller_builder_for<T>(std::move(core_), resource_of<T>(),
                                         detail::predicates_on<T>(std::move(predicates)...));
    }
    /// The same where the kind is known at run time.
    template <class... P>
    controller_builder_for<any_object> for_(const resource_info& kind, P... predicates) {
        return controller_builder_for<any_object>(std::move(core_), kind,
                                                  detail::predicates_on<any_object>(std::move(predicates)...));
    }

private:
    detail::builder_core core_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/builder.ipp>
#endif
