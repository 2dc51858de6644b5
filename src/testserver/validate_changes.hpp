// What may not change in objects of Kubernetes' own kinds.
#pragma once

#include "testserver/field_validator.hpp"

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

inline const json::value& member_or_null(const json::value& of, std::initializer_list<std::string_view> path) {
    static const json::value nothing;
    const json::value* found = json::find(of, path);
    return found == nullptr ? nothing : *found;
}

inline void validate_change(validator& v, const std::string& id, const json::value& now, const json::value& was) {
    const auto changed = [&](std::initializer_list<std::string_view> path) {
        return member_or_null(now, path) != member_or_null(was, path);
    };
    const auto fixed = [&](std::initializer_list<std::string_view> path, const std::string& field) {
        if (changed(path)) v.invalid(field, &member_or_null(now, path), "field is immutable");
    };
    if (id == "deployments.apps" || id == "replicasets.apps" || id == "daemonsets.apps") {
        fixed({"spec", "selector"}, "spec.selector");
    } else if (id == "jobs.batch") {
        const bool indexed = json::get_string(now, {"spec", "completionMode"}) == "Indexed";
        if (!indexed) fixed({"spec", "completions"}, "spec.completions");
        fixed({"spec", "selector"}, "spec.selector");
        const json::value* suspended = json::find(was, {"spec", "suspend"});
        if (suspended == nullptr || *suspended != true) fixed({"spec", "template"}, "spec.template");
        fixed({"spec", "completionMode"}, "spec.completionMode");
    } else if (id == "statefulsets.apps") {
        for (const std::string_view name : {"selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy"}) {
            fixed({"spec", name}, "spec." + std::string(name));
        }
    } else if (id == "configmaps" || id == "secrets") {
        const json::value* immutable = json::find(was, {"immutable"});
        if (immutable != nullptr && *immutable == true) {
            const json::value* still = json::find(now, {"immutable"});
            constexpr std::string_view why = "field is immutable when `immutable` is set";
            if (still == nullptr || *still != true) v.forbidden("immutable", why);
            if (changed({"data"})) v.forbidden("data", why);
            if (id == "configmaps" && changed({"binaryData"})) v.forbidden("binaryData", why);
        }
        if (id == "secrets") fixed({"type"}, "type");
    } else if (id == "controllerrevisions.apps") {
        // Its data is raw: the same in another order is not the same.
        const json::value& data = member_or_null(now, {"data"});
        if (json::serialize(data) != json::serialize(member_or_null(was, {"data"}))) {
            v.invalid("data", &data, "field is immutable");
        }
    } else if (id == "priorityclasses.scheduling.k8s.io") {
        if (changed({"value"})) v.forbidden("value", "may not be changed in an update.");
    } else if (id == "services") {
        const json::value& ip = member_or_null(was, {"spec", "clusterIP"});
        const bool needs_one = json::get_string(now, {"spec", "type"}) != "ExternalName";
        if (needs_one && changed({"spec", "clusterIP"}) && ip.is_string() && !ip.get_string().empty()) {
            const json::value all = json::array({member_or_null(now, {"spec", "clusterIP"})});
            v.invalid("spec.clusterIPs[0]", &all, "may not change once set");
        }
    } else if (id == "rolebindings.rbac.authorization.k8s.io" ||
               id == "clusterrolebindings.rbac.authorization.k8s.io") {
        if (changed({"roleRef"})) {
            json::object shown;
            shown["APIGroup"] = member_or_null(now, {"roleRef", "apiGroup"});
            shown["Kind"] = member_or_null(now, {"roleRef", "kind"});
            shown["Name"] = member_or_null(now, {"roleRef", "name"});
            const json::value value(std::move(shown));
            v.invalid("roleRef", &value, "field is immutable");
        }
    }
}

// A pod's spec stands, but for images, its deadline, more tolerations, and its node if it had none.
inline void validate_pod_change(validator& v, const json::value& now, const json::value& was) {
    json::value a = member_or_null(now, {"spec"}), b = member_or_null(was, {"spec"});
    for (json::value* spec : {&a, &b}) {
        if (!spec->is_object()) continue;
        json::object& members = spec->get_object();
        for (const std::string_view free :
             {"activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds", "schedulingGates"}) {
            members.erase(free);
        }
        if (json::get_string(was, {"spec", "nodeName"}).empty()) members.erase("nodeName");
        for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
            json::value* items = members.if_contains(list);
            if (items == nullptr || !items->is_array()) continue;
            for (auto& item : items->get_array()) {
                if (item.is_object()) item.get_object().erase("image");
            }
        }
    }
    if (a == b) return;
    v.forbidden("spec",
                "pod updates may not change fields other than `spec.containers[*].image`,"
                "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to "
                "existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
                "previously negative)");
}

}  // namespace kcontrol::testing::detail
