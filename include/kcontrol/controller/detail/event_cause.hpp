// What an event means for the queue: how urgent it is, and the cause it is.
#pragma once

#include <kcontrol/cache/event.hpp>
#include <kcontrol/controller/options.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/workqueue/add_options.hpp>
#include <kcontrol/workqueue/cause.hpp>

#include <concepts>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

/// Refers to the event and to `kind`.
KCONTROL_DECL cause cause_of(const any_event& e, std::string_view kind);

/// low_priority of a first list and of an update that changed nothing, otherwise 0.
/// Source: controller-runtime, pkg/handler, WithLowPriorityWhenUnchanged.
KCONTROL_DECL int priority_of(const any_event& e);

/// The same cause without the names that the request has as well.
template <class Request>
cause cause_for(const Request& req, cause c) {
    if constexpr (std::derived_from<Request, namespaced_name>) {
        if (c.name == req.name && c.namespace_ == req.namespace_) c.name = c.namespace_ = {};
    }
    return c;
}

template <class Request>
std::string_view fairness_key(const Request& req, fairness by) {
    if constexpr (requires { std::string_view(req.namespace_); }) {
        if (by == fairness::by_namespace) return req.namespace_;
    }
    if constexpr (requires { std::string_view(req.cluster); }) {
        if (by == fairness::by_cluster) return req.cluster;
    }
    return {};
}

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/event_cause.ipp>
#endif
