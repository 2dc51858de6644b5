// The pods of the node on which this program runs.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/model/field.hpp>

#include <string>
#include <utility>

namespace kcontrol::inline v0_1::service {

/// The container of a node_pod.
struct node_pod_container {
    text name;  ///< as container_resources::name

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("name", &node_pod_container::name));
    }
};

/// Part of a node_pod.
struct node_pod_spec {
    text node_name;                       ///< of the node
    list<node_pod_container> containers;  ///< without init containers

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("nodeName", &node_pod_spec::node_name),
                                kcontrol::field("containers", &node_pod_spec::containers));
    }
};

/// Part of a node_pod.
struct node_pod_status {
    text phase;   ///< "Running"; "Succeeded" and "Failed" are ends
    text pod_ip;  ///< empty: none yet

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("phase", &node_pod_status::phase),
                                kcontrol::field("podIP", &node_pod_status::pod_ip));
    }
};

/// A Pod with what a program of the node needs of it, and nothing else. A program that needs other members declares a
/// kind of its own, and selects by node_selector_of().
struct node_pod {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};  ///< as the API has it
    using kcontrol_projection = void;                                           ///< it has not all members

    object_meta metadata;    ///< with labels and annotations
    node_pod_spec spec;      ///< what the pod is to be
    node_pod_status status;  ///< what it is

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("spec", &node_pod::spec), kcontrol::field("status", &node_pod::status));
    }
};

/// The name of the own node: of the variable NODE_NAME, which a pod sets from spec.nodeName (downward API). Errors:
/// invalid_config where it is not set or can't be a node's name.
KCONTROL_DECL result<std::string> own_node_name(const environment& env);

/// "spec.nodeName=NODE".
KCONTROL_DECL std::string node_selector_of(const std::string& node);

/// An informer of the pods of one node, in all namespaces. Needed rights: list and watch `pods` in a ClusterRole; the
/// server does not check that only those of the node are asked for.
class node_pods : public informer<node_pod> {
public:
    /// Asks nothing before start(); see any_informer. `log` gets what the informer logs.
    KCONTROL_DECL node_pods(environment& env, executor ex, client cl, std::string node, logger log = {});

    const std::string& node() const noexcept { return node_; }  ///< whose pods they are

private:
    std::string node_;
};

}  // namespace kcontrol::service

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/node_pods.ipp>
#endif
