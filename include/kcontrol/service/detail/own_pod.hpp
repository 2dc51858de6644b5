// The pod that this program runs in, as far as it can know that, and what a Role lacks where the server refuses.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/model/resource.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::service::detail {

/// $HOSTNAME, or the kernel's host name: in a pod its name, unless the pod's spec says otherwise. Empty: unknown.
KCONTROL_DECL std::string host_name(environment& env);

/// The namespace of the service account in this pod; empty: this is no pod, or it has no token.
KCONTROL_DECL std::string own_namespace(environment& env);

/// Pods, of which only the metadata is read.
KCONTROL_DECL const resource_info& pod_metadata();

/// A rule of a Role, in YAML on one line: {apiGroups: [""], resources: ["pods"], verbs: ["get", "patch"]}.
KCONTROL_DECL std::string role_rule(std::string_view group, std::string_view resource,
                                    std::initializer_list<std::string_view> verbs);

}  // namespace kcontrol::service::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/own_pod.ipp>
#endif
