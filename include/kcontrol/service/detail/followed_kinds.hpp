// The kinds that this directory follows, with the members that it reads and no others: so no built-in kind is linked.
#pragma once

#include <kcontrol/model/describe.hpp>
#include <kcontrol/model/field.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/model/resource.hpp>

#include <cstdint>
#include <optional>

namespace kcontrol::inline v0_1::service::detail {

/// EndpointPort of discovery.k8s.io/v1, and ServicePort, which has the same members. Of the former, `port` is where the
/// endpoints listen.
struct named_port {
    text name, protocol;
    std::optional<std::int32_t> port;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("name", &named_port::name), kcontrol::field("port", &named_port::port),
                                kcontrol::field("protocol", &named_port::protocol));
    }
};

struct slice_conditions {
    std::optional<bool> ready, serving, terminating;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("ready", &slice_conditions::ready),
                                kcontrol::field("serving", &slice_conditions::serving),
                                kcontrol::field("terminating", &slice_conditions::terminating));
    }
};

struct slice_target_ref {
    text kind, name;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("kind", &slice_target_ref::kind),
                                kcontrol::field("name", &slice_target_ref::name));
    }
};

struct slice_endpoint {
    list<text> addresses;
    slice_conditions conditions;
    slice_target_ref target_ref;
    text node_name, zone;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("addresses", &slice_endpoint::addresses),
                                kcontrol::field("conditions", &slice_endpoint::conditions),
                                kcontrol::field("targetRef", &slice_endpoint::target_ref),
                                kcontrol::field("nodeName", &slice_endpoint::node_name),
                                kcontrol::field("zone", &slice_endpoint::zone));
    }
};

/// EndpointSlice of discovery.k8s.io/v1.
struct endpoint_slice {
    static constexpr resource_name kcontrol_resource{"discovery.k8s.io", "v1", "EndpointSlice", "endpointslices"};
    using kcontrol_projection = void;

    object_meta metadata;
    text address_type;  // "IPv4", "IPv6" or "FQDN"
    list<slice_endpoint> endpoints;
    list<named_port> ports;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("addressType", &endpoint_slice::address_type),
                                kcontrol::field("endpoints", &endpoint_slice::endpoints),
                                kcontrol::field("ports", &endpoint_slice::ports));
    }
};

struct followed_service_spec {
    text type, external_name;
    dict<text> selector;
    list<named_port> ports;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("type", &followed_service_spec::type),
                                kcontrol::field("externalName", &followed_service_spec::external_name),
                                kcontrol::field("selector", &followed_service_spec::selector),
                                kcontrol::field("ports", &followed_service_spec::ports));
    }
};

/// Service of v1.
struct followed_service {
    static constexpr resource_name kcontrol_resource{"", "v1", "Service", "services"};
    using kcontrol_projection = void;

    object_meta metadata;
    followed_service_spec spec;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("spec", &followed_service::spec));
    }
};

struct container_port {
    text name, protocol;
    std::optional<std::int32_t> port;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("name", &container_port::name),
                                kcontrol::field("containerPort", &container_port::port),
                                kcontrol::field("protocol", &container_port::protocol));
    }
};

struct followed_container {
    text restart_policy;
    list<container_port> ports;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("restartPolicy", &followed_container::restart_policy),
                                kcontrol::field("ports", &followed_container::ports));
    }
};

struct followed_pod_spec {
    text node_name;
    list<followed_container> init_containers, containers;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("nodeName", &followed_pod_spec::node_name),
                                kcontrol::field("initContainers", &followed_pod_spec::init_containers),
                                kcontrol::field("containers", &followed_pod_spec::containers));
    }
};

struct followed_pod_ip {
    text ip;

    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("ip", &followed_pod_ip::ip)); }
};

struct followed_pod_condition {
    text type, status;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("type", &followed_pod_condition::type),
                                kcontrol::field("status", &followed_pod_condition::status));
    }
};

struct followed_pod_status {
    text phase, pod_ip;
    list<followed_pod_ip> pod_ips;
    list<followed_pod_condition> conditions;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("phase", &followed_pod_status::phase),
                                kcontrol::field("podIP", &followed_pod_status::pod_ip),
                                kcontrol::field("podIPs", &followed_pod_status::pod_ips),
                                kcontrol::field("conditions", &followed_pod_status::conditions));
    }
};

/// Pod of v1.
struct followed_pod {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    using kcontrol_projection = void;

    object_meta metadata;
    followed_pod_spec spec;
    followed_pod_status status;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("spec", &followed_pod::spec),
                                kcontrol::field("status", &followed_pod::status));
    }
};

struct followed_lease_spec {
    text holder_identity, renew_time, acquire_time;
    std::optional<std::int32_t> lease_duration_seconds, lease_transitions;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("holderIdentity", &followed_lease_spec::holder_identity),
                                kcontrol::field("renewTime", &followed_lease_spec::renew_time),
                                kcontrol::field("acquireTime", &followed_lease_spec::acquire_time),
                                kcontrol::field("leaseDurationSeconds", &followed_lease_spec::lease_duration_seconds),
                                kcontrol::field("leaseTransitions", &followed_lease_spec::lease_transitions));
    }

    friend bool operator==(const followed_lease_spec&, const followed_lease_spec&) = default;
};

/// Lease of coordination.k8s.io/v1.
struct followed_lease {
    static constexpr resource_name kcontrol_resource{"coordination.k8s.io", "v1", "Lease", "leases"};
    using kcontrol_projection = void;

    object_meta metadata;
    followed_lease_spec spec;

    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("spec", &followed_lease::spec)); }
};

}  // namespace kcontrol::service::detail
