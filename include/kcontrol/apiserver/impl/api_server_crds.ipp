#pragma once

#include <kcontrol/apiserver/api_server_core.hpp>
#include <kcontrol/apiserver/timestamp.hpp>

namespace kcontrol::testing::detail {

const inline group_resource crds_id("apiextensions.k8s.io", "customresourcedefinitions");

KCONTROL_DECL void api_server_core::crd_written(const resource_table& table, const object_ptr& object) {
    if (table.type().id() != crds_id) return;
    follow_crd(json::value(object->content()));
}

KCONTROL_DECL void api_server_core::follow_crd(const json::value& crd) {
    auto type = resource_type_of_crd(crd);
    if (!type) return;
    store.add_resource(std::move(*type));
    const auto crds = store.table(crds_id);
    write_target target("v1", "", std::string(json::get_string(crd, {"metadata", "name"})));
    target.subresource = "status";
    const std::string now = format_timestamp(env.wall_now());
    static_cast<void>(store.patch(*crds, target, [&crd, &now](json::value& whole) -> outcome<void> {
        if (json::find(whole, {"status", "conditions"}) != nullptr) return {};
        json::object status;
        json::array conditions;
        for (const auto& [condition, reason] :
             {std::pair("NamesAccepted", "NoConflicts"), std::pair("Established", "InitialNamesAccepted")}) {
            json::object entry;
            entry["type"] = condition;
            entry["status"] = "True";
            entry["reason"] = reason;
            entry["lastTransitionTime"] = now;
            conditions.push_back(std::move(entry));
        }
        status["conditions"] = std::move(conditions);
        status["acceptedNames"] = *json::find(crd, {"spec", "names"});
        whole.as_object()["status"] = std::move(status);
        return {};
    }));
}

}  // namespace kcontrol::testing::detail
