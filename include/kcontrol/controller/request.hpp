// The request of a controller: which object to look at. It says nothing of what happened to it.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/model/object_key.hpp>

#include <compare>
#include <functional>
#include <utility>

namespace kcontrol {

/// Namespace and name of the object to reconcile. Events of an object are merged into one request, so a reconciler
/// looks at the present state, not at a change.
///
/// A controller over another type of request needs of it: equality, std::hash, and an `add_log_fields` like the one
/// below.
class request : public namespaced_name {
public:
    request() = default;
    request(std::string ns, std::string n) : namespaced_name(std::move(ns), std::move(n)) {}
    explicit request(namespaced_name key) : namespaced_name(std::move(key)) {}

    friend auto operator<=>(const request&, const request&) = default;
};

/// A logger whose records name the request.
inline logger add_log_fields(const logger& log, const request& req) {
    const logger named = req.namespace_.empty() ? log : log.with("namespace", req.namespace_);
    return named.with("name", req.name);
}

}  // namespace kcontrol

template <>
struct std::hash<kcontrol::request> : std::hash<kcontrol::namespaced_name> {};
