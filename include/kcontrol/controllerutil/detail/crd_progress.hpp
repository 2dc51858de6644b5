// How far the server is with a CustomResourceDefinition, judged from the object.
#pragma once

#include <kcontrol/model/condition.hpp>
#include <kcontrol/model/resource.hpp>

#include <string>

namespace kcontrol::inline v0_1::detail {

struct crd_view_status {
    list<status_condition> conditions;
    static constexpr auto kcontrol_fields() { return fields(field("conditions", &crd_view_status::conditions)); }
};

/// What of a CustomResourceDefinition says whether its kind is served.
struct crd_view {
    static constexpr resource_name kcontrol_resource{"apiextensions.k8s.io", "v1", "CustomResourceDefinition",
                                                     "customresourcedefinitions", resource_scope::cluster};
    using kcontrol_projection = void;
    object_meta metadata;
    crd_view_status status;
    static constexpr auto kcontrol_fields() { return fields(field("status", &crd_view::status)); }
};

enum class crd_progress {
    established,
    waiting,      ///< the server has yet to judge it
    refused,      ///< another definition has one of its names
    terminating,  ///< it is being deleted, with all its objects
};

inline crd_progress progress_of(const crd_view& crd) {
    if (crd.metadata.deletion_timestamp.present()) return crd_progress::terminating;
    if (is_true(crd.status.conditions, "Established")) return crd_progress::established;
    const auto* names = find_condition(crd.status.conditions, "NamesAccepted");
    return names != nullptr && names->status == "False" ? crd_progress::refused : crd_progress::waiting;
}

/// What the server says about it, for a person who wonders why it takes so long.
inline std::string describe_progress(const crd_view& crd) {
    if (crd.metadata.deletion_timestamp.present()) return "it is being deleted";
    std::string out;
    for (const char* type : {"NamesAccepted", "Established"}) {
        const auto* found = find_condition(crd.status.conditions, type);
        if (found == nullptr || found->status == "True") continue;
        out += (out.empty() ? "" : "; ") + std::string(type) + " is " + found->status.str() + " (" +
               found->reason.str() + ": " + found->message.str() + ")";
    }
    return out.empty() ? "the server has not judged it yet" : out;
}

}  // namespace kcontrol::detail
