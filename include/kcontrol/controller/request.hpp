// The request of a controller: which object to look at. It says nothing of what happened to it.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/model/object_key.hpp>

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Namespace and name of the object to reconcile. Events of an object are merged into one request, so a reconciler
/// looks at the present state, not at a change.
///
/// `cluster` is the name of the engaged cluster whose object it is, and empty for a manager's own. Who adds a request
/// need not say it: it is that of the cluster that the controller is for.
///
/// A controller over another type of request needs of it: equality, std::hash, and an `add_log_fields` like the one
/// below.
class request : public namespaced_name {
public:
    request() = default;
    /// `ns` is empty for a cluster-scoped object; `cluster` is left to the controller.
    request(std::string ns, std::string n) : namespaced_name(std::move(ns), std::move(n)) {}
    explicit request(namespaced_name key) : namespaced_name(std::move(key)) {}  ///< the same
    /// `of` is the name of the cluster.
    request(std::string of, std::string ns, std::string n)
        : namespaced_name(std::move(ns), std::move(n)), cluster(std::move(of)) {}

    std::string cluster;  ///< of an engaged cluster; empty: the manager's own, or yet to be said

    friend auto operator<=>(const request&, const request&) = default;
};

/// A logger whose records name the request.
inline logger add_log_fields(const logger& log, const request& req) {
    const logger named = req.namespace_.empty() ? log : log.with("namespace", req.namespace_);
    return named.with("name", req.name);
}

}  // namespace kcontrol

template <>
struct std::hash<kcontrol::request> {
    std::size_t operator()(const kcontrol::request& req) const noexcept {
        const std::size_t of_name = std::hash<kcontrol::namespaced_name>()(req);
        return req.cluster.empty() ? of_name : of_name * 31 + std::hash<std::string>()(req.cluster);
    }
};
