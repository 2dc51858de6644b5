// A ClusterProfile as cluster_profile_source reads it.
#pragma once

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/model/condition.hpp>
#include <kcontrol/values/raw_json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::detail {

struct profile_access {
    std::string name;
    raw_json cluster;  ///< as a kubeconfig has it
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &profile_access::name), field("cluster", &profile_access::cluster));
    }
};

struct profile_status {
    std::vector<status_condition> conditions;
    std::vector<profile_access> access;
    std::vector<profile_access> credentials;  ///< what `access` was called before
    static constexpr auto kcontrol_fields() {
        return fields(field("conditions", &profile_status::conditions),
                      field("accessProviders", &profile_status::access),
                      field("credentialProviders", &profile_status::credentials));
    }
};

struct profile_object {
    static constexpr resource_name kcontrol_resource{"multicluster.x-k8s.io", "v1alpha1", "ClusterProfile",
                                                     "clusterprofiles"};
    object_meta metadata;
    profile_status status;
    static constexpr auto kcontrol_fields() { return fields(field("status", &profile_object::status)); }
};

/// The kind as it is served in that version; null if that is not known.
inline const resource_info* profile_resource(std::string_view version) {
    static const resource_info second = [] {
        resource_info out = resource_of<profile_object>();
        out.gvk.version = "v1alpha2";
        return out;
    }();
    const resource_info& first = resource_of<profile_object>();
    if (version == first.gvk.version) return &first;
    return version == second.gvk.version ? &second : nullptr;
}

}  // namespace kcontrol::detail
