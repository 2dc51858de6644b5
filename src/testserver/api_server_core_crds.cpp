#include "testserver/api_server_core.hpp"
#include "testserver/object_store.hpp"
#include "testserver/timestamp.hpp"

#include <string>
#include <utility>

namespace kcontrol::inline v0_1::testing::detail {

void api_server_core::crd_written(const resource_table& table, const object_ptr& object) {
    if (table.type().id() != definitions_id()) return;
    follow_crd(json::value(object->content()));
}

namespace {

// The name that another kind of the group has already, and what it is; both empty: none.
std::pair<std::string, std::string> taken_name(const object_store& store, const resource_type& wanted) {
    std::pair<std::string, std::string> out;
    for (const auto& [id, table] : store.tables()) {
        const resource_type& other = table->type();
        if (other.group != wanted.group || other.plural == wanted.plural) continue;
        const auto takes = [&out](const std::string& a, const std::string& b, const char* what) {
            if (a == b) out = {a, what};
        };
        takes(wanted.singular, other.singular, "SingularConflict");
        for (const auto& name : wanted.short_names) {
            for (const auto& has : other.short_names) takes(name, has, "ShortNamesConflict");
        }
        takes(wanted.kind, other.kind, "KindConflict");
        takes(wanted.list_kind, other.list_kind, "ListKindConflict");
    }
    return out;
}

json::object crd_condition(std::string_view type, bool holds, std::string_view reason, std::string_view message,
                           const std::string& now) {
    json::object out;
    out["type"] = type;
    out["status"] = holds ? "True" : "False";
    out["reason"] = reason;
    out["message"] = message;
    out["lastTransitionTime"] = now;
    return out;
}

}  // namespace

void api_server_core::follow_crd(const json::value& crd) {
    auto type = resource_type_of_crd(crd);
    if (!type) return;
    const auto [name, reason] = taken_name(store, *type);
    const bool accepted = name.empty();
    json::array stored = json::array();
    const json::value* versions = json::find(crd, {"spec", "versions"});
    for (const auto& version : versions->get_array()) {
        const json::value* storage = json::find(version, {"storage"});
        if (storage != nullptr && *storage == true) stored.push_back(json::value(json::get_string(version, {"name"})));
    }
    if (accepted) store.add_resource(std::move(*type));
    const auto crds = store.table(definitions_id());
    write_target target("v1", "", std::string(json::get_string(crd, {"metadata", "name"})));
    target.subresource = "status";
    const std::string now = format_timestamp(env.wall_now());
    const std::string taken = json::serialize(json::value(name)) + " is already in use";
    json::object status;
    status["conditions"] = json::array(
        {crd_condition("NamesAccepted", accepted, accepted ? "NoConflicts" : reason,
                       accepted ? "no conflicts found" : taken, now),
         crd_condition("Established", accepted, accepted ? "InitialNamesAccepted" : "NotAccepted",
                       accepted ? "the initial names have been accepted" : "not all names are accepted", now)});
    if (accepted) status["acceptedNames"] = *json::find(crd, {"spec", "names"});
    status["storedVersions"] = std::move(stored);
    static_cast<void>(store.patch(*crds, target, [&status](json::value& whole) -> outcome<void> {
        const json::value* told = json::find(whole, {"status", "conditions"});
        if (told != nullptr && told->is_array()) return {};
        whole.as_object()["status"] = std::move(status);
        return {};
    }));
}

}  // namespace kcontrol::testing::detail
