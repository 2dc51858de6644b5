// Whose endpoints are followed: a Service's, or those of pods.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/model/object_key.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::service {

/// What `endpoints` follows. A value.
class endpoints_target {
public:
    /// The endpoints of a Service: its EndpointSlices. Needed rights in its namespace: list and watch `endpointslices`
    /// (discovery.k8s.io), and better `services`: without it ports are known by name only, and what is wrong with the
    /// Service is not.
    static endpoints_target service(namespaced_name name) { return endpoints_target(std::move(name), {}, true); }
    /// The pods of a namespace that a label selector selects ("app=web,tier in (a,b)"). Needed rights there: list and
    /// watch `pods`.
    static endpoints_target pods(std::string ns, std::string selector) {
        return endpoints_target(namespaced_name(std::move(ns), {}), std::move(selector), false);
    }
    /// "NAMESPACE/SERVICE". Errors: invalid_argument, naming what is wrong.
    static KCONTROL_DECL result<endpoints_target> parse(std::string_view text);

    bool is_service() const noexcept { return is_service_; }                       ///< else it is pods
    const std::string& in_namespace() const noexcept { return name_.namespace_; }  ///< of the Service, or of the pods
    const namespaced_name& service_name() const noexcept { return name_; }         ///< without a name for pods
    const std::string& selector() const noexcept { return selector_; }             ///< empty for a Service

    /// Errors: invalid_argument for a name, a namespace or a selector that the server would refuse, or none.
    KCONTROL_DECL result<void> validate() const;

    friend bool operator==(const endpoints_target&, const endpoints_target&) = default;

private:
    endpoints_target(namespaced_name name, std::string selector, bool is_service)
        : name_(std::move(name)), selector_(std::move(selector)), is_service_(is_service) {}

    namespaced_name name_;
    std::string selector_;
    bool is_service_;
};

/// "service default/web" or "pods of default with app=web", for logs.
KCONTROL_DECL std::string to_string(const endpoints_target& target);

}  // namespace kcontrol::service

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/endpoints_target.ipp>
#endif
